/** Telling something to a program in a window: what arrives, and that nothing is sent to anybody else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import { tellPane, typeable } from "../../src/adapters/terminal/tell.ts";
import { endServer, hasTmux, tmuxBench, type TmuxBench } from "../support/tmux.ts";
import { exists, until } from "./process-bench.ts";
import { sampled } from "../support/sampled.ts";

const actor = fileURLToPath(new URL("terminal-actor.ts", import.meta.url));

/** Takes every byte as it comes, as a full-screen program does, and keeps it in a file until Enter comes by itself. */
const RAW = `
const { appendFileSync, writeFileSync } = require("node:fs");
process.stdin.setRawMode(true);
process.stdout.write("\\x1b[?2004h");
let all = "";
process.stdin.on("data", (bytes) => {
  appendFileSync("got", bytes);
  all += bytes.toString("latin1");
  if (all.endsWith("\\r")) process.exit(0);
});
writeFileSync("ready", "");
process.stdout.write("ready");
`;

async function rawProgram(b: TmuxBench): Promise<ReturnType<TmuxBench["inWindow"]>> {
  const launch = b.inWindow("j", "", { argv: [process.execPath, "-e", RAW] });
  await b.processes.launch(launch);
  await b.logged("j", "ready");
  return launch;
}

const got = (b: TmuxBench): string => {
  const file = join(b.home.root, "..", "got");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};

test.for<[string, string]>([
  ["a\tb\nc", "a\tb\nc"],
  ["a\r\nb\rc", "a\nb\nc"],
  ["\u001b[201~; rm -rf /\u001b[200~", "[201~; rm -rf /[200~"],
  ["\u009b201~\u0003\u0004\u001a\u007f\u0000\u0008", "201~"],
  ["é \u{1F686} \ud800", "é \u{1F686} \ufffd"],
  ["\u0001\u0002", ""],
])("of %j is typed: %j", ([text, typed]) => {
  expect(typeable(text)).toBe(typed);
});

