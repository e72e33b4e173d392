/** The targets of a restart when fixes are spent: the same stage, or the first enabled one of the given earlier stages. */

import { cyclesOf, entryOf, outputsOf, type RestartRule } from "../phases/site.ts";
import { isSummedUp, summaryOf } from "../phases/summary.ts";
import type { StageFile, WhenFile, WorkflowFile } from "../schema/schema.ts";

export function restartsOf({ stages = {} }: WorkflowFile, name: string): RestartRule[] {
  const restart = stages[name]?.restart;
  if (restart === undefined) return [NOWHERE];
  if ("max" in restart) return [restartAt(stages, { at: name, from: name, when: {} })];
  const ways: RestartRule[] = [];
  const others: Record<string, boolean> = {};
  for (const at of restart.stages.filter((other) => restartable(stages, name).includes(other))) {
    const enabled = stages[at]?.enabled ?? true;
    if (typeof enabled === "boolean")
      return [...ways, restartAt(stages, { at, from: name, when: { ...others } })];
    const param = enabled.slice(1);
    ways.push(restartAt(stages, { at, from: name, when: { ...others, [param]: true } }));
    others[param] = false;
  }
  return [...ways, { ...NOWHERE, when: others }];
}

/** Earlier stages that count restarts. */
export function restartable(stages: NonNullable<WorkflowFile["stages"]>, name: string): string[] {
  const names = Object.keys(stages);
  return names.slice(0, names.indexOf(name)).filter((other) => {
    const restart = stages[other]?.restart;
    return restart !== undefined && "max" in restart;
  });
}

const NOWHERE: RestartRule = { when: {}, counter: "", scopes: [], outputs: [] };

/** Everything from the target to the current stage starts again. */
function restartAt(
  stages: NonNullable<WorkflowFile["stages"]>,
  { at, from, when }: { readonly at: string; readonly from: string; readonly when: WhenFile },
): RestartRule {
  const names = Object.keys(stages);
  const between = names.slice(names.indexOf(at), names.indexOf(from) + 1);
  const all = between.map((name): readonly [string, StageFile] => [name, stages[name] ?? NO_STAGE]);
  return {
    when,
    to: entryOf(Object.entries(stages[at]?.phases ?? {})[0]),
    counter: `${at}.restarts`,
    scopes: all.flatMap(([name, stage]) => [name, ...cyclesOf(stage)]),
    outputs: all.flatMap(([name, { phases, summary }]) => [
      ...Object.entries(phases).flatMap((phase) => [
        ...outputsOf(phase),
        ...(isSummedUp(phase[1], summary) ? [summaryOf(phase[0])] : []),
      ]),
      ...(summary === undefined ? [] : [summaryOf(name)]),
    ]),
  };
}

const NO_STAGE: StageFile = { stuck: "", phases: {} };
