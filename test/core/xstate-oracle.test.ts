/**
 * The core against a second opinion: random lives of a task through `step` and through a hand-written XState machine.
 *
 * After every event both must agree on whether it was accepted, on the state, the counters, the agents and the effects.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Facts, Limits, State, TaskEvent, Text } from "../../bench/task/event.ts";
import { loadTask, withLimits } from "../../bench/task/load.ts";
import { newPair, play, type Snapshot } from "../../bench/task/play.ts";

const DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const SEQUENCES = DEEP ? 20_000 : 300;
const EVENTS_MAX = 60;
/** Events that a finished task still gets, before another one begins. */
const AFTERLIFE_MAX = 3;

const workflow = loadTask();

/** Where a task usually goes next, so that random lives get far. */
const USUAL: Readonly<Record<string, readonly State[]>> = {
  pending: ["planning"],
  planning: ["working", "clarification", "done"],
  clarification: ["planning", "working", "done"],
  working: ["agent-review", "agent-review", "clarification", "stuck", "done"],
  "agent-review": ["reviewing", "working", "stuck", "done"],
  reviewing: ["working", "working", "working", "done"],
  stuck: ["reviewing", "done"],
};
const STATES: readonly State[] = [
  "pending",
  "planning",
  "clarification",
  "working",
  "agent-review",
  "reviewing",
  "stuck",
  "done",
  "cancelled",
];

/** What happens, before it is known which attempt of an agent is the present one. */
type Command = (snapshot: Snapshot) => TaskEvent;

const valid = (name: string): fc.Arbitrary<Text> =>
  fc.constantFrom("1", "2", "3", "4").map((id) => ({ id: `${name} ${id}`, ok: true }));
const broken = (name: string): fc.Arbitrary<Text> =>
  fc.constantFrom<Text>({ id: "", ok: false }, { id: `${name} ?`, ok: false });
const text = (name: string): fc.Arbitrary<Text> =>
  fc.oneof({ weight: 5, arbitrary: valid(name) }, { weight: 1, arbitrary: broken(name) });
const review: fc.Arbitrary<Text> = fc.oneof(
  { weight: 4, arbitrary: valid("pass").map((each): Text => ({ ...each, verdict: "PASS" })) },
  { weight: 6, arbitrary: valid("fail").map((each): Text => ({ ...each, verdict: "FAIL" })) },
  { weight: 1, arbitrary: broken("review") },
);
/** The usual case, and one time in ten the other. */
function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other });
}
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const often = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 4 });
const tree = fc.constantFrom("t1", "t2", "t3");
const facts: fc.Arbitrary<Facts> = fc
  .record({
    plan: often(text("plan")),
    handoff: often(text("handoff")),
    review: often(review),
    tree: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: tree }),
    workspace: fc.boolean(),
  })
  .map(defined);
const limit = fc.integer({ min: 1, max: 3 });
const limits = fc.record({ rounds: limit, crashes: limit, questions: limit });
const late = mostly(fc.constant(0), fc.constantFrom(-1, 1));
const speaker = fc.record({
  by: fc.constantFrom(
    "human" as const,
    "human" as const,
    "worker" as const,
    "worker" as const,
    "reviewer" as const,
  ),
  late,
});
const role = fc.constantFrom("worker" as const, "reviewer" as const);

/** Now and then somebody speaks for an attempt that is over, or that never was. */
function attemptOf(snapshot: Snapshot, who: string, off: number): number {
  const { attempt } = who === "reviewer" ? snapshot.context.reviewer : snapshot.context.worker;
  return attempt + off;
}

const start: fc.Arbitrary<Command> = fc
  .record({
    to: mostly(
      fc.constantFrom<State>("pending", "pending", "clarification", "agent-review", "reviewing"),
      fc.constantFrom<State>("planning", "done"),
    ),
    facts,
    workspace: mostly(fc.constant(true), fc.constant(false)),
    by: mostly(fc.constant("human" as const), fc.constant("worker" as const)),
  })
  .map(({ to, facts: known, workspace, by }) => () => ({
    ...known,
    workspace,
    type: `START.${to}`,
    by,
    attempt: 0,
  }));

