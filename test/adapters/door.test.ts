/** The pipe at which commands of agents ask: whatever is said there, whoever is meant is answered, and nobody else is hurt. */
import { execFileSync, spawn, type ChildProcessByStdio } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as afterReading } from "node:timers/promises";
import type { Readable } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { openDoor } from "../../src/adapters/supervisor/door.ts";
import type { Call, Listening, Printed } from "../../src/adapters/supervisor/listen.ts";
import { until } from "../e2e/process-bench.ts";

const ASK = join(import.meta.dirname, "../../bin/ask.sh");

/** Says what it was asked, and as whom. */
const ECHO = ({ question }: Call): Promise<Printed> =>
  Promise.resolve({ code: 3, stdout: `${JSON.stringify(question)}\n`, stderr: "two\n\n  lines\n" });

type At = { readonly home: Home; readonly asks: string; readonly launcher: string; readonly door: Listening };

function doorFor(answer: (call: Call) => Promise<Printed | undefined>): At {
  const root = mkdtempSync(join(tmpdir(), "signalbox-door-"));
  const home = homeAt(root);
  const launcher = join(root, "launcher");
  writeAsk(root, "however long it takes");
  writeFileSync(
    launcher,
    `#!/bin/sh\nsb_home='${root}'\n. '${root}/ask.sh'\nprintf '%s ' itself "\${SIGNALBOX_ASKED-}" "$@"\n`,
    { mode: 0o700 },
  );
  writeFileSync(join(root, "supervisor.pid"), `${process.pid} 1 x\n`);
  const door = openDoor(home, answer);
  if (door === undefined) throw new Error("there is no door");
  onTestFinished(async () => {
    await door.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { home, asks: join(root, "asks"), launcher, door };
}

/**
 * How long a command waits for an answer. The moment of the real script may pass before a busy machine has read the question, and
 * the command then does the work itself: only tests about that moment use it.
 */
function writeAsk(root: string, waits: "a moment" | "however long it takes"): void {
  const moment = "command -p sleep 0.25 >&- 8>&-;";
  const text = readFileSync(ASK, "utf8");
  if (!text.includes(moment)) throw new Error(`${ASK} does not contain: ${moment}`);
  const patient = text.replace(moment, `while :; do ${moment} done;`);
  writeFileSync(join(root, "ask.sh"), waits === "a moment" ? text : patient);
}

function envOf({ home }: At, token = "t"): Record<string, string> {
  return { PATH: "/usr/bin:/bin", SIGNALBOX_HOME: home.root, SIGNALBOX_TOKEN: token, KEY: "secret" };
}

function ask(at: At, words: readonly string[], token = "t"): Promise<Printed> {
  const env = envOf(at, token);
  return heard(spawn(at.launcher, words, { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** By a line of shell, in which the launcher is `$0`. */
function askBy(at: At, line: string): Promise<Printed> {
  const env = envOf(at);
  return heard(spawn("sh", ["-c", line, at.launcher], { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"] }));
}

function heard(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Printed> {
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString()));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code: code ?? -1, stdout, stderr })));
}

/** How many `sleep` have it open. The name is read first: a shell that is about to become one closes the file with it. */
function sleepersWith(file: string): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "sleep") return false;
      return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file);
    } catch {
      // It has ended.
      return false;
    }
  }).length;
}

/** Returns when the door, which is read in this process, has read it: what comes next is not read together with it. */
async function knock({ asks }: At, text: string): Promise<void> {
  const fd = openSync(join(asks, "door"), constants.O_RDWR);
  writeSync(fd, text);
  closeSync(fd);
  // Between two of these, Node reads what is there.
  await afterReading();
  await afterReading();
}

