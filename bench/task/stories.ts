/** Lives of a task, told event by event: what usually happens, what goes wrong, and what is refused. */

import type { Facts, Role, State, TaskEvent, Text } from "./event.ts";

export type Story = { readonly name: string; readonly events: readonly TaskEvent[]; readonly ends: State };

const PLAN: Text = { id: "plan", ok: true };
const NO_PLAN: Text = { id: "", ok: false };

const handoff = (id: number): Facts => ({ handoff: { id: `handoff ${id}`, ok: true }, tree: `tree ${id}` });
const pass = (id: number): Facts => ({ review: { id: `pass ${id}`, ok: true, verdict: "PASS" } });
const fail = (id: number): Facts => ({ review: { id: `fail ${id}`, ok: true, verdict: "FAIL" } });

const start = (to: State, facts: Facts = {}): TaskEvent => ({
  type: `START.${to}`,
  by: "human",
  attempt: 0,
  tree: "tree",
  ...facts,
});
const human = (to: State, facts: Facts = {}): TaskEvent => ({
  type: `ASK.${to}`,
  by: "human",
  attempt: 0,
  ...facts,
});
const agent =
  (by: Role) =>
  (attempt: number, to: State, facts: Facts = {}): TaskEvent => ({
    type: `ASK.${to}`,
    by,
    attempt,
    ...facts,
  });
const worker = agent("worker");
const reviewer = agent("reviewer");
const submit = (by: Role, attempt: number, facts: Facts): TaskEvent => ({
  type: "SUBMIT",
  by,
  attempt,
  ...facts,
});
const up = (type: "WORKER_STARTED" | "REVIEWER_STARTED", attempt: number): TaskEvent => ({ type, attempt });
const end = (type: "WORKER_ENDED" | "REVIEWER_ENDED", attempt: number, facts: Facts = {}): TaskEvent => ({
  type,
  attempt,
  infrastructure: false,
  ...facts,
});
const tick: TaskEvent = { type: "OBSERVE" };

const planned: readonly TaskEvent[] = [
  start("pending"),
  human("planning", { workspace: true }),
  up("WORKER_STARTED", 1),
  submit("worker", 1, { plan: PLAN }),
  worker(1, "working"),
];

