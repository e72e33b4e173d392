/** Which tools each role of each built-in workflow has, and what a call comes to without any process. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import { call, type Called } from "../../src/mcp/serve.ts";
import { inputOf, toolsFor } from "../../src/app/tools.ts";
import { taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";
import { loadWorkflow } from "../support/workflows.ts";

const LOOKS = "get_task next read_context";

test.for<[workflow: string, role: string, tools: string]>([
  ["task", "worker", `${LOOKS} submit_artifact ask_questions update_status`],
  ["task", "reviewer", `${LOOKS} submit_artifact create_review update_status`],
  ["staged", "explorer", `${LOOKS} submit_artifact update_status`],
  ["staged", "planner", `${LOOKS} submit_artifact update_status`],
  ["staged", "plan-reviewer", `${LOOKS} submit_artifact create_review update_status`],
  ["staged", "final-reviewer", `${LOOKS} submit_artifact create_review update_status`],
  ["staged", "finisher", `${LOOKS} submit_artifact update_status`],
  // Its result says how it ended: a verdict, in fields.
  ["one-task", "worker", `${LOOKS} submit_artifact create_review update_status`],
])("%s: %s has its own", ([workflow, role, tools]) => {
  const { definition } = loadWorkflow(workflow);
  expect(definition.roles).toHaveProperty(role);
  const caller = { run: "r", role, slot: "", attempt: 1, definition };
  expect(
    toolsFor(caller)
      .map(({ name }) => name)
      .join(" "),
  ).toBe(tools);
});

test("who has no token can look at what is next, and nothing else", () => {
  expect(toolsFor(undefined).map(({ name }) => name)).toEqual(["next"]);
});

test("the fields of a review are those of the contract", () => {
  const { definition } = loadWorkflow("staged");
  const caller = { run: "r", role: "implementation-reviewer", slot: "", attempt: 1, definition };
  const tool = toolsFor(caller).find(({ name }) => name === "create_review");
  expect(tool === undefined ? undefined : inputOf(tool, caller)).toMatchObject({
    required: expect.arrayContaining(["verdict", "filesReviewed", "issues"]) as unknown,
    properties: {
      verdict: { enum: ["approved", "needs_revision", "blocked"] },
      filesReviewed: { type: "array" },
      issues: { items: { properties: { severity: { enum: ["HIGH", "MEDIUM", "LOW"] } } } },
      artifact: { type: "string" },
    },
    additionalProperties: false,
  });
});

let on: Tasks;
let id = "";
beforeAll(async () => {
  on = await taskScene();
  id = await on.taskIn("planning");
});
afterAll(removeHomes);

/** As the worker of the task. */
async function asWorker(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  const token = `token of ${id}`;
  await on.withStore((store) =>
    store.commit([
      {
        type: "put-agent",
        agent: {
          run: id,
          role: "worker",
          slot: "",
          attempt: 1,
          token: hashToken(token),
          dir: "",
          turn: 1,
          status: "running",
          entry: 0,
          startedAt: 0,
        },
      },
    ]),
  );
  const own = { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${id}.worker.1.1` };
  return call(
    { cwd: on.repo, env: { ...on.env, ...own }, procs: AT_HOME, startSupervisor: () => undefined },
    name,
    given,
  );
}

/** Where the page of the task is, as long as nobody has made a workspace. */
function page(): string {
  const file = join(runFolders(on.home, id).files, "TASK.md");
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  return file;
}

test.for<[what: string, given: Readonly<Record<string, unknown>>, says: string]>([
  ["another file", { file: "README.md" }, '"README.md" is not among the files of your task'],
  ["a way out", { file: "../../../etc/passwd" }, "is not among the files of your task"],
  ["a way out and back", { file: "x/../TASK.md" }, "is not among the files of your task"],
  ["the whole path", { file: "/etc/passwd" }, "is not among the files of your task"],
  ["a name with nothing", { file: "" }, "is not among the files of your task"],
  ["an offset that is none", { file: "TASK.md", offset: -1 }, "offset must be a number from 0 to 7"],
  ["an offset beyond the end", { file: "TASK.md", offset: 8 }, "offset must be a number from 0 to 7"],
  ["half an offset", { file: "TASK.md", offset: 0.5 }, "offset must be a number from 0 to 7"],
  ["an offset in words", { file: "TASK.md", offset: "1" }, 'read_context: "offset" must be a number'],
  ["a key that is none", { fiel: "TASK.md" }, 'read_context: the key "fiel" is unknown'],
])("read_context refuses %s", async ([, given, says]) => {
  writeFileSync(page(), "# Page\n");
  const { text, isError, document } = await asWorker("read_context", given);
  expect({ isError, ok: document["ok"] }).toEqual({ isError: true, ok: false });
  expect(text).toContain(says);
});

test.for<[what: string, make: (file: string) => void, says: string]>([
  ["a link", (file) => symlinkSync("/etc/passwd", file), "is a symbolic link, which is not followed"],
  ["a folder", (file) => mkdirSync(file), "is a folder"],
  [
    "something huge",
    (file) => writeFileSync(file, "x".repeat(1024 * 1024 + 1)),
    "is larger than 1048576 bytes",
  ],
  ["bytes", (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00])), "is not valid UTF-8"],
  ["nothing", () => undefined, "there is no file TASK.md yet"],
])("read_context does not read %s in the place of a file", async ([, make, says]) => {
  const file = page();
  make(file);
  const { text, isError } = await asWorker("read_context", { file: "TASK.md" });
  rmSync(file, { recursive: true, force: true });
  expect(isError).toBe(true);
  expect(text).toContain(says);
});

test("a long file comes in parts, and all of it", async () => {
  const whole = `${"🚂 line\n".repeat(20_000)}end\n`;
  writeFileSync(page(), whole);
  let [read, parts] = ["", 0];
  for (let offset: unknown = 0; typeof offset === "number"; parts += 1) {
    const { document } = await asWorker("read_context", { file: "TASK.md", offset });
    read += String(document["text"]);
    offset = document["next_offset"];
  }
  expect(read).toBe(whole);
  expect(parts).toBeGreaterThan(2);
});

test("what is larger than any artifact is refused in words", async () => {
  const { document } = await asWorker("submit_artifact", {
    artifact: "plan",
    content: "x".repeat(1024 * 1024 + 1),
  });
  expect(document).toMatchObject({ code: "too-large", exit: 2 });
  const asked = await asWorker("ask_questions", { questions: ["x".repeat(30_000)] });
  expect(asked.document).toMatchObject({ code: "too-large", exit: 2 });
});

test.for<[what: string, name: string, given: Readonly<Record<string, unknown>>]>([
  ["half a character", "update_status", { summary: "x\uD800" }],
  ["a zero", "update_status", { summary: "x\0y" }],
  ["half a character in a text", "submit_artifact", { artifact: "plan", content: "APPROACH: \uDC00" }],
  ["a zero in a list", "ask_questions", { questions: ["So?", "x\0y"] }],
  [
    "a text in a text in a text",
    "create_review",
    { verdict: "PASS", issues: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`) as unknown },
  ],
  ["half a character in a key", "create_review", { verdict: "PASS", issues: [{ "\uD800": 1 }] }],
])("what no command could be given is refused: %s", async ([, name, given]) => {
  const seq = (): Promise<number | undefined> =>
    on.withStore(async (store) => (await store.load(id))?.run.seq);
  const before = await seq();
  const { document } = await asWorker(name, given);
  expect(document).toMatchObject({ code: "bad-usage", message: "an argument is no text", exit: 2 });
  expect(await seq()).toBe(before);
});

