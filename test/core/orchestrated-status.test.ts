/** What the files of a session show: status.json in the words of its seed, the status of tasks, and the report. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { change, type OwnRun } from "../../src/core/step/apply.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Event } from "../../src/core/model/event.ts";
import { project } from "../../src/core/projection/project.ts";
import { questionsIn } from "../../src/core/projection/questions.ts";
import { recordOf } from "../../src/core/projection/journal-record.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { saidIn } from "../../src/core/projection/accepted-values.ts";
import { listedStatuses } from "../../src/core/tasks/status.ts";
import { insideOf, tasksView } from "../../src/core/tasks/view.ts";
import { statusOf } from "../../src/core/model/status.ts";
import { viewOf } from "../../src/core/projection/run-data.ts";
import { STATUS, STATUS_SCHEMAS } from "../../scripts/status-contract.ts";
import { live, session, task, type Told } from "../support/orchestrated.ts";

type Child = Told & { readonly id: string };

/** Of the parent, what had happened when it came to this state. */
type Scene = {
  readonly told: Told;
  readonly until?: string;
  readonly children?: Readonly<Record<string, readonly Child[]>>;
};

function shown({ told, until, children = {} }: Scene, file: string): unknown {
  const { events } = live(session, told);
  const last = events.findIndex((event) => event.type === "moved" && event.to === until);
  const seen = until === undefined ? events : events.slice(0, last + 1);
  const run = after(seen);
  const view = viewOf(session, run, {});
  const tasks = Object.entries(children).map(
    ([name, all]) => [name, tasksView(all.map(known), run.waivers[name] !== undefined)] as const,
  );
  const root = {
    ...view,
    run: { ...view.run, ...askedIn(session, seen) },
    ...saidIn(session, seen),
    tasks: Object.fromEntries(tasks),
  };
  const tree = session.definition.projections.find((each) => each.file.endsWith(`/${file}`));
  if (tree === undefined || !("data" in tree)) throw new Error(`nobody shows ${file}`);
  return project(tree.data, root);
}

/** What status.json says after each act of a life, in turn. */
function allShown(workflow: Workflow, told: Told): readonly unknown[] {
  const { events } = live(workflow, told);
  const acts = events.flatMap((event, index) => ("at" in event && index > 0 ? [index] : []));
  const tree = workflow.definition.projections.find((each) => each.file.endsWith("/status.json"));
  if (tree === undefined || !("data" in tree)) throw new Error("nobody shows it");
  return [...acts, events.length].map((end) => {
    const seen = events.slice(0, end);
    const view = viewOf(workflow, after(seen), {});
    const run = { ...view.run, ...askedIn(workflow, seen) };
    return project(tree.data, { ...view, run, ...saidIn(workflow, seen), tasks: {} });
  });
}

function known({ id, ...told }: Child): Parameters<typeof tasksView>[0][number] {
  const { run, events } = live(task, { ...told, params: { task: id, ...told.params } });
  const rounds = Object.entries(recordOf(task, events).reviews);
  return {
    task: { id, title: id, dependsOn: [], files: [] },
    run: id,
    took: "",
    outcome: "",
    status: task.definition.states[run.state]?.final ?? statusOf(task, run),
    summary: "",
    inside: insideOf(task, run, {
      questions: askedIn(task, events).questions,
      collected: saidIn(task, events).collected,
      reviews: Object.fromEntries(rounds.flatMap(([name, all]) => all.slice(-1).map((one) => [name, one]))),
    }),
  };
}

function after(events: readonly Event[]): Run {
  const run: OwnRun = { ...NO_RUN };
  for (const event of events) change(run, event);
  return run;
}

const askedIn = (workflow: Workflow, events: readonly Event[]) => questionsIn(workflow, events, () => "?");

const PER_BATCH = { told: { people: ["approved", "per-batch", "attested"] }, until: "PER_BATCH" };
const NONE = { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 };

