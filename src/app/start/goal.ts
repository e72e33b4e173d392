/** What a run is about: where the goal goes, and that it is not left out where agents would be told nothing. */

import { UserError } from "../../adapters/user-error.ts";
import { isBlank } from "../../core/text/blank.ts";
import { isKept } from "../../core/model/param.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Given } from "../invocation.ts";
import { typedAgain } from "./typed-command.ts";

/** Where the goal goes, in a workflow that has a place for it. */
const GOALS = ["goal", "summary"];

export function goalPlace({ params }: Definition): string | undefined {
  const texts = Object.entries(params).flatMap(([name, param]) =>
    param.type === "text" && param.named === undefined && !isKept(param) ? [name] : [],
  );
  return GOALS.find((name) => texts.includes(name)) ?? texts[0];
}

/** `params` is what settings and options say. */
export function requireGoal(
  definition: Definition,
  given: Given,
  params: Readonly<Record<string, Literal>>,
): void {
  const place = goalPlace(definition);
  if (place === undefined || !isNeeded(definition, place)) return;
  const [, goal = ""] = given.words;
  // What is typed as a parameter counts, also where there is a goal: as it does when the run begins.
  const typedAs = (given.lists["param"] ?? []).some((pair) => pair.startsWith(`${place}=`));
  const said = goal === "" || typedAs ? String(params[place] ?? "") : goal;
  if (!isBlank(said)) return;
  const [workflow = ""] = given.words;
  const rest = { ...given, lists: without(given.lists, place) };
  throw new UserError(
    "no-goal",
    `say what ${workflow} is to do: its ${place} is empty`,
    typedAgain(workflow, rest, "What is to be done"),
  );
}

/** It begins empty and is what agents are told to do. */
function isNeeded({ params, prompts }: Definition, place: string): boolean {
  const param = params[place];
  if (param?.type !== "text" || param.default !== "") return false;
  return Object.values(prompts).some(({ text }) => text.replaceAll("{{", "").includes(`{${place}}`));
}

function without(lists: Given["lists"], place: string): Given["lists"] {
  const { param = [], ...others } = lists;
  const left = param.filter((pair) => !pair.startsWith(`${place}=`));
  return left.length === 0 ? others : { ...others, param: left };
}