/** What a model may send: the right fields with wrong values, wrong fields with any. */
const TEXT = fc.oneof(
  fc.constantFrom(
    "plan",
    "review",
    "TASK.md",
    "working",
    "-",
    "--help",
    "__proto__",
    "a\0b",
    "\u001B[2J",
    "\uD800",
  ),
  fc.string({ maxLength: 20 }),
);
const VALUE = fc.oneof(TEXT, fc.jsonValue({ maxDepth: 3 }), fc.array(TEXT, { maxLength: 3 }));
const FIELD = fc.constantFrom(
  "artifact",
  "content",
  "file",
  "offset",
  "status",
  "note",
  "summary",
  "branch",
  "key",
  "questions",
  "verdict",
  "issues",
  "constructor",
  "other",
);

test("whatever is sent is answered in words, and is no bug of ours", async () => {
  const names = [
    "get_task",
    "next",
    "read_context",
    "submit_artifact",
    "create_review",
    "ask_questions",
    "update_status",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names, "nothing"),
      fc.dictionary(FIELD, VALUE),
      async (name, given) => {
        const { text, isError, document, stack } = await asWorker(name, given);
        expect({ stack, isError }).toEqual({ stack: "", isError: document["exit"] !== 0 });
        expect(text).not.toBe("");
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0008\u001B]/);
      },
    ),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 60 : 400 },
  );
});
