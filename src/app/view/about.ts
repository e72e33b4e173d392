/** What a run is about: what it began with, unless somebody who may has called it otherwise since. */

import type { Run } from "../../core/model/run.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import { goalPlace } from "../start/goal.ts";

export function aboutOf(
  definition: Definition,
  run: Pick<Run, "params">,
  { goal }: Pick<RunRow, "goal">,
): string {
  const place = placeOf(definition);
  const said = place === undefined ? undefined : run.params[place];
  return typeof said === "string" && said !== "" ? said : goal;
}

function placeOf(definition: Definition): string | undefined {
  const place = goalPlace(definition);
  const param = place === undefined ? undefined : definition.params[place];
  return param?.type === "text" && param.set.length > 0 ? place : undefined;
}
