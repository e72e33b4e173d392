/** Random small definitions, made directly as data: up to six states, two counters, two roles and three artifacts. */

import fc from "fast-check";
import type { Artifact } from "../../src/core/model/artifact.ts";
import {
  ORIGIN,
  START,
  type Action,
  type Condition,
  type Counter,
  type Definition,
  type EndRule,
  type Move,
  type Role,
  type State,
} from "../../src/core/model/workflow.ts";

const ROLES = ["worker", "reviewer"];
const COUNTERS = ["rounds", "crashes"];
const PLACE = { file: "random", line: 1, col: 1 };

const role: Role = {
  session: "fresh",
  access: "write",
  prompt: "do",
  again: "do",
  harness: "",
  model: "",
  minutes: 1,
  stallMinutes: 1,
  context: [],
};

export const definitions: fc.Arbitrary<Definition> = fc.integer({ min: 2, max: 5 }).chain((size) => {
  const names = Array.from({ length: size }, (_, index) => `s${index}`);
  const scope = fc.constantFrom("run", "entry", "cycle", ...names);
  return fc
    .record({
      counters: fc.record({ rounds: counterOf(scope), crashes: counterOf(scope) }),
      artifacts: fc.record({
        review: artifactOf(scope, ["reviewer", "worker"]),
        result: artifactOf(scope, ["worker", "human"]),
        tests: artifactOf(scope, ["engine"]),
        merged: artifactOf(scope, ["engine"]).map((artifact): Artifact => ({ ...artifact, ...OF_THE_WORLD })),
      }),
      states: fc.array(stateOf, { minLength: size, maxLength: size }),
      moves: fc.array(moveOf(names), { minLength: size + 1, maxLength: size + 6 }),
      ends: fc.array(endOf(names), { maxLength: 4 }),
      // Without agents little happens.
      begin: fc
        .subarray(ROLES, { minLength: 1 })
        .map((started): Action[] => started.map((name) => ({ type: "start", role: name }))),
    })
    .map(({ counters, artifacts, states, moves, ends, begin }) => ({
      name: "random",
      title: "",
      params: {},
      counters,
      artifacts,
      roles: { worker: role, reviewer: { ...role, access: "read" as const } },
      states: {
        ...Object.fromEntries(names.map((name, index) => [name, states[index] ?? plainState])),
        over: { ...plainState, final: "done" as const },
      },
      moves: [{ ...plainMove, from: START, to: "s0", by: ["human"], do: begin }, ...moves],
      ends: ends.filter(
        (end, index) => ends.findIndex((other) => other.role === end.role && other.in === end.in) === index,
      ),
      asks: {},
      prompts: {},
      assertions: [],
      projections: [],
      places: {},
    }));
});

function counterOf(scope: fc.Arbitrary<string>): fc.Arbitrary<Counter> {
  return fc.record({ max: fc.integer({ min: 0, max: 2 }), per: scope });
}

function artifactOf(scope: fc.Arbitrary<string>, authors: readonly string[]): fc.Arbitrary<Artifact> {
  const verdicts = { PASS: "pass", FAIL: "needs_fix" } as const;
  return fc.record({
    file: fc.constant(`${authors.join()}.md`),
    reader: fc.constant<Artifact["reader"]>(
      authors.includes("engine")
        ? { type: "check", command: "test" }
        : authors.includes("human")
          ? { type: "file" }
          : { type: "section", heading: "Review", any: [], all: [], verdicts },
    ),
    by: fc.subarray([...authors], { minLength: 1 }),
    fresh: fc.oneof(scope, fc.constantFrom(...COUNTERS)),
    bind: fc.constant([]),
    block: fc.constant("low"),
  });
}

const OF_THE_WORLD = {
  file: "",
  by: ["engine"],
  reader: { type: "fact", fact: "branch-merged" },
} as const;

const MERGED: Condition = { type: "artifact", artifact: "merged", in: ["holds"] };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ROLES).map((name): Action => ({ type: "start", role: name })) },
  { weight: 1, arbitrary: fc.constantFrom(...ROLES).map((name): Action => ({ type: "stop", role: name })) },
  { weight: 1, arbitrary: fc.constant<Action>({ type: "stop-all" }) },
);
const actions = fc.array(action, { maxLength: 2 });
const plainState: State = { waits: false, title: "", enter: [] };
const stateOf = fc.record({ waits: fc.constant(false), title: fc.constant(""), enter: actions });

const plainMove: Move = {
  from: "",
  to: "",
  by: [],
  when: [],
  need: [],
  count: [],
  renew: [],
  remember: false,
  reserve: [],
  waive: [],
  do: [],
  at: PLACE,
};

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    type: fc.constant("artifact" as const),
    artifact: fc.constantFrom("review", "tests"),
    in: fc.subarray(["pass", "needs_fix", "missing", "waived", "stale"] as const, {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  fc.record({
    type: fc.constant("counter" as const),
    counter: fc.constantFrom(...COUNTERS),
    is: fc.constantFrom("below" as const, "spent" as const),
  }),
);

function moveOf(names: readonly string[]): fc.Arbitrary<Move> {
  return fc
    .record({
      from: fc.constantFrom(...names),
      to: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...names, "over") },
        { weight: 1, arbitrary: fc.constant(ORIGIN) },
      ),
      by: fc.oneof(fc.constant(["engine"]), fc.subarray(["human", ...ROLES], { minLength: 1, maxLength: 2 })),
      when: fc.array(condition, { maxLength: 2 }),
      need: fc.oneof(fc.constant([]), fc.subarray(["review", "result", "tests"], { maxLength: 1 })),
      count: fc.subarray(COUNTERS, { maxLength: 1 }),
      renew: fc.oneof(fc.constant([]), fc.constant([]), fc.constant(["cycle"])),
      remember: fc.nat(4).map((chance) => chance === 0),
      do: actions,
      isMerged: fc.boolean(),
    })
    .map(({ isMerged, ...move }): Move => {
      // Only people wait for it.
      const when = isMerged && move.by.join() === "human" ? [...move.when, MERGED] : move.when;
      return { ...plainMove, ...move, when, remember: move.remember && move.to !== ORIGIN };
    });
}

function endOf(names: readonly string[]): fc.Arbitrary<EndRule> {
  return fc
    .record({
      role: fc.constantFrom(...ROLES),
      in: fc.constantFrom(...names),
      try: fc.option(fc.constantFrom(...names), { nil: undefined }),
      count: fc.option(fc.constantFrom(...COUNTERS), { nil: undefined }),
      again: fc.boolean(),
    })
    .map(({ role: name, in: state, try: target, count, again }) => ({
      role: name,
      in: state,
      ...(target === undefined ? {} : { try: target }),
      // oxlint-disable-next-line unicorn/no-thenable -- a word of the language
      then: [],
      ...(count === undefined ? {} : { count }),
      do: [{ type: again ? "start" : "mark", role: name }],
      at: PLACE,
    }));
}
