/** Where a run may begin: the moves that make one, the first state of each stage, and what a stage lives on. */

import type { Workflow } from "./compile.ts";
import { START, type Definition, type Literal, type Move } from "./workflow.ts";

type Params = Readonly<Record<string, Literal>>;

/** Those that a run with these parameters could begin by, in their order. */
export function startsFor({ movesFrom }: Workflow, params: Params): readonly Move[] {
  return (movesFrom[START] ?? []).filter(({ when }) =>
    when.every((one) => one.type !== "param" || one.in.includes(params[one.param] ?? "")),
  );
}

/** What a run has that is given nothing else. */
export function withDefaults({ params }: Definition, given: Params): Record<string, Literal> {
  const usual = Object.entries(params).map(([name, param]) => [name, param.default] as const);
  return { ...Object.fromEntries(usual), ...given };
}

/** The states in which the phases of a stage begin, in their order. */
export function phasesOf({ states }: Definition, stage: string): string[] {
  const own = Object.keys(states).filter(
    (name) => states[name]?.stage === stage && name !== `${stage}-blocked`,
  );
  return own.filter(
    (name) => !own.includes(name.replace(/-(?:fix|merge)$/, "")) || !/-(?:fix|merge)$/.test(name),
  );
}

/** The list of tasks that a state starts. */
export function listStartedIn({ states }: Definition, state: string): string | undefined {
  const action = states[state]?.enter.find((one) => one.type === "start-tasks");
  return action?.type === "start-tasks" ? action.artifact : undefined;
}

/** Whether work is done in it: by runs that it makes, or by a role that may change the work. */
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