test.for<[what: string, scene: Scene, status: object]>([
  [
    "at its beginning",
    { told: {}, until: "INTAKE" },
    {
      current_state: "INTAKE",
      current_task: null,
      mode: "full",
      blocker: null,
      assumptions: [],
      known_issues: [],
      user_decisions: [],
      gate_tracking: {
        APPROVE_DESIGN: {
          correction_status: "none",
          last_correction_dispatch: { agent: null, task_id: null, at: null },
        },
      },
      retry_counts: {},
      last_ci_result: "unknown",
    },
  ],
  [
    "a task whose review has notes",
    { ...PER_BATCH, children: { judged: [{ id: "T-001", agents: { Reviewer: "OK minor" } }] } },
    {
      current_state: "ASK_USER",
      current_task: "T-001",
      user_decisions: [
        { decision_id: "UD-APPROVE-DESIGN", task_id: null, status: "answered", answer: "approved" },
        { decision_id: "UD-REVIEW-STRATEGY", status: "answered", state_context: "REVIEW_STRATEGY" },
        { decision_id: "T-001/UD-1", task_id: "T-001", asked_by: "Reviewer", status: "pending" },
      ],
    },
  ],
  [
    "a task in need of somebody while it is mended",
    {
      ...PER_BATCH,
      children: {
        judged: [
          { id: "T-001" },
          { id: "T-002", agents: { Coder: "OK, BLOCKED", Reviewer: "BLOCKED major" } },
        ],
      },
    },
    {
      current_task: "T-002",
      retry_counts: { "T-001": NONE, "T-002": { ...NONE, FIX_REVIEW: 1 } },
      user_decisions: [{}, {}, { task_id: "T-002", asked_by: "Coder", state_context: "FIX_REVIEW" }],
    },
  ],
  [
    "findings, one of which is answered",
    {
      ...PER_BATCH,
      children: {
        judged: [
          {
            id: "T-001",
            agents: { Security: "NEEDS_DECISION medium medium" },
            people: ["sec-1=fix-later"],
          },
        ],
      },
    },
    {
      current_state: "ASK_USER",
      user_decisions: [
        {},
        {},
        { decision_id: "T-001/UD-1.1", finding_id: "sec-1", status: "answered", answer: "fix-later" },
        { decision_id: "T-001/UD-1.2", finding_id: "sec-2", status: "pending", answer: null },
      ],
    },
  ],
  [
    "a task that nobody can do",
    { ...PER_BATCH, children: { judged: [{ id: "T-001", agents: { Coder: "die*" } }] } },
    { current_state: "BLOCKED", current_task: "T-001", blocker: "subagent_failure", resume_state: "CODE" },
  ],
  [
    "a session that nobody can plan",
    { told: { agents: { Planner: "die*" }, people: ["approved"] } },
    { current_state: "BLOCKED", current_task: null, blocker: "subagent_failure", resume_state: "PLAN" },
  ],
  [
    "the checks were mended",
    {
      told: { agents: { ci: "red, red" }, people: ["approved", "per-batch", "attested", "attested"] },
      children: { judged: [{ id: "T-001" }], approved: [{ id: "meta", params: { part: "meta" } }] },
    },
    {
      current_state: "DONE",
      last_ci_result: "green",
      retry_counts: { "T-001": NONE, meta: { ...NONE, FIX_BUILD: 2 } },
    },
  ],
  [
    "a correction, asked about again",
    { told: { people: ["changes-requested/architecture"] } },
    {
      current_state: "APPROVE_DESIGN",
      gate_tracking: {
        APPROVE_DESIGN: {
          correction_status: "completed",
          last_correction_dispatch: { agent: "Architect", task_id: "meta" },
        },
      },
    },
  ],
  [
    "lean",
    { told: { params: { mode: "lean" } }, until: "LEAN_CODE" },
    { current_state: "IMPLEMENT_LOOP", mode: "lean" },
  ],
])("status.json: %s", ([, scene, status]) => {
  const told = shown(scene, "status.json");
  expect(told).toMatchObject(status);
  expect(STATUS.Session.safeParse(told).error).toBeUndefined();
});

const CHANGES = ["changes-requested/spec", "changes-requested/design", "approved", "per-batch", "attested"];

test.for<[of: "Session" | "Task", told: Told]>([
  ["Session", { people: ["approved", "single-final", "attested"] }],
  ["Session", { agents: { SpecAgent: "OK ui research", Researcher: "NEEDS_INFO*" }, people: ["answer"] }],
  ["Session", { agents: { SpecAgent: "BLOCKED asks" }, people: ["answer"] }],
  ["Session", { people: CHANGES }],
  ["Session", { people: ["no", "no", "no", "no", "resume", "cancel", "cancel"] }],
  ["Session", { agents: { Planner: "silent*" }, people: ["approved", "resume", "cancel"] }],
  ["Session", { agents: { ci: "red*" }, people: ["approved", "per-batch", "accept-known-issues"] }],
  ["Session", { agents: { ci: "unapproved auto" }, people: ["approved", "per-batch", "criteria", "skip"] }],
  ["Session", { agents: { judged: "some" }, people: ["approved", "per-batch", "simplify-scope"] }],
  ["Session", { people: ["approved", "to CANCELLED"] }],
  ["Session", { params: { mode: "lean" }, people: ["attested"] }],
  ["Session", { params: { mode: "lean" }, agents: { Coder: "OK complex" }, people: ["approved"] }],
  ["Task", {}],
  ["Task", { agents: { Coder: "BLOCKED asks" }, people: ["answer"] }],
  ["Task", { agents: { Coder: "silent*" }, people: ["resume", "give-up"] }],
  ["Task", { agents: { Reviewer: "OK nit" }, people: ["accept"] }],
  ["Task", { agents: { Reviewer: "BLOCKED major*" }, people: ["guidance", "accept-known-issues"] }],
  ["Task", { agents: { Security: "NEEDS_DECISION medium low" }, people: ["sec-1=fix-later", "accept-risk"] }],
])("%s, %o: whatever happens, it is as it is published", ([of, told]) => {
  const workflow = of === "Session" ? session : task;
  const params = of === "Session" ? told.params : { task: "T-001", ...told.params };
  for (const each of allShown(workflow, { ...told, ...(params === undefined ? {} : { params }) }))
    expect([STATUS[of].safeParse(each).error, each]).toEqual([undefined, each]);
});

