/** The folders of agents are ours, whatever somebody has put beside them or into them. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { desk } from "../../src/adapters/desk/desk.ts";

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "signalbox-desk-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const ODD: readonly [string, (place: string) => void][] = [
  ["a pipe", (place) => void execFileSync("mkfifo", [place])],
  ["a folder", (place) => mkdirSync(place, { recursive: true })],
  ["a link", (place) => symlinkSync("/etc/passwd", place)],
  [
    "a file without end",
    (place) => {
      writeFileSync(place, "");
      truncateSync(place, 2 ** 40);
    },
  ],
];

test("every folder is a new one, for us alone, under a name of its own", () => {
  const parent = join(folder(), "agents");
  const made = Array.from({ length: 20 }, () => desk.make(parent, "reviewer.1"));
  expect(new Set(made).size).toBe(20);
  expect(made.every((dir) => /\/agents\/reviewer\.1-[0-9a-f]{18}$/.test(dir))).toBe(true);
  expect(new Set(made.map((dir) => statSync(dir).mode & 0o777))).toEqual(new Set([0o700]));
});

test("a folder is furnished whole, and what it holds stays", async () => {
  const parent = join(folder(), "agents");
  const token = desk.newToken();
  const { dir, durable } = desk.furnish(parent, "a", { token, "prompt.md": "first" });
  await durable;
  expect([desk.newToken() === token, desk.token(dir).token]).toEqual([false, token]);
  expect(desk.token(dir).hash).toBe(desk.token(dir).hash);
  expect(readFileSync(desk.write(dir, "prompt.md", "second"), "utf8")).toBe("first");
  expect(readdirSync(dir).toSorted()).toEqual(["prompt.md", "token"]);
  const modes = [dir, ...readdirSync(dir).map((name) => join(dir, name))].map((path) => statSync(path).mode);
  expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  expect(desk.furnish(parent, "a", {}).dir).not.toBe(dir);
});

test.for(ODD)("%s where a token, a prompt or a text should be is told, and nobody waits", ([, put]) => {
  const dir = desk.make(folder(), "a");
  for (const name of ["token", "prompt.md"]) put(join(dir, name));
  expect(() => desk.token(dir)).toThrow(/token (?:is|cannot)/);
  expect(() => desk.read(dir, "prompt.md")).toThrow("prompt.md");
  expect(() => desk.write(dir, "prompt.md", "text")).toThrow("prompt.md");
});

test.for(ODD)("%s among messages is none, and the others are told", ([, put]) => {
  const dir = desk.make(folder(), "a");
  desk.leave(dir, "r.2.0", "first");
  desk.leave(dir, "r.10.0", "second");
  put(join(dir, "messages", "r.3.0.md"));
  expect(desk.waiting(dir, []).map(({ text }) => text)).toEqual(["first", "second"]);
  const turn = desk.make(dir, "turn-2");
  desk.take(turn, desk.waiting(dir, []).slice(0, 1));
  expect(desk.waiting(dir, [turn]).map(({ text }) => text)).toEqual(["second"]);
  expect(() => desk.take(turn, [])).toThrow("EEXIST");
});

test.for(ODD)("%s as a log says nothing for long", ([, put]) => {
  const file = join(folder(), "out.log");
  put(file);
  const before = performance.now();
  expect(desk.output(file).text.length).toBeLessThan(300_000);
  expect(performance.now() - before).toBeLessThan(5000);
});

test("a log is its last part and a digest of it", () => {
  const file = join(folder(), "out.log");
  expect(desk.output(file).text).toBe("");
  writeFileSync(file, "all is well\n");
  const short = desk.output(file);
  writeFileSync(file, `${"x".repeat(300_000)}the end\n`);
  const long = desk.output(file);
  expect(short).toMatchObject({ text: "all is well\n" });
  expect(long.text).toMatch(/^\(the first 37864 bytes are left out\)\nx+the end\n$/);
  expect(long.digest).not.toBe(short.digest);
  expect(readFileSync(file, "utf8")).toHaveLength(300_008);
});
