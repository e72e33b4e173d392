/**
 * `{policy}` and `{output}` in a prompt refer to one review: in every state in which a role reads the prompt, it must write
 * exactly one review.
 */

import { reviewsIn } from "../../explain/review-policy.ts";
import type { Workflow } from "../../model/compile.ts";
import { ORIGIN, type Action } from "../../model/workflow.ts";
import type { Defect } from "../defect.ts";
import { bad, variablesOf } from "./prompts.ts";

/** A role reads a prompt while the run is in a state. */
type PromptReading = { readonly prompt: string; readonly role: string; readonly state: string };

export function checkPolicies(workflow: Workflow): Defect[] {
  const { prompts, params, counters } = workflow.definition;
  const readings = readingsOf(workflow);
  const isOwn = Object.hasOwn(params, "output") || Object.hasOwn(counters, "output");
  return Object.entries(prompts).flatMap(([name, prompt]) => {
    const first = variablesOf(prompt).find(
      (each) => each.word === "policy" || (each.word === "output" && !isOwn),
    );
    if (first === undefined) return [];
    const word = `{${first.word}}`;
    const tells = first.word === "output" ? "is the file of one review" : "tells how one review is judged";
    const own = readings.filter((reading) => reading.prompt === name);
    if (own.length === 0) return [bad(first.at, `${word} is for a reviewer, and no agent reads this prompt`)];
    const wrong = own.flatMap(({ role, state }) => {
      const reviews = reviewsIn(workflow.definition, role, state);
      if (reviews.length === 1) return [];
      const many = reviews.length === 0 ? "no review" : `several reviews: ${reviews.join(", ")}`;
      return [bad(first.at, `${word} ${tells}, and ${role} writes ${many} in ${state}`)];
    });
    return wrong.slice(0, 1);
  });
}

function readingsOf({ definition }: Workflow): PromptReading[] {
  const { moves, states, ends } = definition;
  const of = (actions: readonly Action[], state: string): PromptReading[] =>
    actions.flatMap((action) => promptsOf(definition.roles, action)).map((each) => ({ ...each, state }));
  return [
    ...moves.filter(({ to }) => to !== ORIGIN).flatMap((move) => of(move.do, move.to)),
    ...Object.entries(states).flatMap(([name, { enter }]) => of(enter, name)),
    ...ends.flatMap((end) => of(end.do, end.in)),
  ];
}

function promptsOf(
  roles: Workflow["definition"]["roles"],
  action: Action,
): { prompt: string; role: string }[] {
  if (action.type !== "start" && action.type !== "start-each" && action.type !== "tell") return [];
  const { role } = action;
  const own = [roles[role]?.prompt ?? "", roles[role]?.again ?? ""];
  const read = (names: readonly string[]): { prompt: string; role: string }[] =>
    [...new Set(names)].map((prompt) => ({ prompt, role }));
  switch (action.type) {
    case "start":
      return read(action.prompt === undefined ? own : [action.prompt]);
    case "start-each":
      return read(own);
    case "tell": {
      const { message, orStart } = action;
      if (orStart === undefined) return read([message]);
      return read([message, ...(orStart === "" ? own.slice(1) : [orStart])]);
    }
  }
}