test.for<[what: string, more: object]>([
  ["a key more", { surprise: true }],
  ["no state", { current_state: undefined }],
  ["another state", { current_state: "LEAN_CODE" }],
  ["a state of a child", { current_state: "completed" }],
  ["another blocker", { blocker: "because" }],
  ["no time", { last_update: "yesterday" }],
  ["counts that are none", { retry_counts: { "T-001": { FIX_REVIEW: 1 } } }],
  ["another result", { last_ci_result: "yellow" }],
])("%s is refused", ([, more]) => {
  const told = shown({ told: {} }, "status.json");
  expect(STATUS.Session.safeParse(told).success).toBe(true);
  expect(STATUS.Session.safeParse({ ...(told as object), ...more }).success).toBe(false);
});

test("its schema is current: npm run schema", () => {
  const [name = "", make] = Object.entries(STATUS_SCHEMAS)[0] ?? [];
  const published = readFileSync(join(import.meta.dirname, "../../schema", name), "utf8");
  expect(`${JSON.stringify(make?.(), undefined, 2)}\n`).toBe(published);
});

const SINGLE: Scene["children"] = {
  coded: [
    { id: "T-001", params: { part: "code" } },
    { id: "T-002", params: { part: "code" }, agents: { Coder: "BLOCKED" } },
  ],
};
const single = (more: Told["agents"] = {}): Told => ({
  agents: more,
  people: ["approved", "single-final", "accept-known-issues", "attested"],
});

test.for<[what: string, scene: Scene, statuses: object]>([
  [
    "per batch, as each is judged",
    {
      ...PER_BATCH,
      children: {
        judged: [
          { id: "T-001" },
          // Coded, and not judged.
          { id: "T-002", agents: { Reviewer: "OK nit" } },
          { id: "T-003", agents: { Coder: "BLOCKED" } },
          { id: "T-004", agents: { Reviewer: "silent*" } },
        ],
      },
    },
    { "T-001": "completed", "T-002": "implemented", "T-003": "in-progress", "T-004": "blocked" },
  ],
  [
    "single final, coded",
    { told: single(), until: "SINGLE_FINAL", children: SINGLE },
    { "T-001": "implemented", "T-002": "in-progress" },
  ],
  [
    "single final, all approved",
    { told: single(), until: "INTEGRATE", children: { coded: [SINGLE["coded"]?.[0] ?? { id: "" }] } },
    { "T-001": "completed" },
  ],
  [
    "single final, approved and changed since then",
    {
      told: { agents: { Docs: "OK ~" }, people: ["approved", "single-final", "attested"] },
      until: "HANDOVER",
      children: { coded: [SINGLE["coded"]?.[0] ?? { id: "" }] },
    },
    { "T-001": "implemented" },
  ],
  ["planned anew, nobody has begun one", { told: { people: ["approved"] }, children: SINGLE }, {}],
])("the status of tasks: %s", ([, scene, statuses]) => {
  expect(listedStatuses(shown(scene, "tasks.yaml"))).toEqual(statuses);
});

test("the report has the notes of all reviews, waivers and decisions of tasks", () => {
  const judged = [{ id: "T-001", agents: { Reviewer: "OK minor" }, people: ["accept"] }];
  const approved = [{ id: "meta", params: { part: "meta" }, agents: { Reviewer: "OK nit" } }];
  expect(shown({ told: PER_BATCH.told, children: { judged, approved } }, "report.md")).toMatchObject({
    "What was done": "it",
    Tasks: [{ task: "T-001", status: "completed" }],
    Waivers: [{ task: "T-001", artifact: "review" }],
    "Notes of reviews": [
      { task: "T-001", severity: "minor", file: "a.ts", note: "It is wrong" },
      { task: "meta", severity: "nit", file: "a.ts", note: "It is wrong" },
    ],
    Decisions: [
      {},
      {},
      { answer: "attested" },
      { answer: "attested" },
      { decision: "T-001/UD-1", answer: "accept" },
    ],
  });
});

test.for<Record<string, string>>([
  { Reviewer: "OK nit" },
  { Security: "NEEDS_DECISION medium" },
  { Security: "OK ~, OK, OK ~, OK" },
  { Reviewer: "BLOCKED major*" },
  { Coder: "BLOCKED" },
])("what is asked in a task came up in the loop: %o", (agents) => {
  const children = { judged: [{ id: "T-001", agents }] };
  expect(shown({ ...PER_BATCH, children }, "status.json")).toMatchObject({
    user_decisions: [{}, {}, { task_id: "T-001", status: "pending", state_context: "IMPLEMENT_LOOP" }],
  });
});
