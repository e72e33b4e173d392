/** What becomes of the server that has the terminals: it is ended, cannot be reached, is not there at all. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import { paneHealth } from "../../src/adapters/terminal/health.ts";
import { findPlace, makePlace } from "../../src/adapters/terminal/place.ts";
import { ECHO, endServer, hasTmux, tellsAndHears, tmuxBench } from "../support/tmux.ts";
import { carriers, isAlive, until } from "./process-bench.ts";
import { sampled } from "../support/sampled.ts";

const actor = fileURLToPath(new URL("terminal-actor.ts", import.meta.url));

describe.skipIf(!hasTmux)("the server", () => {
  test("stands still: whoever looks is told so, and does not stand still, too", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", `echo begun; ${ECHO}`);
    await b.processes.launch(launch);
    await b.logged("j", "begun");
    const pid = b.serverPid();
    process.kill(pid, "SIGSTOP");
    try {
      await expect(paneHealth(b.home)).rejects.toThrow("did not answer within");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    expect((await paneHealth(b.home))?.size).toBe(1);
    await b.processes.kill(launch);
  });

  test.for<[how: "kill-server" | NodeJS.Signals, script: string]>(
    sampled(3, [
      ["kill-server", ECHO],
      ["SIGKILL", ECHO],
      ["SIGTERM", ECHO],
      ["kill-server", "trap '' HUP; echo ready; while :; do sleep 0.1; done"],
      ["kill-server", "trap 'exit 3' HUP; echo ready; while :; do sleep 0.1; done"],
    ]),
  )("is ended by %s: infrastructure (%s)", async ([how, script]) => {
    const b = tmuxBench();
    const launch = b.inWindow("j", `echo begun; ${script}`);
    await b.processes.launch(launch);
    await b.logged("j", "begun");
    if (script !== ECHO) await b.logged("j", "ready");
    const stranger = shimProcesses({ home: b.home, startingMs: 0 });
    // Looked at as early as possible: also a server that is about to end counts as gone.
    const pid = b.serverPid();
    if (how === "kill-server") b.tmux(how);
    else process.kill(pid, how);
    await until(() => b.processes.probe(launch.dir).type !== "alive");
    const lost = { type: "lost", infrastructure: true };
    expect(b.processes.probe(launch.dir)).toEqual(lost);
    await until(() => !isAlive(pid));
    expect([b.processes, stranger].map((each) => each.probe(launch.dir))).toEqual([lost, lost]);
    await b.processes.kill(launch);
    expect(carriers(launch.dir)).toEqual([]);
    expect([b.processes, stranger].map((each) => each.probe(launch.dir))).toEqual([lost, lost]);
    // The next one gets a new server, and the lost one stays lost.
    const next = b.inWindow("k", ECHO);
    await b.processes.launch(next);
    await tellsAndHears(b, next, "anew");
    expect(b.processes.probe(launch.dir)).toEqual(lost);
    await b.processes.kill(next);
  });

  test.for<[act: string, point: string]>(
    sampled(2, [
      ["kill", "process.after-kill"],
      ["kill", "terminal.before-remove"],
      ["kill", "terminal.after-remove"],
      ["close", "terminal.before-close"],
      ["close", "terminal.before-remove"],
      ["close", "terminal.after-close"],
    ]),
  )("whoever does %s is killed at %s: the next one comes to the same end", async ([act, point]) => {
    const b = tmuxBench();
    const launch = b.inWindow("j", ECHO);
    await b.run(b.inWindow("before", "exit 0", { window: { name: "before" } }));
    await b.processes.launch(launch);
    if (act === "close") await b.processes.kill(launch);
    const server = b.serverPid();
    const child = spawn(process.execPath, [actor, b.home.root, act, JSON.stringify(launch)], {
      env: { ...process.env, SIGNALBOX_FAILPOINT: point },
      stdio: "ignore",
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const next = shimProcesses({ home: b.home, graceMs: 300 });
    await next.kill(launch);
    expect(next.probe(launch.dir)).toMatchObject({ type: "ended" });
    expect(carriers(launch.dir)).toEqual([]);
    await next.close("run-1");
    await until(() => !isAlive(server));
    expect(next.probe(launch.dir)).toMatchObject({ type: "ended" });
  });

  test("what had ended before the server did has ended", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", "exit 4");
    expect(await b.run(launch)).toBe(4);
    const killed = b.inWindow("k", ECHO);
    await b.processes.launch(killed);
    await b.processes.kill(killed);
    const before = b.processes.probe(killed.dir);
    expect(before.type).toBe("ended");
    await endServer(b, "kill-server");
    expect(b.processes.probe(launch.dir)).toEqual({ type: "ended", code: 4 });
    expect(b.processes.probe(killed.dir)).toEqual(before);
  });

  test("its socket is tidied away: it is there again", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", ECHO);
    await b.processes.launch(launch);
    const server = b.serverPid();
    rmSync(b.socket());
    await tellsAndHears(b, launch, "told");
    rmSync(b.socket());
    const second = b.inWindow("k", "exit 5", { window: { name: "second" } });
    expect(await b.run(second)).toBe(5);
    rmSync(b.socket());
    expect(b.processes.probe(second.dir)).toEqual({ type: "ended", code: 5 });
    expect(b.serverPid()).toBe(server);
    rmSync(b.home.terminals, { recursive: true });
    await tellsAndHears(b, launch, "all");
    expect(b.serverPid()).toBe(server);
    rmSync(b.socket());
    await b.processes.kill(launch);
    expect(b.processes.probe(launch.dir)).toMatchObject({ type: "ended" });
  });

  test("a state home with a long path has its socket in a private folder", async () => {
    const short = realpathSync(mkdtempSync(join(tmpdir(), "r-")));
    onTestFinished(() => rmSync(short, { recursive: true, force: true }));
    const root = join(short, "x".repeat(120), "home");
    const home = homeAt(root);
    const env = { ...process.env, XDG_RUNTIME_DIR: short };
    expect(findPlace(home)).toBeUndefined();
    const { socket } = makePlace(home, env);
    onTestFinished(() => void spawnSync("tmux", ["-S", socket, "kill-server"]));
    expect([Buffer.byteLength(socket) <= 100, dirname(dirname(socket))]).toEqual([true, short]);
    expect((statSync(dirname(socket)).mode & 0o777).toString(8)).toBe("700");
    // Whoever comes later with another environment finds the same.
    expect([findPlace(home)?.socket, makePlace(home, {}).socket]).toEqual([socket, socket]);
    const processes = shimProcesses({ home, env });
    const b = tmuxBench();
    const launch = { ...b.inWindow("j", "exit 6"), dir: join(root, "jobs", "j") };
    await processes.launch(launch);
    await until(() => processes.probe(launch.dir).type === "ended");
    expect(processes.probe(launch.dir)).toEqual({ type: "ended", code: 6 });
    // Somebody else could have made it.
    chmodSync(dirname(socket), 0o777);
    expect(findPlace(home)).toBeUndefined();
    expect(makePlace(home, { XDG_RUNTIME_DIR: short }).socket).not.toBe(socket);
    chmodSync(dirname(socket), 0o700);
    rmSync(dirname(makePlace(home, {}).socket), { recursive: true, force: true });
  });

  test("without tmux there are no terminals, and whoever wants one is told what to do", async () => {
    const b = tmuxBench({ env: { PATH: "/no/such/folder" } });
    expect(b.processes.hasTerminals()).toBe(false);
    const launch = b.inWindow("j", "exit 0");
    await expect(b.processes.launch(launch)).rejects.toThrow("tmux");
    expect(b.processes.probe(launch.dir)).toEqual({ type: "absent" });
    await b.processes.close("run-1");
    const { terminal: window } = launch;
    // It was there when the agent was started, and is there no longer.
    const live = b.inWindow("k", "read x; exit 4");
    const before = shimProcesses({ home: b.home });
    await before.launch(live);
    expect(b.processes.probe(live.dir)).toMatchObject({ type: "alive" });
    await expect(b.processes.tell(live, "hello")).rejects.toThrow("tmux");
    expect(await paneHealth(b.home, { PATH: "" })).toBeUndefined();
    expect(await before.tell(live, "hello")).toBe("told");
    await until(() => b.processes.probe(live.dir).type === "ended");
    await b.processes.close(window?.session ?? "");
    const { terminal: _, ...plain } = launch;
    expect(await b.run(plain)).toBe(0);
  });

  test("nobody's own configuration or environment is read", async () => {
    const b = tmuxBench();
    const home = join(b.home.root, "..", "person");
    mkdirSync(home);
    b.put("person/.tmux.conf", "run-shell 'touch evil'\n");
    const processes = shimProcesses({ home: b.home, env: { ...process.env, HOME: home, SECRET: "x" } });
    const launch = b.inWindow("j", ECHO);
    await processes.launch(launch);
    expect(b.tmux("show-environment", "-g")).not.toContain("SECRET");
    expect(b.tmux("show-options", "-gwv", "remain-on-exit")).toBe("on");
    expect(readFileSync(`/proc/${b.serverPid()}/environ`, "utf8")).not.toContain("SECRET");
    await processes.kill(launch);
  });
});
