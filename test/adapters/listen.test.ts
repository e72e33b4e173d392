/** The socket of the supervisor: what does not harm it, and what stands in its place. */
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
import { listen, type NoticeHandler, type Limits } from "../../src/adapters/supervisor/listen.ts";
import { callsIn, socketIn, type Reply } from "../../src/adapters/supervisor/wire.ts";

const LIMITS: Limits = { noticeMs: 150, answerMs: 150, atOnce: 2, lineBytes: 1024 };
const ECHO: NoticeHandler = (notice) => Promise.resolve({ type: "outcome", outcome: notice });

function homeIn(...names: readonly string[]): Home {
  const root = mkdtempSync(join(tmpdir(), "sb-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homeAt(join(root, ...names));
  mkdirSync(home.root, { recursive: true, mode: 0o700 });
  return home;
}

async function listening(answer: NoticeHandler = ECHO, limits: Partial<Limits> = {}): Promise<Home> {
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
const ECHOED = `${TAKEN}{"type":"outcome","outcome":"hello"}\n`;
const DECLINED = `${TAKEN}{"type":"declined"}\n`;

const LARGE = Buffer.alloc(100 * 1024 * 1024, "x");

const HOSTILE: readonly [string, (socket: Socket) => void][] = [
  ["says nothing", () => undefined],
  ["says half of it", (socket) => socket.write('{"pid": [')],
  ["says one byte after the other", drip],
  ["leaves at once", (socket) => socket.destroy()],
  ["leaves after half of it", (socket) => socket.end('{"pid"')],
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
  const answer: NoticeHandler = (notice) => {
    answered.push(notice);
    return notice === 1 ? Promise.resolve({ type: "outcome", outcome: "x".repeat(4_000_000) }) : ECHO(notice);
  };
  // Making the answers takes a while.
  const home = await listening(answer, { noticeMs: 20_000 });
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

test("a line is as long as one that names a process and its descriptor, and no longer", async () => {
  const home = await listening();
  const say = (bytes: number): Promise<string> =>
    talk(home, (socket) => socket.write(`"${"x".repeat(bytes - 3)}"\n`));
  expect(await say(1024)).toContain("outcome");
  // Elsewhere the request itself is in the line.
  expect((await say(1025)).includes("outcome")).toBe(process.platform !== "linux");
});

test("requests that killed clients have left are removed, whatever they are", async () => {
  const home = homeIn("state");
  const folder = callsIn(home.root);
  mkdirSync(join(folder, "a", "b"), { recursive: true });
  writeFileSync(join(folder, "0123456789ab"), "{}");
  symlinkSync("/etc/passwd", join(folder, "link"));
  const server = await listen(home, ECHO, LIMITS);
  onTestFinished(() => server?.close());
  expect([readdirSync(folder), existsSync("/etc/passwd")]).toEqual([[], true]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
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
  const gate = Promise.withResolvers<Reply>();
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
  gate.resolve({ type: "outcome", outcome: 3 });
  await closed;
  expect(await late).toBe(`${TAKEN}{"type":"outcome","outcome":3}\n`);
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
