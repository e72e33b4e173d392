/** Who may call what: every use case by every kind of caller, with the code that comes of it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { UserError } from "../../src/adapters/user-error.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import type { Invocation } from "../../src/app/invocation.ts";
import { performUntyped } from "../../src/app/perform.ts";
import { SCHEMAS, type UseName } from "../../src/app/schemas.ts";
import { USES } from "../../src/app/uses.ts";
import { taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME, procsOf } from "../support/procs.ts";

let on: Tasks;
let [own, other] = ["", ""];
beforeAll(async () => {
  on = await taskScene();
  [own, other] = [await on.taskIn("planning"), await on.taskIn("planning")];
});
afterAll(removeHomes);

/** What the worker of a run hands on to its commands. */
async function voiceOf(run: string): Promise<Readonly<Record<string, string>>> {
  const token = `token of ${run}`;
  const agent = { run, role: "worker", slot: "", attempt: 1, token: hashToken(token), dir: "", turn: 1 };
  await on.withStore((store) =>
    store.commit([{ type: "put-agent", agent: { ...agent, status: "running", entry: 0, startedAt: 0 } }]),
  );
  return { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${run}.worker.1.1` };
}

const CALLERS = {
  person: () => ({}),
  "agent of the run": async () => ({ env: await voiceOf(own) }),
  "agent of another run": async () => ({ env: await voiceOf(other) }),
  "agent outside runs": () => ({ env: { CLAUDECODE: "1" } }),
  "nobody: a process of a run without its token": () => ({ env: { SIGNALBOX_JOB: `${own}.worker.1.1` } }),
  "a child of an agent that hides its marks": () => ({
    procs: procsOf([{ pid: 10, name: "sh", environment: "CLAUDECODE=1\0" }]),
  }),
  "a process with the token of another": async () => {
    const { SIGNALBOX_TOKEN = "" } = await voiceOf(own);
    return { env: { SIGNALBOX_TOKEN } };
  },
} satisfies Record<string, () => Caller | Promise<Caller>>;

type Caller = Partial<Pick<Invocation, "env" | "procs">>;

type Row = {
  /** Changes nothing, whoever gives it: an allowed call is told what else is wrong, or is answered. */
  readonly input: () => unknown;
  /** What comes of it for callers that may call. */
  readonly code: string;
  /** The same for an agent of the run, and of another one, where that is something else. */
  readonly agent?: string;
  readonly another?: string;
};

const NOT_THERE = { run: "zzzz" };
const ANSWERED = "answered";
/** One row for each use case. */
const ROWS: Readonly<Record<UseName, Row>> = {
  create: {
    input: () => ({ workflow: "zzzz", params: [], texts: [], dependsOn: [] }),
    code: "unknown-workflow",
  },
  start: { input: () => NOT_THERE, code: "unknown-run" },
  run: { input: () => ({ words: ["zzzz"], options: {}, lists: {}, known: [] }), code: "unknown-workflow" },
  follow: { input: () => ({ run: own }), code: ANSWERED, another: ANSWERED },
  watch: { input: () => ({ once: true }), code: ANSWERED },
  delete: { input: () => NOT_THERE, code: "unknown-run" },
  attach: { input: () => NOT_THERE, code: "unknown-run" },
  submit: { input: () => ({ run: own, artifact: "plan" }), code: "gate-not-met" },
  "review-create": {
    input: () => ({ run: own, artifact: "plan", file: { name: "-", text: "" } }),
    code: "invalid-review",
  },
  move: { input: () => ({ run: own, to: "nowhere" }), code: "not-in-map" },
  update: { input: () => ({ run: own, status: "nowhere" }), code: "not-in-map" },
  complete: { input: () => ({ run: own }), code: "gate-not-met" },
  "ask-permission": {
    input: () => ({ id: "", tool: "", input: "" }),
    code: "bad-usage",
    another: "bad-usage",
  },
  "ask-questions": { input: () => ({ questions: [""] }), code: "bad-usage", another: "bad-usage" },
  accept: { input: () => NOT_THERE, code: "unknown-run" },
  "send-back": { input: () => NOT_THERE, code: "unknown-run" },
  retry: { input: () => NOT_THERE, code: "unknown-run" },
  cancel: { input: () => NOT_THERE, code: "unknown-run" },
  answer: { input: () => ({ decision: "zzzz", value: "yes" }), code: "unknown-decision" },
  question: { input: () => ({ decision: own }), code: ANSWERED },
  deliver: { input: () => NOT_THERE, code: "unknown-run" },
  waive: { input: () => ({ run: own, artifact: "nothing", reason: "so" }), code: "invalid" },
  stop: { input: () => ({ ...NOT_THERE, now: false }), code: "unknown-run" },
  resume: { input: () => NOT_THERE, code: "unknown-run" },
  respawn: { input: () => ({ words: [own, "worker"] }), code: "invalid" },
  show: { input: () => ({ run: own }), code: ANSWERED },
  next: { input: () => ({ run: own }), code: ANSWERED },
  why: { input: () => ({ run: own }), code: ANSWERED },
  inbox: { input: () => ({}), code: ANSWERED },
  list: { input: () => ({ limit: 5 }), code: ANSWERED },
  history: { input: () => ({ run: own, limit: 5 }), code: ANSWERED },
  cost: { input: () => ({ run: own, by: "role" }), code: ANSWERED },
  logs: { input: () => NOT_THERE, code: "unknown-run" },
  "follow-logs": { input: () => ({ run: own }), code: ANSWERED },
  picture: { input: () => ({ run: own }), code: ANSWERED },
  diff: { input: () => ({ run: own }), code: ANSWERED },
  verify: { input: () => ({ run: own }), code: ANSWERED },
  "get-task": { input: () => ({}), code: ANSWERED, another: ANSWERED },
  "read-context": {
    input: () => ({ file: "/etc/passwd", offset: 0 }),
    code: "not-yours",
    another: "not-yours",
  },
  workflows: { input: () => ({}), code: ANSWERED },
  check: { input: () => ({ workflows: ["task"], situations: 10 }), code: ANSWERED },
  simulate: { input: () => ({ workflow: "task", seed: 1, steps: 5, people: "random" }), code: ANSWERED },
  graph: { input: () => ({ workflow: "task" }), code: ANSWERED },
  eject: { input: () => ({ workflow: "zzzz" }), code: "unknown-workflow" },
  schema: { input: () => ({}), code: ANSWERED },
  init: { input: () => ({}), code: ANSWERED },
  settings: { input: () => ({}), code: ANSWERED },
  "trust-plan": { input: () => ({}), code: ANSWERED },
  trust: { input: () => ({ revoke: true }), code: ANSWERED },
  key: { input: () => ({}), code: ANSWERED },
  "change-key": { input: () => ({ how: "no-passphrase" }), code: ANSWERED },
  agents: { input: () => ({}), code: ANSWERED },
  "try-agents": { input: () => ({ agents: ["zzzz"] }), code: "unknown-harness" },
  "setup-plan": { input: () => ({ agent: "zzzz", install: [] }), code: "unknown-harness" },
  setup: { input: () => ({ agent: "zzzz", install: [] }), code: "unknown-harness" },
  doctor: { input: () => ({}), code: ANSWERED },
  repair: { input: () => ({}), code: ANSWERED },
  projects: { input: () => ({}), code: ANSWERED },
  "add-project": { input: () => ({ folder: "/zzzz" }), code: "no-folder" },
  "update-project": { input: () => ({ project: "zzzz" }), code: "unknown-project" },
  "remove-project": { input: () => ({ project: "zzzz" }), code: "unknown-project" },
  workspaces: { input: () => ({}), code: ANSWERED },
  "release-workspaces": { input: () => ({ project: "zzzz" }), code: "unknown-project" },
  salvages: { input: () => ({ limit: 1 }), code: ANSWERED },
  salvage: { input: () => ({ ...NOT_THERE, diff: false }), code: "unknown-salvage" },
  "restore-salvage": { input: () => NOT_THERE, code: "unknown-salvage" },
};

async function codeOf(use: UseName, caller: Caller): Promise<string> {
  const { env, procs = AT_HOME } = caller;
  const door: Invocation = {
    cwd: on.repo,
    home: "",
    env: { ...on.env, ...env },
    procs,
    startSupervisor: () => undefined,
  };
  try {
    const { data } = await performUntyped(door, use, ROWS[use].input());
    return SCHEMAS[use].output.safeParse(data).success ? ANSWERED : "not what was declared";
  } catch (error) {
    if (error instanceof UserError) return error.code;
    throw error;
  }
}

/** What the declaration makes of the row: nobody else is answered. */
function expectedOf(use: UseName): Readonly<Record<keyof typeof CALLERS, string>> {
  const { callers, kind } = USES[use];
  const { code, agent = code, another = "not-your-role" } = ROWS[use];
  const isFor = (caller: (typeof callers)[number]): boolean => callers.includes(caller);
  const refused = isFor("person") ? "not-a-person" : "no-token";
  const open = isFor("nobody") ? code : refused;
  // A person has let an agent type: what it makes is the person's.
  const outside = isFor("outside-agent") ? code : open;
  // Where nothing depends on the caller, nobody looks at its token; where there is no store, it is one more mark.
  const stolen = kind === "act" || kind === "read" ? "stolen-token" : open;
  return {
    person: isFor("person") ? code : refused,
    "agent of the run": isFor("agent") ? agent : refused,
    "agent of another run": isFor("nobody") ? code : isFor("agent") ? another : refused,
    "agent outside runs": outside,
    "nobody: a process of a run without its token": open,
    "a child of an agent that hides its marks": outside,
    "a process with the token of another": stolen,
  };
}

const NAMES = Object.keys(USES).filter((name): name is UseName => Object.hasOwn(USES, name));

test("every use case has a row, and its schemas", () => {
  expect([Object.keys(ROWS), Object.keys(SCHEMAS)].map((names) => names.toSorted())).toEqual([
    NAMES.toSorted(),
    NAMES.toSorted(),
  ]);
});

test.for(NAMES)("%s", async (use) => {
  const found: Record<string, string> = {};
  for (const [name, caller] of Object.entries<() => Caller | Promise<Caller>>(CALLERS))
    found[name] = await codeOf(use, await caller());
  expect(found).toEqual(expectedOf(use));
});

test("nothing of that has changed the run", async () => {
  expect([await on.stateOf(own), await on.stateOf(other)]).toEqual(["planning", "planning"]);
});
