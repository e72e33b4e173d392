/** The worst case before a person must act, as a small table. */

import type { DataOf } from "../app/schemas.ts";
import type { Paint } from "./paint.ts";

type Worst = DataOf<"check">["workflows"][number]["worst"];

export function sayWorst(worst: Worst, paint: Paint): string {
  const rows = [
    ["agents started", amounts(worst, "start ")],
    ["counted", amounts(worst, "counter ")],
    ["questions", thousands(worst["questions"] ?? 0)],
    ["moves", thousands(worst["moves"] ?? 0)],
  ] as const;
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `    ${paint.dim(name.padEnd(14))}  ${value}\n`);
  return `  Worst case before a person must act:\n${lines.join("")}`;
}

function amounts(worst: Worst, prefix: string): string {
  const counted = Object.entries(worst).filter(([name, amount]) => name.startsWith(prefix) && amount > 0);
  return counted.map(([name, amount]) => `${name.slice(prefix.length)} ${thousands(amount)}`).join(", ");
}

/** The same on every machine: 8,496. */
export function thousands(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
