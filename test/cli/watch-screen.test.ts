/** The screen in a real terminal: it draws, hears keys, and leaves everything as it was, however it ends. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { removeSites } from "../support/git.ts";
import { stage, type Stage } from "./watch-support.ts";

const PROGRAM = join(import.meta.dirname, "../../dist/signalbox.cjs");
const LIMIT_MS = 20_000;

/** Without tmux there is no terminal to try it in. */
const hasTmux = ((): boolean => {
  try {
    execFileSync("tmux", ["-V"]);
    return existsSync(PROGRAM);
  } catch {
    return false;
  }
})();

describe.runIf(hasTmux)("the screen", () => {
  // A socket's path must be short.
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), "sbw-")));
  const socket = join(folder, "s");
  const pids = join(folder, "pid");
  let on: Stage;

  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  const screen = (): string => tmux("capture-pane", "-p", "-t", "0");
  const keys = (...names: string[]): void => void tmux("send-keys", "-t", "0", ...names);

  /** There is no event for what a terminal shows: it is looked at until it shows it. */
  async function until(what: string | RegExp): Promise<string> {
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      const shown = screen();
      if (typeof what === "string" ? shown.includes(what) : what.test(shown)) return shown;
      if (Date.now() > end) throw new Error(`${String(what)} is not on the screen:\n${shown}`);
      await pause(50);
    }
  }

  async function watched(): Promise<void> {
    keys("clear; sh -c 'echo $$ > $PIDS; exec node $PROGRAM watch'; echo left with $?", "Enter");
    await until("signalbox   1 waits for you");
  }

  beforeAll(async () => {
    on = await stage();
    await on.runIn("aaaa", "reviewing", {
      at: new Date().toISOString(),
      params: { branch: "one", summary: "What one is about" },
    });
    await on.runIn("bbbb", "working", {
      at: new Date().toISOString(),
      params: { branch: "two", summary: "What 日本語 \u001B[2J is about" },
    });
    await on.agent("bbbb", "worker", "alive");
    const { files } = runFolders(on.home, "aaaa");
    mkdirSync(files, { recursive: true });
    writeFileSync(join(files, "TASK.md"), "# The page of one\n\n\u001B]0;owned\u0007text\n");
    const env = { ...on.env, PROGRAM, PIDS: pids, TERM: "screen", PS1: "prompt> ", LANG: "C.UTF-8" };
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    execFileSync("tmux", [
      "-S",
      socket,
      "-f",
      "/dev/null",
      "-u",
      "new-session",
      "-d",
      "-x",
      "80",
      "-y",
      "24",
      "-c",
      on.repo,
      "env",
      "-i",
      ...given,
      "sh",
    ]);
    await until("prompt>");
  });

  afterAll(async () => {
    try {
      tmux("kill-server");
    } catch {
      // It is gone with its last session.
    }
    await on.store.close();
    removeSites();
    rmSync(folder, { recursive: true, force: true });
  });

  test("it draws, moves, shows a page, follows what happens and a resize, and gives the screen back", async () => {
    keys("echo before", "Enter");
    await until(/^before$/m);
    await watched();
    const first = await until(/What .* is about +working +worker +alive .* two$/m);
    expect(first).toMatch(/^> What one is about +reviewing +you/m);
    expect(first).toContain("What 日本語 \uFFFD[2J is about");
    keys("j");
    await until(/^> What 日本語/m);
    keys("k");
    await until(/^> What one/m);
    keys("v");
    expect(await until("# The page of one")).toContain("\uFFFD]0;owned\uFFFDtext");
    keys("Escape");
    await until(/^> What one/m);
    keys("d");
    await until("delete: it is not over: cancel it first");
    await on.runIn("cccc", "stuck", { at: new Date().toISOString(), params: { branch: "three" } });
    await until("2 wait for you");
    tmux("resize-window", "-t", "0", "-x", "50", "-y", "12");
    await until(/WAITS FOR AGE$/m);
    tmux("resize-window", "-t", "0", "-x", "80", "-y", "24");
    await until(/SESSION ROUND AGE RUN$/m);
    await on.happen("cccc", {
      type: "move-asked",
      by: { type: "human" },
      at: new Date().toISOString(),
      to: "cancelled",
      readings: [],
    });
    await on.store.commit([{ type: "hide", run: "cccc", hidden: true }]);
    await until("1 waits for you");
    keys("q");
    const after = await until("left with 0");
    expect(after).not.toContain("What one");
  });

  test.for<[how: string, end: () => void, code: number]>([
    ["Ctrl-C", () => keys("C-c"), 0],
    ["SIGTERM", () => signal("SIGTERM"), 143],
    ["SIGHUP", () => signal("SIGHUP"), 0],
  ])("%s gives the screen back", async ([, end, code]) => {
    await watched();
    end();
    await until(`left with ${code}`);
    // Keys are echoed and lines wrap again.
    keys(`echo ${"x".repeat(100)}`, "Enter");
    const after = await until(/^x{20,}$/m);
    expect(after).not.toContain("waits for you");
    expect(
      tmux(
        "display-message",
        "-p",
        "-t",
        "0",
        "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{wrap_flag}",
      ).trim(),
    ).toBe("0 1 0 1");
  });

  function signal(name: NodeJS.Signals): void {
    process.kill(Number(readFileSync(pids, "utf8")), name);
  }
});
