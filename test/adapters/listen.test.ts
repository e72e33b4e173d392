/** The socket of the supervisor: who asks there, what is not believed, and what does not harm it. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { listen, type Call, type Limits, type Printed } from "../../src/adapters/supervisor/listen.ts";
import { asking } from "../support/asking.ts";
import { isAskedBy, questionOf } from "../../src/adapters/supervisor/question.ts";
import {
  isAskable,
  keyOfProcess,
  socketIn,
  TEXT_BYTES_MAX,
  type Question,
} from "../../src/adapters/supervisor/wire.ts";

const LIMITS: Limits = { questionMs: 150, textMs: 150, answerMs: 150, atOnce: 2 };
const ECHO = (call: Call): Promise<Printed> =>
  Promise.resolve({ code: 0, stdout: JSON.stringify(call.question), stderr: "" });

function homeIn(...names: readonly string[]): Home {
  const root = mkdtempSync(join(tmpdir(), "sb-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homeAt(join(root, ...names));
  mkdirSync(home.root, { recursive: true, mode: 0o700 });
  return home;
}

async function listening(
  answer: (call: Call) => Promise<Printed | undefined> = ECHO,
  limits: Partial<Limits> = {},
): Promise<Home> {
  const home = homeIn("state");
  const server = await listen(home, answer, { ...LIMITS, ...limits });
  onTestFinished(() => server?.close());
  expect(server).toBeDefined();
  return home;
}

/** Says this, and gives all that is answered until the end of the connection. */
function talk(home: Home, say: (socket: Socket) => void): Promise<string> {
  const socket = connect(socketIn(home.root) ?? "");
  let heard = "";
  socket.setEncoding("utf8");
  socket.on("data", (part: string) => (heard += part));
  socket.on("error", () => undefined);
  say(socket);
  return new Promise((done) => socket.once("close", () => done(heard)));
}

const PATIENTLY = { timeout: 20_000, interval: 10 };
const ask = (home: Home): Promise<string> => talk(home, (socket) => socket.write('"hello"\n'));
const TAKEN = '{"type":"taken"}\n';
const ECHOED = `${TAKEN}{"type":"printed","code":0,"stdout":"\\"hello\\"","stderr":""}\n`;
const DECLINED = `${TAKEN}{"type":"declined"}\n`;

const LARGE = Buffer.alloc(100 * 1024 * 1024, "x");

const HOSTILE: readonly [string, (socket: Socket) => void][] = [
  ["says nothing", () => undefined],
  ["says half of it", (socket) => socket.write('{"argv": [')],
  ["says one byte after the other", drip],
  ["leaves at once", (socket) => socket.destroy()],
  ["leaves after half of it", (socket) => socket.end('{"argv"')],
  ["says 100 MB", (socket) => socket.write(LARGE)],
  ["says 100 MB of lines", (socket) => socket.write(LARGE.fill("x\n"))],
  ["says no JSON", (socket) => socket.write("GET / HTTP/1.1\r\n\r\n")],
  ["asks twice", (socket) => socket.write('"hello"\n"hello"\n')],
];

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write(" "), 10);
  socket.once("close", () => clearInterval(timer));
}

test.for(HOSTILE)("whoever %s is not waited for, and others are answered", async ([, say]) => {
  const home = await listening();
  const bad = Array.from({ length: 3 }, () => talk(home, say));
  expect(await ask(home)).toBe(ECHOED);
  expect(await Promise.all(bad)).toEqual(["", "", ""]);
  expect(await ask(home)).toBe(ECHOED);
});

test("whoever does not read its answer is not waited for", async () => {
  const answered: unknown[] = [];
  const answer = (call: Call): Promise<Printed> => {
    answered.push(call.question);
    return call.question === 1
      ? Promise.resolve({ code: 0, stdout: "x".repeat(4_000_000), stderr: "" })
      : ECHO(call);
  };
  // Making the answers takes a while.
  const home = await listening(answer, { questionMs: 20_000 });
  const deaf = Array.from({ length: LIMITS.atOnce }, () => {
    const socket = connect(socketIn(home.root) ?? "");
    socket.on("error", () => undefined);
    socket.write("1\n");
    socket.pause();
    return socket;
  });
  await expect.poll(() => answered.length, PATIENTLY).toBe(deaf.length);
  await expect.poll(() => ask(home), PATIENTLY).toBe(ECHOED);
  for (const socket of deaf) socket.destroy();
});

test("a text is read by whoever asks: of a length, and in time", async () => {
  const home = await listening(async (call) => ({
    code: 0,
    stdout: JSON.stringify(await call.read("a file")),
    stderr: "",
  }));
  const reading = (text: (socket: Socket) => void): Promise<string> =>
    talk(home, (socket) => {
      socket.write("1\n");
      socket.on("data", (part: string) => (part.includes('"read"') ? text(socket) : undefined));
    });
  const wanted = `${TAKEN}{"type":"read","file":"a file"}\n`;
  expect(await reading((socket) => socket.write('{"type":"unread"}\n'))).toContain('"stdout":"{\\"type\\"');
  expect(await reading(() => undefined)).toBe(wanted);
  expect(await reading((socket) => socket.write("x".repeat(2 * TEXT_BYTES_MAX)))).toBe(wanted);
  expect(await reading((socket) => socket.destroy())).toBe(wanted);
});

