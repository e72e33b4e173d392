/** Programs in windows: what they get, how they end, what is logged, and that each is started once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { markOf } from "../../src/adapters/process/marker.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import { paneHealth } from "../../src/adapters/terminal/health.ts";
import { hasTmux, tmuxBench } from "../support/tmux.ts";
import { carriers, exists, until } from "./process-bench.ts";
import { sampled } from "../support/sampled.ts";

const launcher = fileURLToPath(new URL("process-launcher.ts", import.meta.url));
const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

describe.skipIf(!hasTmux)("in a window", () => {
  test.for<[string, number]>(
    sampled(3, [
      ["exit 0", 0],
      ["exit 3", 3],
      ["kill -KILL $$", 137],
      ["kill -TERM 0", 143],
      ["exec /no/such/program", 127],
    ]),
  )("%s ends with %i", async ([script, code]) => {
    const b = tmuxBench();
    expect(b.processes.hasTerminals()).toBe(true);
    expect(await b.run(b.inWindow("j", script))).toBe(code);
    expect(b.text("j", "exit")).toBe(`${code}\n`);
    await exists(join(b.home.exits, "j"));
    expect(b.processes.reported()).toEqual(["j"]);
    // One who has only the folder and the server to go by.
    expect(shimProcesses({ home: b.home }).probe(b.dir("j"))).toEqual({ type: "ended", code });
    await b.processes.kill({ id: "j", dir: b.dir("j") });
    expect(b.processes.probe(b.dir("j"))).toEqual({ type: "ended", code });
    // To be read.
    const health = await paneHealth(b.home);
    expect(health?.get("run-1")).toMatchObject({
      attached: 0,
      windows: [{ job: "j", isDead: true, status: code }],
    });
  });

  test("the first byte is in the log, however many come at once, and each has its name", async () => {
    const b = tmuxBench();
    const names = Array.from({ length: 12 }, (_, n) => `j${n}`);
    await Promise.all(
      names.map((name) => b.processes.launch(b.inWindow(name, `printf '${name} begins\n'; sleep 5`))),
    );
    for (const name of names) await until(() => b.text(name, "out.log") === `${name} begins\r\n`);
    const windows = (await paneHealth(b.home))?.get("run-1")?.windows ?? [];
    expect(windows.map(({ job }) => job).toSorted()).toEqual(names.toSorted());
    expect(windows.filter(({ name }) => name.startsWith("opening"))).toEqual([]);
  });

  test("the environment is exactly what was given, and what the terminal says", async () => {
    const b = tmuxBench({
      env: {
        ...process.env,
        LANG: "C.UTF-8",
        LC_SERVER: "x\nexport PATH=/no\nexport 1=;exit",
        SECRET_OF_SERVER: "y",
      },
    });
    const env = {
      A: "1",
      EMPTY: "",
      LINES_: "a\nb\n",
      QUOTES: "'\"$(id)`id`\\#(id)#{pid}%d",
      code: "c",
      PATH: "/usr/bin:/bin",
      IFS: "Z",
      TERM: "dumb",
      TMUX: "/no/such/socket,1,0",
      "no-name": "x",
    };
    const argv = ["/bin/sh", "-c", "env -0 >env; ps -o args= -e >ps"];
    expect(await b.run(b.inWindow("j", "", { argv, env }))).toBe(0);
    const seen = readFileSync(join(b.home.root, "..", "env"), "utf8")
      .split("\0")
      .slice(0, -1)
      .sort();
    const { IFS: _, "no-name": _1, ...handed } = env;
    const expected = {
      ...handed,
      SIGNALBOX_JOB: "j",
      SIGNALBOX_JOB_MARK: markOf(b.dir("j")),
      PWD: join(b.home.root, ".."),
      TERM: "screen-256color",
      TMUX: `${b.socket()},${b.serverPid()},0`,
      TMUX_PANE: b.pane("j") === "" ? "%0" : b.pane("j"),
    };
    expect(seen).toEqual(
      Object.entries(expected)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
    expect(readdirSync(b.dir("j")).filter((name) => name.startsWith("window."))).toEqual([]);
  });

  test("no secret is ever an argument of anybody", async () => {
    const b = tmuxBench();
    const secret = `secret-${Math.random()}`;
    const over = new AbortController();
    const seen: string[] = [];
    const watch = (async () => {
      while (!over.signal.aborted) {
        seen.push(...commandLines().filter((line) => line.includes(secret)));
        await new Promise(setImmediate);
      }
    })();
    for (const id of ["a", "b", "c"])
      await b.run(b.inWindow(id, "exit 0", { env: { SIGNALBOX_TOKEN: secret, PATH: "/usr/bin:/bin" } }));
    over.abort();
    await watch;
    expect(seen).toEqual([]);
  });

  test("arguments arrive byte for byte, also very long ones", async () => {
    const b = tmuxBench();
    const hostile = [
      "",
      " ",
      "'",
      '"',
      "$(touch x)",
      "`id`",
      "\n\n",
      "\\",
      "-n",
      ";",
      "#(touch x)",
      "é\t",
      "x".repeat(100_000),
    ];
    const argv = ["/bin/sh", "-c", 'printf "%s\\0" "$@" >args', "sh", ...hostile];
    expect(await b.run(b.inWindow("j", "", { argv }))).toBe(0);
    const root = join(b.home.root, "..");
    expect(readFileSync(join(root, "args"), "utf8").split("\0").slice(0, -1)).toEqual(hostile);
    expect(existsSync(join(root, "x"))).toBe(false);
  });

  test("names of folders and files may be hostile", async () => {
    const b = tmuxBench();
    const cwd = join(b.home.root, "a 'b\"\n$(c) ; * #(touch evil) #{pid} %H %%");
    mkdirSync(cwd, { recursive: true });
    const stdin = join(cwd, "in\nput");
    writeFileSync(stdin, "hello");
    const launch = { ...b.inWindow("j", "pwd >at; cat"), cwd, stdin, dir: join(cwd, "job folder") };
    expect(await b.run(launch)).toBe(0);
    expect(readFileSync(join(cwd, "at"), "utf8")).toBe(`${cwd}\n`);
    await until(() => readFileSync(join(launch.dir, "out.log"), "utf8").includes("hello"));
    await b.processes.kill(launch);
  });

  test("the terminal is there for input and output, and the log has both kinds", async () => {
    const b = tmuxBench();
    const launch = b.inWindow(
      "j",
      'test -t 0 && test -t 1 && test -t 2 && echo out && echo err >&2 && read x && echo "got $x"',
    );
    await b.processes.launch(launch);
    await b.logged("j", "out\r\nerr\r\n");
    expect(await b.processes.tell(launch, "hello")).toBe("told");
    await b.logged("j", "got hello");
    expect((statSync(b.file("j", "out.log")).mode & 0o777).toString(8)).toBe("600");
  });

  test("nothing of what a short program says is missing", async () => {
    const b = tmuxBench();
    const count = isDeep ? 200 : 16;
    const ids = Array.from({ length: count }, (_, at) => `j${at}`);
    for (let from = 0; from < count; from += 8) {
      const some = ids.slice(from, from + 8);
      const run = (id: string): Promise<number> =>
        b.run(b.inWindow(id, `echo said-${id}.`, { window: { name: id } }));
      expect(await Promise.all(some.map(run))).toEqual(some.map(() => 0));
    }
    for (const id of ids) await b.logged(id, `said-${id}.`);
    expect((await paneHealth(b.home))?.get("run-1")?.windows).toHaveLength(count);
  });

  test("much output is kept whole, and the log can be cut meanwhile", async () => {
    const b = tmuxBench({ logBytesMax: 1000 });
    const launch = b.inWindow("j", "seq 1 20000; echo end.; read x; echo after; read x");
    await b.processes.launch(launch);
    const log = await b.logged("j", "end.");
    expect(log.split("\r\n").slice(0, 20_000)).toEqual(
      Array.from({ length: 20_000 }, (_, at) => String(at + 1)),
    );
    b.processes.rotate(launch.dir);
    expect(b.text("j", "out.log")).toBe("");
    expect(b.text("j", "out.log.1")).toContain("end.");
    await b.processes.tell(launch, "");
    await b.logged("j", "after");
    expect(b.text("j", "out.log")).not.toContain("\0");
  });

  test("many launches from many processes start one program", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", `echo started >>"${b.home.root}/starts"; exec sleep 60`);
    const own = Array.from({ length: 5 }, () => b.processes.launch(launch));
    const others = Array.from({ length: isDeep ? 10 : 3 }, () => {
      const child = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
        stdio: "ignore",
      });
      return once(child, "exit");
    });
    const answers = await Promise.all(own);
    await Promise.all(others);
    expect(new Set(answers.map((seen) => JSON.stringify({ ...seen, outputAt: 0 }))).size).toBe(1);
    expect(carriers(launch.dir)).toHaveLength(2);
    await b.processes.launch(launch);
    expect(readFileSync(join(b.home.root, "starts"), "utf8")).toBe("started\n");
    expect(await b.processes.tell(launch, "hello")).toBe("told");
    await b.processes.kill(launch);
    expect(carriers(launch.dir)).toEqual([]);
    expect(b.processes.probe(launch.dir)).toMatchObject({ type: "ended" });
  });

  test.for(sampled(1, ["terminal.before-window", "terminal.after-window"]))(
    "a launcher that is killed at %s: one program in the end",
    async (point) => {
      const b = tmuxBench();
      const launch = b.inWindow("j", `echo started >>"${b.home.root}/starts"; exec sleep 60`);
      const killed = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
        env: { ...process.env, SIGNALBOX_FAILPOINT: point },
        stdio: "ignore",
      });
      expect(await once(killed, "exit")).toEqual([null, "SIGKILL"]);
      expect(await b.processes.launch(launch)).toMatchObject({ type: "alive" });
      await exists(join(b.home.root, "starts"));
      expect(readFileSync(join(b.home.root, "starts"), "utf8")).toBe("started\n");
      expect(carriers(launch.dir)).toHaveLength(2);
      await b.processes.kill(launch);
      expect(readdirSync(launch.dir).filter((name) => name.startsWith("window."))).toEqual([]);
    },
  );

  test.for<[string, string]>(
    sampled(2, [
      ["after-claim", "lost"],
      ["after-pid", "lost"],
      ["before-exit", "lost"],
      ["after-exit", "lost"],
    ]),
  )("a shim killed %s: %s, and nobody starts it again", async ([point, type]) => {
    const b = tmuxBench({ startingMs: 100 });
    const launch = b.inWindow("j", "printf ran");
    const other = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
      env: { ...process.env, SIGNALBOX_SHIM_FAILPOINT: point },
      stdio: "ignore",
    });
    await once(other, "exit");
    await until(() => b.processes.probe(launch.dir).type === type);
    expect(await b.processes.launch(launch)).toEqual({ type, infrastructure: false });
    await b.processes.kill(launch);
    expect(b.processes.probe(launch.dir)).toEqual({ type, infrastructure: false });
    expect(carriers(launch.dir)).toEqual([]);
  });

  test("a forged exit status is none, whoever looks", async () => {
    const b = tmuxBench();
    const launch = b.inWindow("j", 'echo 0 >"$F/exit"; kill -9 $PPID', {
      env: { PATH: "/usr/bin:/bin", F: b.dir("j") },
    });
    await b.processes.launch(launch);
    await until(() => b.processes.probe(launch.dir).type === "lost");
    expect(shimProcesses({ home: b.home }).probe(launch.dir)).toEqual({
      type: "lost",
      infrastructure: false,
    });
    await b.processes.kill(launch);
    expect(existsSync(b.file("j", "exit"))).toBe(false);
    expect(shimProcesses({ home: b.home }).probe(launch.dir)).toEqual({
      type: "lost",
      infrastructure: false,
    });
  });
});

function commandLines(): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "utf8")] : [];
    } catch {
      // It has ended.
      return [];
    }
  });
}