export const STORIES: readonly Story[] = [
  {
    name: "planned, handed off, passed, finished",
    events: [
      ...planned,
      worker(1, "agent-review", handoff(1)),
      up("REVIEWER_STARTED", 1),
      reviewer(1, "reviewing", pass(1)),
      end("REVIEWER_ENDED", 1),
      human("done"),
      end("WORKER_ENDED", 1),
    ],
    ends: "done",
  },
  {
    name: "failed once, fixed, passed, finished",
    events: [
      ...planned,
      worker(1, "agent-review", handoff(1)),
      up("REVIEWER_STARTED", 1),
      reviewer(1, "working", fail(1)),
      end("REVIEWER_ENDED", 1),
      tick,
      worker(1, "agent-review", handoff(2)),
      up("REVIEWER_STARTED", 2),
      submit("reviewer", 2, pass(2)),
      end("REVIEWER_ENDED", 2),
      human("done"),
    ],
    ends: "done",
  },
  {
    name: "failed twice, stuck, mended by a person",
    events: [
      ...planned,
      worker(1, "agent-review", handoff(1)),
      submit("reviewer", 1, fail(1)),
      worker(1, "agent-review", handoff(2)),
      reviewer(2, "stuck", fail(2)),
      end("REVIEWER_ENDED", 2),
      human("reviewing", { tree: "mended" }),
      human("done"),
    ],
    ends: "done",
  },
  {
    name: "questions first, then changes requested in two cycles",
    events: [
      start("clarification", { workspace: true }),
      up("WORKER_STARTED", 1),
      worker(1, "planning"),
      worker(1, "clarification"),
      worker(1, "working", { plan: PLAN }),
      worker(1, "clarification"),
      worker(1, "working"),
      worker(1, "agent-review", handoff(1)),
      reviewer(1, "reviewing", pass(1)),
      human("working"),
      worker(1, "agent-review", handoff(2)),
      reviewer(2, "reviewing", pass(2)),
      human("working"),
      worker(1, "agent-review", handoff(3)),
      reviewer(3, "working", fail(3)),
      worker(1, "agent-review", handoff(4)),
      reviewer(4, "reviewing", pass(4)),
      human("done"),
    ],
    ends: "done",
  },
  {
    name: "the worker crashes twice, is started again, and dies with its handoff written",
    events: [
      start("pending"),
      human("planning", { workspace: true }),
      end("WORKER_ENDED", 1),
      { type: "RESPAWN", by: "human", attempt: 0, role: "worker" },
      end("WORKER_ENDED", 2, { plan: PLAN }),
      up("WORKER_STARTED", 3),
      end("WORKER_ENDED", 3),
      { type: "RESPAWN", by: "human", attempt: 0, role: "worker" },
      end("WORKER_ENDED", 4, handoff(1)),
      reviewer(1, "reviewing", pass(1)),
      human("working"),
      end("WORKER_ENDED", 5),
      { type: "RESPAWN", by: "human", attempt: 0, role: "worker" },
      end("WORKER_ENDED", 6),
      human("cancelled"),
    ],
    ends: "cancelled",
  },
  {
    name: "the reviewer dies without a verdict, then with one, and its machine goes away",
    events: [
      ...planned,
      worker(1, "agent-review", handoff(1)),
      end("REVIEWER_ENDED", 1),
      { type: "REVIEWER_ENDED", attempt: 2, infrastructure: true },
      end("REVIEWER_ENDED", 3, fail(1)),
      worker(1, "agent-review", handoff(2)),
      end("REVIEWER_ENDED", 4),
      end("REVIEWER_ENDED", 5),
      human("reviewing"),
      human("done"),
    ],
    ends: "done",
  },
  {
    name: "what is not allowed is refused",
    events: [
      start("planning"),
      start("pending"),
      start("pending"),
      human("planning"),
      human("working"),
      human("planning", { workspace: true }),
      worker(1, "working"),
      worker(1, "working", { plan: NO_PLAN }),
      reviewer(1, "reviewing", pass(1)),
      worker(2, "working", { plan: PLAN }),
      worker(1, "done"),
      worker(1, "cancelled"),
      human("agent-review"),
      worker(1, "working", { plan: PLAN }),
      worker(1, "agent-review"),
      worker(1, "agent-review", handoff(1)),
      worker(1, "reviewing"),
      reviewer(1, "reviewing", fail(1)),
      reviewer(1, "stuck", fail(1)),
      human("reviewing"),
      reviewer(1, "working", fail(1)),
      reviewer(1, "reviewing", pass(1)),
      worker(1, "agent-review"),
      human("done"),
      human("cancelled"),
      human("working"),
      tick,
    ],
    ends: "cancelled",
  },
  {
    name: "its turn comes, the work changes after the review, a person lets it pass",
    events: [
      start("pending"),
      { type: "OBSERVE", turn: false },
      { type: "OBSERVE", turn: true },
      { type: "OBSERVE", turn: true, workspace: true },
      up("WORKER_STARTED", 1),
      { type: "SET", by: "worker", attempt: 1, name: "branch" },
      { type: "WAIVE", by: "human", attempt: 0, artifact: "plan", reason: "small" },
      worker(1, "working"),
      worker(1, "agent-review", handoff(1)),
      tick,
      reviewer(1, "reviewing", pass(1)),
      { type: "OBSERVE", tree: "changed" },
      human("done"),
      { type: "WAIVE", by: "human", attempt: 0, artifact: "review", reason: "a comment" },
      human("done"),
    ],
    ends: "done",
  },
  {
    name: "reviewed work is merged by other means",
    events: [
      ...planned,
      tick,
      { type: "OBSERVE", merged: "missing" },
      worker(1, "agent-review", handoff(1)),
      { type: "OBSERVE", merged: "seen" },
      reviewer(1, "reviewing", pass(1)),
      human("done"),
      end("REVIEWER_ENDED", 1),
      end("WORKER_ENDED", 1),
    ],
    ends: "done",
  },
  {
    name: "work looks merged, and a person says that it is",
    events: [
      ...planned,
      human("done"),
      worker(1, "agent-review", handoff(1)),
      { type: "OBSERVE", merged: "seen" },
      { type: "OBSERVE", tree: "changed" },
      human("done"),
      { type: "OBSERVE", merged: "seen" },
      human("done"),
      end("REVIEWER_ENDED", 1),
      end("WORKER_ENDED", 1),
    ],
    ends: "done",
  },
];
