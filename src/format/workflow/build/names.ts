/** The names that a definition has, and those it must not have. */

import { originOf } from "./builder.ts";
import { listOf, report, type Context, type Names, type Path } from "./context.ts";
import { cyclesIn } from "../phases/site.ts";
import type { WorkflowFile } from "../schema/schema.ts";
import type { Expanded } from "../expand/sink.ts";

export function namesIn(file: WorkflowFile, { kernel }: Expanded): Names {
  const ways = Object.values(kernel.asks).flatMap((ask) =>
    Object.values(ask.options).flatMap((option) => [
      option,
      ...(option.ways ?? []),
      ...Object.values(option.routes ?? {}),
    ]),
  );
  const begun = [...kernel.moves, ...ways].flatMap((move) => listOf(move.new));
  const stages = Object.keys(file.stages ?? {});
  return {
    states: new Set(Object.keys(kernel.states)),
    roles: new Set(Object.keys(kernel.roles)),
    artifacts: new Set(Object.keys(kernel.artifacts)),
    counters: new Set(Object.keys(kernel.counters)),
    params: new Set(Object.keys(file.params ?? {})),
    asks: new Set(Object.keys(kernel.asks)),
    stages: new Set(stages),
    statesIn: new Map(stages.map((stage) => [stage, statesIn(kernel, stage)])),
    stopsIn: new Map(
      stages.map((stage) => [stage, statesIn(kernel, stage).filter((state) => isStop(kernel, state))]),
    ),
    scopes: new Set(["run", "entry", ...begun, ...Object.keys(kernel.states), ...stages, ...cyclesIn(file)]),
  };
}

function statesIn({ states }: Expanded["kernel"], stage: string): readonly string[] {
  return Object.keys(states).filter((state) => states[state]?.stage === stage);
}

/** Somebody works there, or is asked; through any other state a run only passes. */
function isStop({ states }: Expanded["kernel"], name: string): boolean {
  const { enter = [], ask, waits = false } = states[name] ?? {};
  return enter.length > 0 || ask !== undefined || waits;
}

const RESERVED = new Set([
  "start",
  "origin",
  "engine",
  "human",
  "tree",
  "all",
  "next",
  "tasks",
  "run",
  "entry",
]);

/** Also names that every object has of itself: looked up by such a name, a table would give what is not in it. */
function isReserved(name: string): boolean {
  return RESERVED.has(name) || name in Object.prototype;
}

/** One word for one thing: a guard could not tell an artifact and a counter of the same name apart. */
export function checkNames(context: Context, expanded: Expanded): void {
  const { names } = context;
  const pathOf = (kind: string, name: string): Path => originOf(expanded, kind, name);
  const seen = new Map<string, string>();
  for (const kind of ["artifacts", "counters", "params"] as const) {
    for (const name of names[kind]) {
      const other = seen.get(name);
      const message = `"${name}" is among the ${other} already`;
      if (other !== undefined)
        report(context, context.keyPlaceOf(pathOf(kind, name)), { code: "name-clash", message });
      seen.set(name, kind);
    }
  }
  for (const kind of ["states", "stages", "roles", "artifacts", "counters", "params"] as const) {
    for (const name of names[kind]) {
      const message = `"${name}" has a meaning of its own; choose another name`;
      if (isReserved(name))
        report(context, context.keyPlaceOf(pathOf(kind, name)), { code: "reserved-name", message });
    }
  }
}
