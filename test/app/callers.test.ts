/** Who may call what: every use case by every kind of caller, with the code that comes of it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { UserError } from "../../src/adapters/user-error.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import type { Invocation } from "../../src/app/invocation.ts";
import { performUntyped } from "../../src/app/perform-untyped.ts";
import { SCHEMAS, type UseName } from "../../src/app/schemas.ts";
import { USES } from "../../src/app/uses.ts";
import { taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME, procsOf } from "../support/procs.ts";

let on: Tasks;
let [own, other] = ["", ""];
beforeAll(async () => {
  on = taskScene();
  [own, other] = [await on.taskIn("planning"), await on.taskIn("planning")];
});
afterAll(removeHomes);

/** What the worker of a run hands on to its commands. */
function voiceOf(run: string): Readonly<Record<string, string>> {
  const token = `token of ${run}`;
  const agent = { run, role: "worker", slot: "", attempt: 1, token: hashToken(token), dir: "", turn: 1 };
  on.withStore((store) => store.putAgent({ ...agent, status: "running", entry: 0, startedAt: 0 }));
  return { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${run}.worker.1.1` };
}

const CALLERS = {
  person: () => ({}),
  "agent of the run": () => ({ env: voiceOf(own) }),
  "agent of another run": () => ({ env: voiceOf(other) }),
  "agent outside runs": () => ({ env: { CLAUDECODE: "1" } }),
  "nobody: a process of a run without its token": () => ({ env: { SIGNALBOX_JOB: `${own}.worker.1.1` } }),
  "a child of an agent that hides its marks": () => ({
    procs: procsOf([{ pid: 10, name: "sh", environment: "CLAUDECODE=1\0" }]),
  }),
  "a process with the token of another": () => {
    const { SIGNALBOX_TOKEN = "" } = voiceOf(own);
    return { env: { SIGNALBOX_TOKEN } };
  },
} satisfies Record<string, () => Partial<Pick<Invocation, "env" | "procs">>>;

/** Inputs that change nothing, whoever gives them: an allowed call is told what else is wrong. */
const INPUTS: Readonly<Record<UseName, () => unknown>> = {
  submit: () => ({ run: own, artifact: "plan" }),
  "review-create": () => ({ run: own, artifact: "plan", file: { name: "-", text: "" } }),
  move: () => ({ run: own, to: "nowhere" }),
  update: () => ({ run: own, status: "nowhere" }),
  complete: () => ({ run: own }),
  "ask-questions": () => ({ questions: [""] }),
  waive: () => ({ run: own, artifact: "nothing", reason: "so" }),
  stop: () => ({ run: "zzzz", now: false }),
  resume: () => ({ run: "zzzz" }),
  cancel: () => ({ run: "zzzz" }),
  respawn: () => ({ words: [own, "worker"] }),
  "get-task": () => ({}),
  "list-context": () => ({}),
  "read-context": () => ({ file: "/etc/passwd", offset: 0 }),
};

async function codeOf(use: UseName, caller: Partial<Pick<Invocation, "env" | "procs">>): Promise<string> {
  const { env, procs = AT_HOME } = caller;
  const door: Invocation = {
    cwd: on.repo,
    home: "",
    env: { ...on.env, ...env },
    procs,
    startSupervisor: () => undefined,
  };
  try {
    const { code, data } = await performUntyped(door, use, INPUTS[use]());
    return SCHEMAS[use].output.safeParse(data).success ? code : "not what was declared";
  } catch (error) {
    if (error instanceof UserError) return error.code;
    throw error;
  }
}

/** person, agent of the run, agent of another run. */
const EXPECTED: Readonly<Record<UseName, readonly [string, string, string]>> = {
  submit: ["gate-not-met", "gate-not-met", "not-your-role"],
  "review-create": ["invalid-review", "invalid-review", "not-your-role"],
  move: ["not-in-map", "not-in-map", "not-your-role"],
  update: ["not-in-map", "not-in-map", "not-your-role"],
  complete: ["gate-not-met", "gate-not-met", "not-your-role"],
  "ask-questions": ["no-token", "bad-usage", "bad-usage"],
  waive: ["invalid", "not-a-person", "not-a-person"],
  stop: ["unknown-run", "not-a-person", "not-a-person"],
  resume: ["unknown-run", "not-a-person", "not-a-person"],
  cancel: ["unknown-run", "not-a-person", "not-a-person"],
  respawn: ["invalid", "not-a-person", "not-a-person"],
  "get-task": ["no-token", "ok", "ok"],
  "list-context": ["no-token", "ok", "ok"],
  "read-context": ["no-token", "not-yours", "not-yours"],
};

/** What a caller that is none of these is told: that it takes a person, or that it takes an agent. */
function refusalOf(use: UseName): string {
  return USES[use].callers.includes("person") ? "not-a-person" : "no-token";
}

const NAMES = Object.keys(USES).filter((name): name is UseName => Object.hasOwn(USES, name));

test.for(NAMES)("%s", async (use) => {
  const [person, agent, another] = EXPECTED[use];
  const found: Record<string, string> = {};
  for (const [name, caller] of Object.entries(CALLERS)) found[name] = await codeOf(use, caller());
  const refused = refusalOf(use);
  expect(found).toEqual({
    person,
    "agent of the run": agent,
    "agent of another run": another,
    "agent outside runs": refused,
    "nobody: a process of a run without its token": refused,
    "a child of an agent that hides its marks": refused,
    "a process with the token of another": "stolen-token",
  });
});

test("nothing of that has changed the run", () => {
  expect([on.stateOf(own), on.stateOf(other)]).toEqual(["planning", "planning"]);
});