test("as many as can be served are, and who is too many is told at once", async () => {
  const gate = Promise.withResolvers<undefined>();
  let asked = 0;
  const home = await listening(() => {
    asked += 1;
    return gate.promise;
  });
  const served = Array.from({ length: LIMITS.atOnce }, () => ask(home));
  await expect.poll(() => asked, PATIENTLY).toBe(LIMITS.atOnce);
  expect(await ask(home)).toBe('{"type":"declined"}\n');
  gate.resolve(undefined);
  expect(await Promise.all(served)).toEqual([DECLINED, DECLINED]);
});

test("who answers with an error ends the connection, and who leaves finishes what it is at", async () => {
  const home = homeIn("state");
  let times = 0;
  const gate = Promise.withResolvers<Printed>();
  const server = await listen(
    home,
    () => (times++ === 0 ? Promise.reject(new Error("ours")) : gate.promise),
    LIMITS,
  );
  expect(await ask(home)).toBe(TAKEN);
  const { promise: isThere, resolve: comes } = Promise.withResolvers<void>();
  const idle = talk(home, (socket) => socket.once("connect", comes));
  await isThere;
  // Whoever comes later is heard later.
  const late = ask(home);
  await expect.poll(() => times, PATIENTLY).toBe(2);
  const closed = server?.close();
  expect(await idle).toBe("");
  gate.resolve({ code: 3, stdout: "", stderr: "" });
  await closed;
  expect(await late).toBe(`${TAKEN}{"type":"printed","code":3,"stdout":"","stderr":""}\n`);
  expect([existsSync(socketIn(home.root) ?? ""), await ask(home)]).toEqual([false, ""]);
});

test.for<[string, (place: string) => void, number]>([
  ["a pipe", (place) => void execFileSync("mkfifo", [place]), 1],
  ["a folder", (place) => mkdirSync(join(place, "x"), { recursive: true }), 1],
  ["a link", (place) => symlinkSync("/etc/passwd", place), 1],
  ["a text", (place) => writeFileSync(place, "no socket"), 1],
  ["the socket of one that was killed", leaveSocket, 0],
])("%s in its place is put aside", async ([, put, quarantined]) => {
  const home = homeIn("state");
  const path = socketIn(home.root) ?? "";
  put(path);
  const server = await listen(home, ECHO, LIMITS);
  expect(await ask(home)).toBe(ECHOED);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await server?.close();
  expect(existsSync(home.quarantine) ? readdirSync(home.quarantine).length : 0).toBe(quarantined);
});

function leaveSocket(place: string): void {
  const script = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  try {
    execFileSync(process.execPath, ["-e", script, place]);
  } catch {
    // As it should.
  }
}

test("a path that is too long has no socket, and nobody fails over it", async () => {
  const home = homeIn("x".repeat(60), "y".repeat(60));
  expect([socketIn(home.root), await listen(home, ECHO)]).toEqual([undefined, undefined]);
  expect([socketIn(""), socketIn("here")]).toEqual([undefined, undefined]);
});

test.for<[string, boolean]>([
  ["move working", true],
  ["submit plan -", true],
  ["task update --status working", true],
  ["task complete", true],
  ["task stuck --note no", true],
  ["task update --branch", false],
  ["task update --branch=x --status working", false],
  ["move --help", false],
  ["move -qh", false],
  ["move -V", false],
  ["--json move working", false],
  ["task create x", false],
  ["task", false],
  ["answer q1 yes", false],
  ["show", false],
  ["", false],
])("%s is for the supervisor: %s", ([line, is]) => {
  expect(isAskable(line.split(" "))).toBe(is);
});

test.runIf(process.platform === "linux")(
  "whoever names a process must say what the kernel says of it",
  async () => {
    const { question, program } = await asking(["move", "a b"]);
    expect(isAskedBy(question, [program])).toBe(true);
    const lies: readonly Partial<Question>[] = [
      { pid: process.pid },
      { pid: question.pid, key: keyOfProcess(process.pid) ?? "" },
      { pid: process.pid, key: keyOfProcess(process.pid) ?? "" },
      { pid: 2 ** 30 },
      { key: "mine" },
      { argv: ["move", "done"] },
      { argv: ["a b"] },
      { argv: ["move", "a b", "more"] },
      { cwd: "/" },
      { env: { ...question.env, SIGNALBOX_TOKEN: "u" } },
      { env: { ...question.env, SIGNALBOX_JOB: "x" } },
      { env: { SIGNALBOX_HOME: question.cwd } },
    ];
    expect(lies.filter((lie) => isAskedBy({ ...question, ...lie }, [program]))).toEqual([]);
    expect(isAskedBy(question, [process.execPath])).toBe(false);
  },
);

test("what is no question is none", async () => {
  const { question } = await asking(["move", "a b"]);
  expect(questionOf(JSON.parse(JSON.stringify(question)))).toEqual(question);
  const odd: readonly unknown[] = [
    undefined,
    null,
    1,
    "move",
    [],
    {},
    { ...question, pid: -1 },
    { ...question, pid: 1.5 },
    { ...question, pid: "1" },
    { ...question, argv: "move" },
    { ...question, argv: [1] },
    { ...question, env: null },
    { ...question, env: { PATH: "/tmp" } },
    { ...question, env: { SIGNALBOX_HOME: 1 } },
    { ...question, key: undefined },
    { ...question, cwd: {} },
  ];
  expect(odd.map(questionOf).filter((each) => each !== undefined)).toEqual([]);
});
