/** A run starts: a move from nowhere to one of the start states of the definition. */

import { record, type StepDraft } from "../draft.ts";
import { startsFor } from "../../model/entry.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { isOpen, unmet } from "../../gates/gate.ts";
import { intake, nameOf } from "../intake.ts";
import { isKept, sayTaken, takes } from "../../model/param.ts";
import { invalid, notInMap, notOpen, notYourRole } from "../refuse.ts";
import { settle, take } from "../take.ts";
import type { Literal } from "../../model/value.ts";
import { START } from "../../model/workflow.ts";

export function begin(
  draft: StepDraft,
  event: Extract<Incoming, { type: "run-started" }>,
): Refusal | undefined {
  const { workflow, run } = draft;
  if (run.seq > 0) return invalid(run, `run ${run.id} was started already`);
  if (event.definition !== workflow.hash())
    return invalid(run, `this run belongs to definition ${event.definition}, not ${workflow.hash()}`);
  const declared = workflow.definition.params;
  const unknown = Object.keys(event.params).find((name) => !Object.hasOwn(declared, name));
  if (unknown !== undefined) return misfit(draft, `unknown parameter "${unknown}"`);
  const params: Record<string, Literal> = {};
  for (const [name, param] of Object.entries(declared)) {
    const value = Object.hasOwn(event.params, name) ? (event.params[name] ?? param.default) : param.default;
    if (isKept(param) && value !== param.default && event.by.type !== "engine")
      return misfit(draft, `${name} is set by the run itself: a run cannot be started with it`);
    if (!takes(param, value))
      return misfit(draft, `parameter ${name} is ${sayTaken(param)}, not ${String(value)}`);
    params[name] = value;
  }
  const starts = workflow.movesFrom[START] ?? [];
  // Without an explicit target, the run starts in the first state that its parameters allow.
  const to = event.to ?? (startsFor(workflow, params)[0] ?? starts[0])?.to ?? "";
  const mapped = starts.filter((candidate) => candidate.to === to);
  const [first] = mapped;
  if (first === undefined) return notInMap(workflow, run, to);
  const who = nameOf(event.by);
  const own = mapped.filter((candidate) => candidate.by.includes(who));
  if (own.length === 0)
    return notYourRole(run, { who, what: `starting in ${to}`, allowed: first.by, move: first });
  record(draft, { ...event, params });
  intake(draft, event, event.by);
  const move = own.find((candidate) => isOpen(draft, candidate));
  if (move === undefined) return notOpen(run, to, unmet(draft, own[0] ?? first));
  take(draft, move, { by: who });
  settle(draft);
  return undefined;
}

/** No run exists yet that `show` could print; the settings of the workflow list the parameters. */
function misfit({ workflow }: StepDraft, message: string): Refusal {
  return { code: "invalid", message, next: `signalbox config ${workflow.definition.name}` };
}
