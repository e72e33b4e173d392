/** What something ahead of a run asks for, as it is now: of a file that is read in two ways, the one that matters where the run is. */

import { expect, test } from "vitest";
import { meantIn } from "../../src/app/view/work/other-readings.ts";
import { askerAhead } from "../../src/core/explain/still-needed.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { live, session } from "../support/orchestrated.ts";

const LEAN = { mode: "lean" };

type Row = readonly [
  state: string,
  people: string,
  agents: Record<string, string>,
  params: Record<string, Literal>,
  said: Readonly<Record<string, string>>,
];

test.for<Row>([
  [
    "APPROVE_DESIGN",
    "",
    {},
    {},
    { spec: "valid gate", "lean-spec": "invalid context", acceptance: "valid gate" },
  ],
  ["ASK_USER", "", { Architect: "BLOCKED" }, {}, { spec: "valid gate", "lean-spec": "invalid context" }],
  [
    "BLOCKED",
    "",
    { SpecAgent: "OK -acceptance*" },
    {},
    { spec: "valid gate", "lean-spec": "invalid context" },
  ],
  [
    "REVIEW_STRATEGY",
    "approved",
    {},
    {},
    { spec: "valid context", todo: "valid gate", "plan-shape": "valid gate" },
  ],
  [
    "BLOCKED",
    "approved",
    { Planner: "OK -tasks*" },
    {},
    { todo: "missing gate", "plan-shape": "missing gate" },
  ],
  [
    "ATTEST",
    "approved, per-batch",
    {},
    {},
    { spec: "valid context", "lean-spec": "invalid context", acceptance: "valid gate" },
  ],
  [
    "LEAN_ATTEST",
    "",
    {},
    LEAN,
    { spec: "invalid nobody", "lean-spec": "valid context", "plan-shape": "missing nobody" },
  ],
  ["ASK_USER", "", { Coder: "BLOCKED" }, LEAN, { spec: "invalid nobody", "lean-spec": "valid context" }],
  ["ASK_USER", "", { SpecAgent: "BLOCKED" }, LEAN, { spec: "invalid nobody", "lean-spec": "valid gate" }],
  // What was lean is put aside.
  [
    "APPROVE_DESIGN",
    "",
    { Coder: "OK complex" },
    LEAN,
    { spec: "valid gate", "lean-spec": "invalid context" },
  ],
])("in %s after %s: %o", ([state, people, agents, params, said]) => {
  const { run } = live(session, { agents, params, people: people === "" ? [] : people.split(", ") });
  expect(run.state).toBe(state);
  const found = Object.keys(said).map((name) => [
    name,
    `${standingOf(session, run, name)} ${askerAhead(session, run, name)}`,
  ]);
  expect(Object.fromEntries(found)).toEqual(said);
});

const EDIT = "approved, edit spec.md";

test.for<
  [
    what: string,
    people: string,
    agents: Record<string, string>,
    params: Record<string, Literal>,
    told: string,
  ]
>([
  ["full", "approved, per-batch, attested", {}, {}, ""],
  ["lean", "attested", {}, LEAN, ""],
  ["lean to full", "approved, per-batch, attested", { Coder: "OK complex" }, LEAN, ""],
  ["no plan", "approved", { Planner: "garbage, OK" }, {}, "planned"],
  ["no specification", "", { SpecAgent: "garbage, OK" }, {}, "intake"],
  ["a person's own words", EDIT, {}, {}, ""],
])("what history tells of texts that are nothing: %s", ([, people, agents, params, told]) => {
  const { run, events } = live(session, { agents, params, people: people === "" ? [] : people.split(", ") });
  const nothing = (of: typeof events): string[] =>
    of.flatMap((event) =>
      event.type === "artifact-read" && event.reading.found && event.reading.faults.length > 0
        ? [event.reading.artifact]
        : [],
    );
  expect(nothing(meantIn(session, run)(events)).join(" ")).toBe(told);
  // The other reading of the specification is there all the time.
  expect(nothing(events).some((name) => name.endsWith("spec"))).toBe(true);
});
