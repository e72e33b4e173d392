/** Where a run may start: the moves that create it, the first state of each stage, and the lists that a stage needs. */

import { NONE, type Workflow } from "./compile.ts";
import { isEnabled } from "../projection/stages.ts";
import type { Literal, ParamValues } from "./value.ts";
import { START, type Definition, type Move, type Phase } from "./workflow.ts";

/** The moves that can start a run with these parameters, in the order of the definition. */
export function startsFor({ movesFrom }: Workflow, params: ParamValues): readonly Move[] {
  return (movesFrom[START] ?? []).filter(({ when }) =>
    when.every((one) => one.type !== "param" || one.in.includes(params[one.param] ?? "")),
  );
}

/** The given parameters, with the default for every missing one. */
export function withDefaults({ params }: Definition, given: ParamValues): Record<string, Literal> {
  const usual = Object.entries(params).map(([name, param]) => [name, param.default] as const);
  return { ...Object.fromEntries(usual), ...given };
}

export function phasesOf({ stages = NONE }: Definition, stage: string): readonly Phase[] {
  return stages.find(({ name }) => name === stage)?.phases ?? NONE;
}

/** The move that starts a run in this stage. */
export function startIn(workflow: Workflow, stage: string, params: ParamValues): Move | undefined {
  const [first] = phasesOf(workflow.definition, stage);
  return startsFor(workflow, params).find(({ to }) => to === first?.states[0] || to === first?.id);
}

/** The list of tasks that a state starts; undefined for a single child run, which has no list. */
export function listStartedIn({ states, artifacts }: Definition, state: string): string | undefined {
  const started = states[state]?.enter.flatMap((one) => (one.type === "start-tasks" ? [one.artifact] : []));
  return started?.find((name) => artifacts[name]?.reader.type !== "children");
}

/**
 * A list of tasks that an enabled stage needs while every stage that makes the list is disabled, with the name of that enabled
 * stage.
 */
export function unmadeList(
  definition: Definition,
  params: ParamValues,
): { readonly stage: string; readonly list: string } | undefined {
  const { stages = NONE } = definition;
  for (const { name, phases = NONE } of stages.filter((stage) => isEnabled(stage, { params }))) {
    const lists = phases.flatMap(({ states }) =>
      states.map((state) => listStartedIn(definition, state) ?? ""),
    );
    for (const list of lists) {
      const makers = stages.filter(({ makes }) => makes.includes(list));
      if (makers.length > 0 && !makers.some((maker) => isEnabled(maker, { params })))
        return { stage: name, list };
    }
  }
  return undefined;
}

/** Whether the stage changes the work: it starts child runs, or a role that may write. */
export function isWorkingStage(definition: Definition, stage: string): boolean {
  const { states, roles } = definition;
  return Object.values(states)
    .filter((state) => state.stage === stage)
    .flatMap(({ enter }) => enter)
    .some((action) => {
      if (action.type === "start-tasks") return true;
      const isStart = action.type === "start" || action.type === "start-each";
      return isStart && roles[action.role]?.access === "write";
    });
}
