/** A call that got lost is made again under the same id: what was done is not done again, and the outcome is the same. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Invocation } from "../../src/app/invocation.ts";
import type { Outcome } from "../../src/app/outcome.ts";
import { performUntyped } from "../../src/app/perform.ts";
import { SCHEMAS, type UseName } from "../../src/app/schemas.ts";
import { HANDOFF, PLAN, taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene();
});
afterAll(removeHomes);

const ID = `call ${"a".repeat(24)}`;

/** As an agent of the run, under the id of one call. */
async function calling(
  run: string,
  role: string,
): Promise<(use: UseName, input: unknown, call?: string) => Promise<Outcome<unknown>>> {
  const attempt =
    (await on.withStore(async (store) => (await store.load(run))?.run.agents[role]?.attempt)) ?? 1;
  // Registers the agent, with its folder and its token.
  await on.as(run, role);
  const token = `token of ${run} ${role} ${attempt}`;
  const env = { ...on.env, SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${run}.${role}.${attempt}.1` };
  const door: Invocation = { cwd: on.repo, home: "", env, procs: AT_HOME, startSupervisor: () => undefined };
  return (use, input, call = ID) => performUntyped({ ...door, call }, use, input);
}

const journal = (run: string): Promise<readonly string[]> =>
  on.withStore(async (store) => (await store.events(run)).map(({ event }) => JSON.stringify(event)));

const PLANNED = { name: "-", text: `${PLAN}\n` };

test.for<[use: UseName, state: string, role: string, input: unknown, events: string]>([
  ["submit", "planning", "worker", { artifact: "plan", file: PLANNED }, "submitted"],
  ["move", "planning", "worker", { to: "clarification", note: "so?" }, "moved"],
  ["update", "planning", "worker", { summary: "Other", status: "clarification" }, "param-set moved"],
  ["ask-questions", "planning", "worker", { questions: ["So?"] }, "moved"],
  ["complete", "working", "worker", {}, "moved"],
  [
    "review-create",
    "agent-review",
    "reviewer",
    { file: { name: "-", text: '{"verdict":"PASS"}' } },
    "submitted moved",
  ],
])("%s", async ([use, state, role, input, events]) => {
  const run = await on.taskIn(state);
  if (state === "working") on.page(run, { Plan: PLAN, Handoff: HANDOFF });
  const call = await calling(run, role);
  const before = (await journal(run)).length;
  const first = await call(use, input);
  const after = await journal(run);
  expect([first.code, SCHEMAS[use].output.safeParse(first.data).success]).toEqual(["ok", true]);
  for (const word of events.split(" ")) expect(after.slice(before).join("\n")).toContain(`"${word}"`);
  const again = await call(use, input);
  expect([again.code, again.message, again.data, again.next]).toEqual([
    first.code,
    first.message,
    first.data,
    first.next,
  ]);
  expect(await journal(run)).toEqual(after);
});

test("what a call has not done yet is done when it is made again", async () => {
  const run = await on.taskIn("planning");
  const call = await calling(run, "worker");
  await call("update", { summary: "Other" });
  const half = await journal(run);
  const { data } = await call("update", { summary: "Other", status: "clarification" });
  expect(data).toMatchObject({ run, from: "planning", to: "clarification" });
  expect((await journal(run)).slice(half.length).join("\n")).not.toContain('"param-set"');
});

test("another call is another: the same words count again", async () => {
  const run = await on.taskIn("planning");
  const call = await calling(run, "worker");
  await call("update", { summary: "Other" });
  const once = (await journal(run)).length;
  await call("update", { summary: "Other" }, `call ${"b".repeat(24)}`);
  expect((await journal(run)).length).toBeGreaterThan(once);
});
