/** What people do to terminals: nothing of it confuses anybody. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import { attachArgs, paneHealth } from "../../src/adapters/terminal/health.ts";
import { sessionName, windowName } from "../../src/adapters/terminal/names.ts";
import { ECHO, hasTmux, tellsAndHears, tmuxBench, type TmuxBench } from "../support/tmux.ts";
import { carriers, endIfThere, isAlive, until } from "./process-bench.ts";
import { sampled } from "../support/sampled.ts";

/** Somebody at another terminal, which is a tmux as well. */
function person(b: TmuxBench): {
  run(argv: readonly string[]): void;
  keys(...keys: readonly string[]): void;
} {
  const outer = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-L", "x", "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: "pipe",
      env: { PATH: process.env["PATH"] ?? "", TMUX_TMPDIR: join(b.home.root, "..") },
    });
  onTestFinished(() => void outer("kill-server"));
  return {
    run: (argv) =>
      void outer(
        "new-session",
        "-d",
        "-x",
        "91",
        "-y",
        "31",
        ...argv,
        ";",
        "set",
        "-g",
        "remain-on-exit",
        "on",
      ),
    keys: (...keys) => void outer("send-keys", ...keys),
  };
}

describe.skipIf(!hasTmux)("people", () => {
  test("read what a program left, also on a smaller terminal", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "echo last words; exit 3");
    expect(await b.run(launch)).toBe(3);
    await until(() => b.tmux("display-message", "-p", "-t", b.pane("j"), "#{pane_dead}") === "1");
    b.tmux("resize-window", "-t", b.pane("j"), "-x", "90", "-y", "20");
    expect(b.tmux("capture-pane", "-p", "-t", b.pane("j"))).toContain("last words");
    const status = b.tmux("display-message", "-p", "-t", b.pane("j"), "#{T:status-right}");
    expect(status).toBe("ended: exit code 3");
  });

  test("rename, resize, scroll, attach, detach, move, link, close the others", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", ECHO);
    await b.processes.launch(launch);
    const other = b.inWindow("k", ECHO, { window: { name: "reviewer" } });
    await b.processes.launch(other);
    const run2 = b.inWindow("l", ECHO, { window: { session: "run-2", title: "project/other" } });
    await b.processes.launch(run2);
    const session = b.tmux("display-message", "-p", "-t", b.pane("j"), "#{session_id}");
    const server = b.serverPid();
    expect(b.tmux("list-sessions", "-F", "#{session_name}").split("\n")).toEqual([
      "project/branch~run-1",
      "project/other~run-2",
    ]);
    b.tmux("rename-session", "-t", session, "project/other");
    b.tmux("rename-window", "-t", b.pane("j"), "a | b $(x)");
    await tellsAndHears(b, launch, "renamed");
    b.tmux("resize-window", "-t", b.pane("j"), "-x", "40", "-y", "10");
    b.tmux("copy-mode", "-t", b.pane("k"));
    await tellsAndHears(b, launch, "resized");
    await tellsAndHears(b, other, "scrolled");

    const env = { ...process.env, TMUX: "/no/such,1,0" };
    const argv = await attachArgs({ home: b.home, env }, { run: "run-1", window: "reviewer" });
    const ada = person(b);
    ada.run(argv ?? []);
    await until(
      () =>
        b.tmux("list-clients", "-F", "#{session_id} #{pane_id} #{client_width}") ===
        `${session} ${b.pane("k")} 91`,
    );
    expect((await paneHealth(b.home))?.get("run-1")).toEqual({
      session,
      attached: 1,
      windows: [
        { job: "j", name: "a | b $(x)", isDead: false, status: undefined },
        { job: "k", name: "reviewer", isDead: false, status: undefined },
      ],
    });
    await tellsAndHears(b, launch, "attached");
    // Nobody's window changes because of another one.
    const late = b.inWindow("m", ECHO, { window: { name: "late" } });
    await b.processes.launch(late);
    expect(b.tmux("list-clients", "-F", "#{pane_id}")).toBe(b.pane("k"));
    ada.keys("C-b", "d");
    await until(() => b.tmux("list-clients") === "");
    await tellsAndHears(b, launch, "detached");

    // Into the session of another run, which is closed while it is there.
    b.tmux("move-window", "-s", b.pane("j"), "-t", "project/other~run-2:");
    b.tmux("link-window", "-s", b.pane("k"), "-t", "project/other~run-2:");
    await tellsAndHears(b, launch, "moved");
    await b.processes.kill(run2);
    await b.processes.close("run-2");
    await tellsAndHears(b, launch, "spared");
    await tellsAndHears(b, other, "spared");
    b.tmux("kill-session", "-a", "-t", b.tmux("display-message", "-p", "-t", b.pane("k"), "#{session_id}"));
    await tellsAndHears(b, other, "left");

    for (const each of [launch, other, late]) await b.processes.kill(each);
    await b.processes.close("run-1");
    await until(() => !isAlive(server));
    expect(await paneHealth(b.home)).toBeUndefined();
    expect(await attachArgs({ home: b.home, env }, { run: "run-1" })).toBeUndefined();
  });

  test.for<[string, (b: TmuxBench) => void]>(
    sampled(2, [
      ["a window", (b) => void b.tmux("kill-window", "-t", b.pane("j"))],
      ["a window over one that ends well then", (b) => void b.tmux("kill-window", "-t", b.pane("j"))],
      ["a session", (b) => void b.tmux("kill-session", "-t", b.pane("j"))],
      ["the agent", (b) => process.kill(Number(b.text("j", "pid").split("\n")[0]), "SIGKILL")],
      ["everything of it", (b) => carriers(b.dir("j")).forEach(endIfThere)],
    ]),
  )("who kills %s has killed the agent", async ([what, kill]) => {
    const b = tmuxBench();
    const launch = b.inWindow("j", what.includes("ends well") ? "trap 'exit 0' HUP; read x; exit 0" : ECHO);
    await b.processes.launch(launch);
    const server = b.serverPid();
    const stranger = shimProcesses({ home: b.home });
    kill(b);
    await until(() => b.processes.probe(launch.dir).type !== "alive");
    const seen = [b.processes, stranger].map((each) => each.probe(launch.dir));
    const lost = { type: "lost", infrastructure: false };
    expect(seen).toEqual([lost, lost]);
    await b.processes.kill(launch);
    expect(carriers(launch.dir)).toEqual([]);
    expect(stranger.probe(launch.dir)).toEqual(seen[1]);
    // The server lives, also without any window, until the run is over.
    const next = b.inWindow("k", ECHO);
    await b.processes.launch(next);
    await tellsAndHears(b, next, "again");
    expect(b.serverPid()).toBe(server);
    await b.processes.kill(next);
    await b.processes.close("run-1");
    await until(() => !isAlive(server));
  });

  test("a window that is closed over a program that does not mind", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "trap '' HUP; echo ready; while :; do sleep 0.1; done");
    const other = b.inWindow("k", ECHO, { window: { session: "run-2" } });
    await b.processes.launch(launch);
    await b.processes.launch(other);
    await b.logged("j", "ready");
    b.tmux("kill-window", "-t", b.pane("j"));
    await until(() => b.processes.probe(launch.dir).type === "lost");
    expect(b.processes.probe(launch.dir)).toEqual({ type: "lost", infrastructure: false });
    expect(carriers(launch.dir).length).toBeGreaterThan(0);
    await b.processes.kill(launch);
    expect(carriers(launch.dir)).toEqual([]);
    expect(b.processes.probe(launch.dir)).toEqual({ type: "lost", infrastructure: false });
  });

  test("a dead window stays until its role is started again", async () => {
    const b = tmuxBench();
    const windows = async (): Promise<unknown> =>
      (await paneHealth(b.home))?.get("run-1")?.windows.map(({ job, isDead }) => [job, isDead]);
    await b.run(b.inWindow("one", "exit 0"));
    await b.run(b.inWindow("two", "exit 1", { window: { name: "reviewer" } }));
    await b.processes.kill({ id: "one", dir: b.dir("one") });
    expect(await windows()).toEqual([
      ["one", true],
      ["two", true],
    ]);
    const third = b.inWindow("three", ECHO);
    await b.processes.launch(third);
    expect(await windows()).toEqual([
      ["two", true],
      ["three", false],
    ]);
    // One that we end goes with its window, unless somebody would be thrown out of the session.
    await b.processes.kill(third);
    expect(await windows()).toEqual([["two", true]]);
    const fourth = b.inWindow("four", ECHO, { window: { name: "reviewer" } });
    await b.processes.launch(fourth);
    expect(await windows()).toEqual([["four", false]]);
    await b.processes.kill(fourth);
    expect(await windows()).toEqual([["four", true]]);
    expect(b.processes.probe(fourth.dir)).toMatchObject({ type: "ended" });
  });

  test.for(sampled(1, [0, 1]))("titles and names are only text (%i)", async (at) => {
    const b = tmuxBench();
    const evil = join(b.home.root, "..", "evil");
    const hostile = [
      `$(touch ${evil})`,
      `\`touch ${evil}\``,
      `; touch ${evil};`,
      `#(touch ${evil})`,
      "#{pid}",
      "#[fg=red]",
      "-d",
      "--",
      "é\u{1F686}日本",
      "a\nb",
      "a.b:c=d",
      "$1",
      "@1",
      "%1",
      "",
      " ",
      "\u001b[31m",
      "x".repeat(10_240),
      "~run-1",
      "!",
      "{last}",
    ].filter((_, index) => index % 2 === at);
    const launches = hostile.map((text, index) =>
      b.inWindow(`j${index}`, "exit 0", { window: { title: text, name: text, session: `run${index}` } }),
    );
    await Promise.all(launches.map((launch) => b.run(launch)));
    await b.processes.kill({ id: "j0", dir: b.dir("j0") });
    expect(existsSync(evil)).toBe(false);
    const names = b.tmux("list-windows", "-a", "-F", "#{session_name} #{window_name}").split("\n");
    expect(names).toHaveLength(hostile.length);
    for (const name of names)
      expect(name).toMatch(
        /^[\p{L}\p{N}/_][\p{L}\p{N}/_-]{0,59}~run\d+ [\p{L}\p{N}/_][\p{L}\p{N}/_-]{0,39}$/u,
      );
    expect((await paneHealth(b.home))?.size).toBe(hostile.length);
  });

  test("a session that has our name is not ours", async () => {
    const b = tmuxBench();
    await b.run(b.inWindow("j", "exit 0", { window: { session: "run-2" } }));
    b.tmux(
      "new-session",
      "-d",
      "-s",
      sessionName({ session: "run-1", title: "project/branch", name: "" }),
      "cat",
    );
    const launch = b.inWindow("k", ECHO);
    await b.processes.launch(launch);
    await tellsAndHears(b, launch, "here");
    await b.processes.kill(launch);
    await b.processes.close("run-1");
    expect(b.tmux("list-sessions", "-F", "#{session_name}").split("\n")).toContain("project/branch~run-1");
  });

  test("names", () => {
    const window = { session: "r-1", title: "my app/fix-#12~r-1", name: "worker (claude)" };
    expect([sessionName(window), windowName(window)]).toEqual(["my-app/fix--12~r-1", "worker-claude-"]);
  });
});
