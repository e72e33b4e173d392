/**
 * Checks every event before it is used: its type is known, and it names only what the definition has.
 *
 * Events come from outside. A name such as `constructor`, or one artifact read twice with two verdicts, must not get further.
 */

import type { Workflow } from "../../model/compile.ts";
import type { Actor, Incoming, Reading, Refusal } from "../../model/event.ts";
import { invalid } from "../refuse.ts";
import { PERMISSION_ANSWERS, type Run } from "../../model/run.ts";
import type { Definition } from "../../model/workflow.ts";

const KINDS: Readonly<Record<Incoming["type"], true>> = {
  "run-started": true,
  "move-asked": true,
  submitted: true,
  observed: true,
  "agent-started": true,
  "agent-ended": true,
  "turn-reported": true,
  answered: true,
  waived: true,
  "respawn-asked": true,
  "param-set": true,
  "permission-asked": true,
  "permission-answered": true,
  "permissions-dropped": true,
};

export function validate(workflow: Workflow, run: Run, event: Incoming): Refusal | undefined {
  if (!Object.hasOwn(KINDS, event.type)) return invalid(run, "this type of event is unknown");
  const { definition } = workflow;
  if ("by" in event && !isActor(definition, event.by))
    return invalid(run, "the actor of the event is invalid");
  if (event.type === "move-asked" && event.through !== undefined && event.by.type !== "human")
    return invalid(run, "only a person can pass through several states in one move");
  if ("role" in event && !Object.hasOwn(definition.roles, event.role))
    return invalid(run, `unknown role "${event.role}"`);
  if ("attempt" in event && !Number.isInteger(event.attempt)) return invalid(run, "an attempt is a number");
  if ("slot" in event && typeof event.slot !== "string") return invalid(run, "a slot is a text");
  if (event.type === "turn-reported" && !isReport(event))
    return invalid(run, "a report counts tokens, dollars and time");
  if (event.type === "param-set" && typeof event.value !== "string")
    return invalid(run, "a parameter that can be set is a text");
  if (event.type === "permission-asked" && !isRequest(event))
    return invalid(
      run,
      "a request for permission has an id, a tool and its input, as texts of a bounded length",
    );
  if (event.type === "permission-answered" && !PERMISSION_ANSWERS.includes(event.answer))
    return invalid(run, `a request for permission is answered with ${PERMISSION_ANSWERS.join(", ")}`);
  if (event.type === "waived" && !Object.hasOwn(definition.artifacts, event.artifact)) {
    return invalid(run, `unknown artifact "${event.artifact}"`);
  }
  const beside = event.type === "submitted" ? (event.beside ?? []) : [];
  return "readings" in event && event.readings !== undefined
    ? readingsOf(definition, run, [...event.readings, ...beside])
    : readingsOf(definition, run, beside);
}

/** Sums of reports are compared with budgets: one number that is none would make every sum unknown. */
function isReport({ turn, ms, usage, cost }: Extract<Incoming, { type: "turn-reported" }>): boolean {
  const { input = 0, cached = 0, output = 0 } = usage ?? {};
  const tokens = [input, cached, output];
  return (
    Number.isInteger(turn) &&
    tokens.every((count) => Number.isSafeInteger(count)) &&
    cached <= input &&
    [...tokens, turn, ms, cost?.usd ?? 0].every((number) => Number.isFinite(number) && number >= 0)
  );
}

const ID_MAX = 64;
const TOOL_MAX = 200;
const INPUT_MAX = 16_384;

function isRequest({ id, tool, input }: Extract<Incoming, { type: "permission-asked" }>): boolean {
  const isText = (value: unknown, max: number): boolean => typeof value === "string" && value.length <= max;
  return isText(id, ID_MAX) && id !== "" && isText(tool, TOOL_MAX) && tool !== "" && isText(input, INPUT_MAX);
}

function isActor(definition: Definition, by: Actor): boolean {
  switch (by.type) {
    case "human":
    case "engine":
      return true;
    case "agent":
      return (
        Object.hasOwn(definition.roles, by.role) &&
        typeof by.slot === "string" &&
        Number.isInteger(by.attempt)
      );
  }
}

/** With two readings of one artifact, chance would decide which one counts. */
function readingsOf(definition: Definition, run: Run, readings: readonly Reading[]): Refusal | undefined {
  const seen = new Set<string>();
  for (const { artifact, slot } of readings) {
    if (!Object.hasOwn(definition.artifacts, artifact)) return invalid(run, `unknown artifact "${artifact}"`);
    const key = `${artifact}/${slot}`;
    if (seen.has(key)) return invalid(run, `${artifact} was read twice for one event`);
    seen.add(key);
  }
  return undefined;
}