describe.runIf(process.platform === "linux")("a door", () => {
  test("whoever asks is told what it would have printed, word for word", async () => {
    const at = doorFor(ECHO);
    const words = ["move", "a b", "", "--note", "line one\nline \\two $(id) `id` 'x' \"y\" é"];
    const { code, stdout, stderr } = await ask(at, words);
    expect([code, stderr]).toEqual([3, "two\n\n  lines\n"]);
    expect(JSON.parse(stdout)).toMatchObject({
      argv: words,
      cwd: "/",
      env: { SIGNALBOX_HOME: at.home.root, SIGNALBOX_TOKEN: "t" },
    });
    expect(stdout).not.toContain("secret");
    expect(readdirSync(at.asks)).toEqual(["door"]);
  });

  test.for<[string, string[], string, string]>([
    ["no token", ["move", "x"], "", "itself  move x "],
    ["another command", ["show"], "t", "itself  show "],
    ["what needs a text", ["submit", "plan", "-"], "t", "itself  submit plan - "],
    ["another part", ["task", "list"], "t", "itself  task list "],
    ["a word too few", ["task"], "t", "itself  task "],
    ["nothing", [], "t", "itself  "],
  ])("nobody is asked: %s", async ([, words, token, said]) => {
    const at = doorFor(ECHO);
    expect(await ask(at, words, token)).toEqual({ code: 0, stdout: said, stderr: "" });
  });

  test.for<[string, (call: Call) => Promise<Printed | undefined>]>([
    ["that is declined", () => Promise.resolve(undefined)],
    [
      "too long for a pipe",
      () => Promise.resolve({ code: 0, stdout: `${"x".repeat(70_000)}\n`, stderr: "" }),
    ],
    ["without an end of its line", () => Promise.resolve({ code: 0, stdout: "x", stderr: "" })],
    ["that fails", () => Promise.reject(new Error("no"))],
  ])("the program does it itself, and knows that it has asked: an answer %s", async ([, answer]) => {
    const at = doorFor(answer);
    expect(await ask(at, ["task", "stuck"])).toEqual({ code: 0, stdout: "itself 1 task stuck ", stderr: "" });
    expect(readdirSync(at.asks)).toEqual(["door"]);
  });

  test("a long answer comes whole", async () => {
    const stdout = Array.from({ length: 900 }, (_, n) => `${n} ${"é".repeat(20)}\n`).join("");
    const at = doorFor(() => Promise.resolve({ code: 0, stdout, stderr: "" }));
    expect(await ask(at, ["task", "update"])).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("whatever an answer is written in, it comes byte for byte", async () => {
    // Some shells use some of these bytes for themselves, and some readers take some of these characters for ends of lines.
    const letters = String.fromCharCode(...Array.from({ length: 0x700 }, (_, n) => 0x80 + n));
    const stdout = `\r\u2028 \u2029\v\f\\n %s $(id)\n\n${letters}\n  code 1\ncode 2\n \n`;
    const at = doorFor(() => Promise.resolve({ code: 7, stdout, stderr: stdout }));
    expect(await ask(at, ["move", "x"])).toEqual({ code: 7, stdout, stderr: stdout });
  });

  /** What is open, of what the launcher was given. */
  const OPEN = 'for n in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$n ] && printf "$n "; done >"$0.open"';

  test.for<[string, string, Partial<Printed>]>([
    ["input", '"$0" move x <&-', { code: 3, stderr: "two\n\n  lines\n" }],
    ["output", '"$0" move x >&-', { stdout: "" }],
    ["errors", '"$0" move x 2>&-', { stderr: "" }],
    ["everything", '"$0" move x <&- >&- 2>&-', { stdout: "", stderr: "" }],
  ])("whoever has closed its %s gets an end of the command", async ([, line, wanted]) => {
    expect(await askBy(doorFor(ECHO), line)).toMatchObject(wanted);
  });

  test("what was open stays open, and what is started meanwhile holds nothing of it", async () => {
    const at = doorFor(() => Promise.resolve(undefined));
    writeFileSync(at.launcher, `${readFileSync(at.launcher, "utf8")}${OPEN}\n`);
    await askBy(at, '"$0" move x 3</dev/null 4</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null');
    expect(readFileSync(`${at.launcher}.open`, "utf8")).toBe("0 1 2 3 4 6 7 8 9 ");
    const file = join(at.home.root, "out");
    for (const code of [0, 3]) {
      const on = code === 0 ? at : doorFor(ECHO);
      // A shell in between, so that whoever holds the file is no child of ours.
      await askBy(on, `"$0" move x >${file} 2>&1 4>&1 5>&1 6>&1 7>&1 8>&1 9>&1`);
      expect(sleepersWith(file)).toBe(0);
    }
  });

  test("what cannot be printed is left to the program, which knows what to say of it", async () => {
    const at = doorFor(ECHO);
    // Nobody reads it any more.
    const left = `mkfifo "$0.left"; exec 5<>"$0.left" 6>"$0.left" 5<&-; trap '' PIPE; "$0" move x >&6; echo "$?"`;
    const line = `${left}; "$0" move x >/dev/full; echo "$?"`;
    const { stdout, stderr } = await askBy(at, line);
    expect([stdout, stderr]).toEqual(["1\n1\n", expect.stringContaining("I/O error")]);
  });

  test("what is left of one of the same number is in the way once", async () => {
    const at = doorFor(ECHO);
    const line = 'mkfifo "${0%/*}/asks/$$"; exec "$0" move x';
    expect((await askBy(at, line)).stdout).toBe("itself  move x ");
    expect(readdirSync(at.asks)).toEqual(["door"]);
  });

  test("nobody waits for what stands in the place of the supervisor's number", async () => {
    const at = doorFor(ECHO);
    rmSync(join(at.home.root, "supervisor.pid"));
    execFileSync("mkfifo", [join(at.home.root, "supervisor.pid")]);
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself  move x ");
  });

  test("nobody waits at a door that is full, and who comes after what was half said is heard", async () => {
    const at = doorFor(ECHO);
    const door = join(at.asks, "door");
    renameSync(door, `${door}.away`);
    execFileSync("mkfifo", [door]);
    const fd = openSync(door, constants.O_RDWR | constants.O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(fd, "x".repeat(4096));
    }).toThrow("EAGAIN");
    writeAsk(at.home.root, "a moment");
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself 1 move x ");
    writeAsk(at.home.root, "however long it takes");
    closeSync(fd);
    renameSync(`${door}.away`, door);
    await knock(at, "9");
    expect((await ask(at, ["move", "x"])).code).toBe(3);
  });

  test("nobody is answered by a pipe that is not theirs, nor among more names than anybody means", async () => {
    let asked = 0;
    const at = doorFor((call) => {
      asked += 1;
      return ECHO(call);
    });
    const own = join(at.asks, String(process.pid));
    execFileSync("mkfifo", [own]);
    const fd = openSync(own, constants.O_RDWR | constants.O_NONBLOCK);
    await knock(at, `${"1\n".repeat(64)}${process.pid}\n`);
    expect((await ask(at, ["move", "x"])).code).toBe(3);
    expect(existsSync(own)).toBe(true);
    await knock(at, `${process.pid}\n`);
    await until(() => !existsSync(own));
    expect((await ask(at, ["move", "x"])).code).toBe(3);
    const said = Buffer.alloc(64);
    expect(said.toString("utf8", 0, readSync(fd, said))).toBe("declined\n");
    closeSync(fd);
    expect(asked).toBe(2);
  });

  test("whatever stands in the place of the door, it is left", async () => {
    const at = doorFor(ECHO);
    rmSync(join(at.asks, "door"));
    mkdirSync(join(at.asks, "door"));
    await at.door.close();
    expect(readdirSync(at.asks)).toEqual(["door"]);
  });

  test("whatever is said at the door, the next one is heard", async () => {
    const at = doorFor(ECHO);
    const own = join(at.asks, String(process.pid));
    for (const spoil of [
      (): void => writeFileSync(own, "mine"),
      (): void => symlinkSync(join(at.home.root, "launcher"), own),
      (): void => mkdirSync(own),
      // Nobody reads it.
      (): void => void execFileSync("mkfifo", [own]),
    ]) {
      spoil();
      await knock(at, `${process.pid}\n`);
      expect((await ask(at, ["move", "x"])).code).toBe(3);
      rmSync(own, { recursive: true });
    }
    for (const text of [
      "\n",
      "0\n",
      "-1\n",
      "../door\n",
      "door\n",
      "99999999999999\n",
      "\0\n",
      "x".repeat(9000),
      "\n",
    ])
      await knock(at, text);
    expect((await ask(at, ["move", "x"])).code).toBe(3);
    expect(readFileSync(at.launcher, "utf8")).toContain("itself");
    expect(readdirSync(at.asks)).toEqual(["door"]);
  });

  test("more than are answered at once do it themselves, and all others are answered", async () => {
    const gate = Promise.withResolvers<undefined>();
    let waiting = 0;
    const at = doorFor(async (call) => {
      waiting += 1;
      await gate.promise;
      return ECHO(call);
    });
    const early: number[] = [];
    const all = Array.from({ length: 12 }, async () => {
      const { code } = await ask(at, ["task", "complete"]);
      early.push(code);
      return code;
    });
    // Until all of the others have been turned away: one that comes after the gate was opened is answered.
    await until(() => waiting === 8 && early.length === 4);
    expect(early).toEqual([0, 0, 0, 0]);
    gate.resolve(undefined);
    expect((await Promise.all(all)).filter((code) => code === 3)).toHaveLength(8);
  });

  test("a door is left by nobody, and one that was left is opened anew", async () => {
    const at = doorFor(ECHO);
    await at.door.close();
    expect(readdirSync(at.asks)).toEqual([]);
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself  move x ");
    execFileSync("mkfifo", [join(at.asks, "door"), join(at.asks, "4194304")]);
    writeFileSync(join(at.asks, "4194303"), "somebody's");
    // One of a supervisor that was killed: nobody answers, and after a moment nobody waits any more.
    writeAsk(at.home.root, "a moment");
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself 1 move x ");
    writeAsk(at.home.root, "however long it takes");
    const again = openDoor(at.home, ECHO);
    onTestFinished(() => again?.close());
    expect(readdirSync(at.asks)).toEqual(["door"]);
    expect(existsSync(join(at.home.quarantine))).toBe(true);
    expect((await ask(at, ["move", "x"])).code).toBe(3);
  });
});
