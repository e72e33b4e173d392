/** The worst case before a person must act, as a small table. */

import type { Worst } from "../core/check/defects/worst.ts";
import type { Workflow } from "../core/model/compile.ts";
import type { Paint } from "./paint.ts";

/** What `worst` calls what it counts. */
const START = "start ";
const COUNTER = "counter ";

export function sayWorst(workflow: Workflow, worst: Worst, paint: Paint): string {
  const rows = [
    ["agents started", amounts(worst, START, Object.keys(workflow.definition.roles))],
    ["counted", amounts(worst, COUNTER, Object.keys(workflow.definition.counters))],
    ["questions", thousands(worst["questions"] ?? 0)],
    ["moves", thousands(worst["moves"] ?? 0)],
  ] as const;
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `    ${paint.dim(name.padEnd(14))}  ${value}\n`);
  return `  Worst case before a person must act:\n${lines.join("")}`;
}

function amounts(worst: Worst, prefix: string, names: readonly string[]): string {
  const counted = names.flatMap((name) => {
    const amount = worst[`${prefix}${name}`] ?? 0;
    return amount > 0 ? [`${name} ${thousands(amount)}`] : [];
  });
  return counted.join(", ");
}

/** The same on every machine: 8,496. */
export function thousands(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