const ask: fc.Arbitrary<Command> = fc
  .record({
    speaker,
    facts,
    usual: mostly(fc.constant(true), fc.constant(false)),
    pick: fc.nat(),
    own: fc.boolean(),
  })
  .map(({ speaker: { by, late: off }, facts: known, usual, pick, own }) => (snapshot) => {
    const targets = usual ? (USUAL[snapshot.value] ?? STATES) : STATES;
    const to = targets[pick % targets.length] ?? "done";
    const who = own && snapshot.value === "agent-review" ? "reviewer" : by;
    return { ...known, type: `ASK.${to}`, by: who, attempt: attemptOf(snapshot, who, off) };
  });

const submit: fc.Arbitrary<Command> = fc
  .record({ speaker, facts })
  .map(({ speaker: { by, late: off }, facts: known }) => (snapshot) => ({
    ...known,
    type: "SUBMIT",
    by,
    attempt: attemptOf(snapshot, by, off),
  }));

const observe: fc.Arbitrary<Command> = fc
  .record({
    facts: fc.oneof({ weight: 2, arbitrary: fc.constant<Facts>({}) }, { weight: 1, arbitrary: facts }),
    turn: maybe(fc.boolean()),
    merged: mostly(
      fc.constant(undefined),
      fc.constantFrom("seen" as const, "seen" as const, "missing" as const),
    ),
    workspace: fc.boolean(),
  })
  .map(({ facts: known, turn, merged, workspace }) => () => ({
    ...known,
    workspace,
    type: "OBSERVE",
    ...defined({ turn, merged }),
  }));

const started: fc.Arbitrary<Command> = fc
  .record({ role, late })
  .map(({ role: who, late: off }) => (snapshot) => ({
    type: who === "worker" ? "WORKER_STARTED" : "REVIEWER_STARTED",
    attempt: attemptOf(snapshot, who, off),
  }));

const ended: fc.Arbitrary<Command> = fc
  .record({
    role,
    late,
    facts: fc.oneof(fc.constant<Facts>({}), facts),
    infrastructure: fc.constantFrom(false, false, false, true),
  })
  .map(({ role: who, late: off, facts: known, infrastructure }) => (snapshot) => ({
    ...known,
    type: who === "worker" ? "WORKER_ENDED" : "REVIEWER_ENDED",
    infrastructure,
    attempt: attemptOf(snapshot, who, off),
  }));

const waive: fc.Arbitrary<Command> = fc
  .record({
    speaker,
    artifact: fc.constantFrom("plan" as const, "handoff" as const, "review" as const),
    reason: fc.constantFrom("accepted", "accepted", "accepted", " "),
    tree: maybe(tree),
  })
  .map(({ speaker: { by, late: off }, artifact, reason, tree: seen }) => (snapshot) => ({
    type: "WAIVE",
    ...(seen === undefined ? {} : { tree: seen }),
    by,
    attempt: attemptOf(snapshot, by, off),
    artifact,
    reason,
  }));

const respawn: fc.Arbitrary<Command> = fc
  .record({ speaker, role })
  .map(({ speaker: { by, late: off }, role: who }) => (snapshot) => ({
    type: "RESPAWN",
    by,
    attempt: attemptOf(snapshot, by, off),
    role: who,
  }));

const set: fc.Arbitrary<Command> = fc
  .record({ speaker, name: fc.constantFrom("summary", "branch", "harness", "rounds", "nothing") })
  .map(({ speaker: { by, late: off }, name }) => (snapshot) => ({
    type: "SET",
    by,
    attempt: attemptOf(snapshot, by, off),
    name,
  }));

const command = fc.oneof(
  { weight: 24, arbitrary: ask },
  { weight: 10, arbitrary: submit },
  { weight: 5, arbitrary: observe },
  { weight: 5, arbitrary: ended },
  { weight: 2, arbitrary: started },
  { weight: 2, arbitrary: waive },
  { weight: 3, arbitrary: respawn },
  { weight: 1, arbitrary: set },
  { weight: 1, arbitrary: start },
);
/** Before a task has begun, mostly its beginning happens. */
const moment = mostly(
  fc.record({ start, other: command }).map(
    ({ start: first, other }): Command =>
      (snapshot) =>
        (snapshot.value === "start" ? first : other)(snapshot),
  ),
  command,
);
const life = fc.array(moment, { minLength: 1, maxLength: EVENTS_MAX, size: "max" });

