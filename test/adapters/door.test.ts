/** The pipe at which commands of agents ask: whatever is said there, whoever is meant is answered, and nobody else is hurt. */
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  writeFileSync(
    launcher,
    `#!/bin/sh\nsb_home='${root}'\n. '${ASK}'\nprintf '%s ' itself "\${SIGNALBOX_ASKED-}" "$@"\n`,
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

function ask({ launcher, home }: At, words: readonly string[], token = "t"): Promise<Printed> {
  const env = { PATH: "/usr/bin:/bin", SIGNALBOX_HOME: home.root, SIGNALBOX_TOKEN: token, KEY: "secret" };
  const child = spawn(launcher, words, { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString()));
  child.stderr.on("data", (part: Buffer) => (stderr += part.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code: code ?? -1, stdout, stderr })));
}

function knock({ asks }: At, text: string): void {
  const fd = openSync(join(asks, "door"), constants.O_RDWR);
  writeSync(fd, text);
  closeSync(fd);
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
      knock(at, `${process.pid}\n`);
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
      knock(at, text);
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
    const all = Array.from({ length: 12 }, () => ask(at, ["task", "complete"]));
    await until(() => waiting === 8);
    const early = await Promise.all([Promise.race(all), Promise.race(all)]);
    gate.resolve(undefined);
    const codes = (await Promise.all(all)).map(({ code }) => code);
    expect(early[0]).toMatchObject({ code: 0 });
    expect([codes.filter((code) => code === 3).length, codes.filter((code) => code === 0).length]).toEqual([
      8, 4,
    ]);
  });

  test("a door is left by nobody, and one that was left is opened anew", async () => {
    const at = doorFor(ECHO);
    await at.door.close();
    expect(readdirSync(at.asks)).toEqual([]);
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself  move x ");
    execFileSync("mkfifo", [join(at.asks, "door"), join(at.asks, "4194304")]);
    writeFileSync(join(at.asks, "4194303"), "somebody's");
    // One of a supervisor that was killed: nobody answers, and after a moment nobody waits any more.
    expect((await ask(at, ["move", "x"])).stdout).toBe("itself 1 move x ");
    const again = openDoor(at.home, ECHO);
    onTestFinished(() => again?.close());
    expect(readdirSync(at.asks)).toEqual(["door"]);
    expect(existsSync(join(at.home.quarantine))).toBe(true);
    expect((await ask(at, ["move", "x"])).code).toBe(3);
  });
});
