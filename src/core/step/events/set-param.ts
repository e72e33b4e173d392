/** A detail of a run changes: a branch is renamed, a summary is made clearer. No guard reads such a parameter. */

import { record, type Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { currentAgent, nameOf } from "../intake.ts";
import { invalid, notYourRole, superseded } from "../refuse.ts";

export function setParam(draft: Draft, event: Extract<Incoming, { type: "param-set" }>): Refusal | undefined {
  const { workflow, run } = draft;
  const param = workflow.definition.params[event.name];
  if (param === undefined) return invalid(run, `there is no parameter "${event.name}"`);
  if (param.type !== "text" || param.set.length === 0)
    return invalid(run, `parameter ${event.name} is fixed when a run starts`);
  if (event.by.type === "agent" && currentAgent(run, event.by) === undefined)
    return superseded(run, event.by);
  const who = nameOf(event.by);
  if (!param.set.includes(who))
    return notYourRole(run, { who, what: `changing ${event.name}`, allowed: param.set });
  record(draft, event);
  return undefined;
}
