/** What goes over the wire, whoever is at the other end: nothing but the protocol, and an end when the other end leaves. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NODE, PROGRAM } from "./support.ts";

type Message = Readonly<Record<string, unknown>>;

type Wire = {
  readonly child: ChildProcessWithoutNullStreams;
  send(...lines: readonly (string | Message)[]): void;
  /** All that came, up to the answer to this one. */
  answers(id: number): Promise<readonly Message[]>;
  stderr(): string;
};

const OPENING: readonly Message[] = [
  {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "wire", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

function wire(): Wire {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-wire-"));
  const child = spawn(NODE, [PROGRAM, "mcp"], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: root, SIGNALBOX_HOME: join(root, "state") },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on("error", () => undefined);
  const heard = (): Message[] =>
    out
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  return {
    child,
    send: (...lines) => {
      const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
      child.stdin.write(`${text.join("\n")}\n`);
    },
    answers: async (id) => {
      while (!heard().some((each) => each["id"] === id)) await once(child.stdout, "data");
      return heard();
    },
    stderr: () => err,
  };
}

const ping = (id: number): Message => ({ jsonrpc: "2.0", id, method: "ping" });
const called = (id: number, params: unknown): Message => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params,
});

test("nobody loads the protocol but who speaks it", () => {
  const dist = dirname(PROGRAM);
  const naming = (chunk: string): string[] =>
    readdirSync(dist).filter(
      (file) => file.endsWith(".cjs") && readFileSync(join(dist, file), "utf8").includes(`"./${chunk}"`),
    );
  expect(naming("mcp.cjs")).toEqual(["serve.cjs"]);
  const [command = "", ...callers] = naming("serve.cjs").filter((file) => file !== "mcp.cjs");
  expect(callers).toEqual([]);
  const [list = "", ...others] = naming(command);
  expect(others).toEqual([]);
  expect(readFileSync(join(dist, list), "utf8")).toContain("const COMMANDS = {");
});

test("it says who it is, and what it can do", async () => {
  const on = wire();
  on.send(...OPENING);
  const [first] = await on.answers(0);
  expect(first).toMatchObject({
    jsonrpc: "2.0",
    result: { serverInfo: { name: "signalbox" }, capabilities: { tools: {} }, instructions: /get_task/ },
  });
});

test.for<[what: string, line: string | Message, code: number]>([
  ["a method that is none", { jsonrpc: "2.0", id: 1, method: "tools/eat" }, -32_601],
  ["a call of nothing", called(1, {}), -32_602],
  ["a call with a list", called(1, { name: "next", arguments: [] }), -32_602],
  ["what it does not have", { jsonrpc: "2.0", id: 1, method: "resources/list" }, -32_601],
])("%s is an error of the protocol", async ([, line, code]) => {
  const on = wire();
  on.send(...OPENING, line);
  expect((await on.answers(1)).find(({ id }) => id === 1)).toMatchObject({ error: { code } });
});

test("what is no message and what wants no answer gets none, and it goes on", async () => {
  const on = wire();
  on.send(
    ...OPENING,
    "no JSON",
    "[]",
    "null",
    "{}",
    '{"jsonrpc":"1.0","id":5,"method":"ping"}',
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 77 } },
    { jsonrpc: "2.0", method: "notifications/nothing" },
    { jsonrpc: "2.0", method: "tools/call", params: { name: "next" } },
    ping(9),
  );
  const all = await on.answers(9);
  expect(all.map(({ id }) => id)).toEqual([0, 9]);
});

test("a tool that is none, and fields that are none, are results that say so", async () => {
  const on = wire();
  on.send(...OPENING, called(1, { name: "nxt" }), called(2, { name: "next", arguments: { rum: "x" } }));
  const all = await on.answers(2);
  expect(all.slice(1)).toMatchObject([
    {
      result: {
        isError: true,
        content: [{ text: 'signalbox: there is no tool "nxt"; did you mean "next"?\n  next: next\n' }],
        structuredContent: { ok: false, code: "unknown-tool", exit: 2 },
      },
    },
    {
      result: {
        isError: true,
        content: [{ text: 'signalbox: next: the key "rum" is unknown\n  next: it takes run\n' }],
      },
    },
  ]);
});

test("a client that leaves ends it", async () => {
  const on = wire();
  on.send(...OPENING);
  await on.answers(0);
  on.child.stdin.end();
  expect(await once(on.child, "close")).toEqual([0, null]);
  expect(on.stderr()).toBe("");
});

test("a client that is not there at all, too", async () => {
  const on = wire();
  on.child.stdin.end();
  expect(await once(on.child, "close")).toEqual([0, null]);
});

test("who ends it is obeyed", async () => {
  const on = wire();
  on.send(...OPENING);
  await on.answers(0);
  on.child.kill("SIGTERM");
  expect(await once(on.child, "close")).toEqual([130, null]);
});

test("a message that never ends is not kept", async () => {
  const on = wire();
  on.send(...OPENING);
  await on.answers(0);
  const over = once(on.child, "close");
  for (let part = 0; part < 10; part += 1) on.child.stdin.write("x".repeat(1024 * 1024));
  await over;
  expect(on.stderr()).toContain("signalbox mcp: ");
});