/** The moves of the map, as `from to`, that at least one random life must have taken. */
const MAP = [
  "start pending",
  "start clarification",
  "start agent-review",
  "start reviewing",
  "pending planning",
  "pending cancelled",
  "planning working",
  "planning clarification",
  "planning stuck",
  "planning done",
  "planning cancelled",
  "clarification planning",
  "clarification working",
  "clarification done",
  "clarification cancelled",
  "working clarification",
  "working agent-review",
  "working stuck",
  "working done",
  "working cancelled",
  "agent-review reviewing",
  "agent-review working",
  "agent-review stuck",
  "agent-review done",
  "agent-review cancelled",
  "reviewing working",
  "reviewing done",
  "reviewing cancelled",
  "stuck reviewing",
  "stuck done",
  "stuck cancelled",
];

test("step and the oracle agree on every event of a random life", () => {
  const seed = Number(process.env["SIGNALBOX_SEED"]);
  const taken = new Set<string>();
  const count = { accepted: 0, refused: 0 };
  const agree = (budgets: Limits, commands: readonly Command[]): void => {
    const limited = withLimits(workflow, budgets);
    const begin = newPair(budgets);
    let pair = begin;
    const told: TaskEvent[] = [];
    let over = 0;
    for (const next of commands) {
      const event = next(pair.snapshot);
      told.push(event);
      const { pair: after, ours, theirs } = play(limited, pair, event);
      expect(
        ours,
        `${JSON.stringify(budgets)} after ${told.map((each) => JSON.stringify(each)).join("\n")}`,
      ).toEqual(theirs);
      if (ours.accepted && pair.run.state !== ours.state) taken.add(`${pair.run.state} ${ours.state}`);
      count[ours.accepted ? "accepted" : "refused"] += 1;
      over += ours.state === "done" || ours.state === "cancelled" ? 1 : 0;
      pair = over > AFTERLIFE_MAX ? begin : after;
      over = pair === begin ? 0 : over;
    }
  };
  fc.assert(fc.property(limits, life, agree), { seed, numRuns: SEQUENCES });
  console.log(
    `seed ${seed}: ${SEQUENCES} lives, ${count.accepted} events accepted, ${count.refused} refused`,
  );
  expect(count.accepted).toBeGreaterThan(count.refused / 2);
  // A few lives may miss rare moves by chance; many may not.
  expect(MAP.filter((move) => !taken.has(move)).length).toBeLessThanOrEqual(DEEP ? 0 : MAP.length / 4);
});

test("the machine below an agent may go away five times; the sixth counts as a crash", () => {
  let { pair } = play(workflow, newPair(), {
    type: "START.agent-review",
    by: "human",
    attempt: 0,
    workspace: true,
  });
  const seen = [1, 2, 3, 4, 5, 6, 7].map((attempt) => {
    const {
      pair: after,
      ours,
      theirs,
    } = play(workflow, pair, { type: "REVIEWER_ENDED", attempt, infrastructure: true });
    expect(ours).toEqual(theirs);
    pair = after;
    return `${ours.state}: ${ours.counters}`;
  });
  expect(seen.slice(-3)).toEqual([
    "agent-review: round 1, crashes 0, questions 0, losses 5",
    "agent-review: round 1, crashes 1, questions 0, losses 5",
    "stuck: round 1, crashes 0, questions 0, losses 0",
  ]);
});

test("a review that comes back unchanged is the text last seen: what replaced it in between counts when it is written again", () => {
  const rejected = (id: string): Text => ({ id, ok: true, verdict: "FAIL" });
  const events: readonly TaskEvent[] = [
    { type: "START.agent-review", by: "human", attempt: 0, workspace: true, tree: "t1" },
    { type: "ASK.working", by: "reviewer", attempt: 1, review: rejected("old"), tree: "t1" },
    {
      type: "ASK.agent-review",
      by: "human",
      attempt: 0,
      handoff: { id: "handoff", ok: true },
      review: rejected("other"),
    },
    { type: "OBSERVE", review: rejected("new"), workspace: false },
    { type: "REVIEWER_ENDED", attempt: 2, infrastructure: true, review: rejected("old") },
    { type: "REVIEWER_ENDED", attempt: 3, infrastructure: false, review: rejected("new") },
  ];
  let pair = newPair();
  const states = events.map((event) => {
    const { pair: after, ours, theirs } = play(workflow, pair, event);
    expect(ours).toEqual(theirs);
    pair = after;
    return ours.state;
  });
  expect(states.at(-1)).toBe("stuck");
});

function defined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