describe.skipIf(!hasTmux)("telling", () => {
  test("a long text with everything in it arrives byte for byte, as one paste, and Enter after it", async () => {
    const b = tmuxBench();
    const launch = await rawProgram(b);
    const signs = Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code)).join("");
    const line = `${signs}\u001b[201~\u001b]0;title\u0007 #{pid} #(touch evil) $(touch evil) ; \u{1F686}\n`;
    const text = line.repeat(Math.ceil(70_000 / Buffer.byteLength(line)));
    expect(Buffer.byteLength(text)).toBeGreaterThan(65_536);
    expect(await b.processes.tell(launch, text)).toBe("told");
    expect(await b.run(launch)).toBe(0);
    expect(got(b)).toBe(`\u001b[200~${typeable(text)}\u001b[201~\r`);
    expect(b.tmux("list-buffers")).toBe("");
    expect(existsSync(join(b.home.root, "..", "evil"))).toBe(false);
  });

  test.for<[string, (b: TmuxBench, pane: string) => void]>(
    sampled(2, [
      ["scrolls back", (b, pane) => void b.tmux("copy-mode", "-t", pane)],
      ["chooses from a tree", (b, pane) => void b.tmux("choose-tree", "-t", pane)],
      ["looks at the clock", (b, pane) => void b.tmux("clock-mode", "-t", pane)],
      ["has switched the input off", (b, pane) => void b.tmux("select-pane", "-d", "-t", pane)],
    ]),
  )("while somebody %s", async ([, disturb]) => {
    const b = tmuxBench();
    const launch = await rawProgram(b);
    disturb(b, b.pane("j"));
    expect(await b.processes.tell(launch, "hello")).toBe("told");
    expect(await b.run(launch)).toBe(0);
    expect(got(b)).toBe("\u001b[200~hello\u001b[201~\r");
  });

  test("somebody who has ended is told nothing, and the server lives", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "exit 0");
    await b.run(launch);
    const other = b.inWindow("k", "exec sleep 60", { window: { name: "other" } });
    await b.processes.launch(other);
    const server = b.serverPid();
    expect(await b.processes.tell(launch, "hello")).toBe("gone");
    expect(await shimProcesses({ home: b.home }).tell(launch, "hello")).toBe("gone");
    await b.processes.kill(launch);
    expect(await b.processes.tell(launch, "hello")).toBe("gone");
    expect(await b.processes.tell({ id: "x", dir: b.dir("x") }, "hello")).toBe("gone");
    expect([b.serverPid(), b.tmux("list-buffers")]).toEqual([server, ""]);
    await b.processes.kill(other);
  });

  test("one that ends while it is told does not take the server with it", async () => {
    const b = tmuxBench();
    const keep = b.inWindow("keep", "exec sleep 60", { window: { name: "keep" } });
    await b.processes.launch(keep);
    const server = b.serverPid();
    for (const id of ["a", "b", "c", "d"]) {
      const launch = b.inWindow(id, "read x", { window: { name: id } });
      await b.processes.launch(launch);
      const told = Promise.all([b.processes.tell(launch, "one"), b.processes.tell(launch, "two")]);
      expect((await told).every((each) => each === "told" || each === "gone")).toBe(true);
    }
    expect(b.serverPid()).toBe(server);
    await b.processes.kill(keep);
  });

  test("a paste into a dead pane is never tried: older servers end over it", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "exit 0");
    await b.run(launch);
    const [pid = "", start = ""] = b.text("j", "pid").split("\n");
    const server = { pid: b.serverPid(), start: b.text("j", "terminal").split("\n")[2] ?? "" };
    const hold = { pane: b.pane("j"), server, shim: { pid: Number(pid), start } };
    const on = { home: b.home, env: process.env };
    expect(await tellPane(on, { hold, text: "hello", pauseMs: 0 })).toBe("gone");
    expect([b.serverPid(), b.tmux("list-buffers")]).toEqual([server.pid, ""]);
  });

  test("another process in the same pane is not taken for the agent", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "exec sleep 60");
    await b.processes.launch(launch);
    b.tmux("respawn-pane", "-k", "-t", b.pane("j"), "sh", "-c", "cat >stolen");
    expect(await b.processes.tell(launch, "secret")).toBe("gone");
    await until(() => b.processes.probe(launch.dir).type !== "alive");
    expect(b.processes.probe(launch.dir)).not.toMatchObject({ infrastructure: true });
    expect(await b.processes.tell(launch, "secret")).toBe("gone");
  });

  test("a pane that the program names as its own is not told", async () => {
    const b = tmuxBench();
    const victim = b.inWindow("v", "cat >stolen", { window: { name: "victim" } });
    await b.processes.launch(victim);
    const launch = b.inWindow("j", "exec sleep 60");
    await b.processes.launch(launch);
    const note = b.text("j", "terminal").replace(b.pane("j"), b.pane("v"));
    b.put(join("home", "jobs", "j", "terminal"), note);
    // We know better, and somebody who does not sees that the process there is another one.
    expect(await b.processes.tell(launch, "hello")).toBe("told");
    expect(await shimProcesses({ home: b.home }).tell(launch, "hello")).toBe("gone");
    await b.processes.kill(launch);
    await b.processes.kill(victim);
  });

  test("without a server nobody is told anything", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "exec sleep 60");
    await b.processes.launch(launch);
    await endServer(b, "kill-server");
    expect(await b.processes.tell(launch, "hello")).toBe("gone");
  });

  test.for<[string, string]>(
    sampled(1, [
      ["terminal.before-paste", ""],
      ["terminal.between-paste", "\u001b[200~hello\u001b[201~"],
      ["terminal.after-paste", "\u001b[200~hello\u001b[201~\r"],
    ]),
  )("whoever tells is killed at %s: %j has arrived", async ([point, arrived]) => {
    const b = tmuxBench();
    const launch = await rawProgram(b);
    const child = spawn(process.execPath, [actor, b.home.root, "tell", JSON.stringify(launch)], {
      env: { ...process.env, SIGNALBOX_FAILPOINT: point },
      stdio: "ignore",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    await until(() => got(b) === arrived);
    await exists(join(b.home.root, "..", "ready"));
    await b.processes.kill(launch);
  });
});
