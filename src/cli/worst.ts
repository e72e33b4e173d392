/** The worst case before a person must act, as a small table. */

import type { DataOf } from "../app/schemas.ts";
import type { Door } from "./command.ts";
import { fitted, wrapped } from "./fit.ts";

type Checked = Pick<DataOf<"check">["workflows"][number], "worst" | "titles" | "limits">;

/** What else there is, `--json` has. */
const SHOWN = 5;

export function sayWorst(
  { worst, titles, limits }: Checked,
  { paint, width }: Pick<Door, "paint" | "width">,
): string {
  const starts = amountsOf(worst, "start ");
  const all = starts.reduce((sum, [, amount]) => sum + amount, 0);
  const rows = [
    ["agents started", all === 0 ? "" : `at most ${thousands(all)}: ${sayAmounts(starts)}`],
    [
      "counted",
      sayAmounts(amountsOf(worst, "counter ").map(([name, amount]) => [titles[name] ?? name, amount])),
    ],
    ["questions", thousands(worst["questions"] ?? 0)],
    ["moves", thousands(worst["moves"] ?? 0)],
  ] as const;
  const lines = rows
    .filter(([, value]) => value !== "")
    .map(([name, value]) => [`    ${paint.dim(name.padEnd(14))}`, value]);
  const lower =
    limits.length === 0 ? "" : `${wrapped(`  Lower it with the parameters ${limits.join(", ")}.`, width)}\n`;
  return `  Worst case before a person must act:\n${fitted(lines, width)}${lower}`;
}

type Amount = readonly [name: string, amount: number];

function amountsOf(worst: Checked["worst"], prefix: string): readonly Amount[] {
  return Object.entries(worst).flatMap(([name, amount]): Amount[] =>
    name.startsWith(prefix) && amount > 0 ? [[name.slice(prefix.length), amount]] : [],
  );
}

/** All of a few; of many the largest. */
function sayAmounts(all: readonly Amount[]): string {
  const most = all.length <= SHOWN ? all : all.toSorted(([, one], [, other]) => other - one).slice(0, SHOWN);
  const said = most.map(([name, amount]) => `${name} ${thousands(amount)}`).join(", ");
  return all.length > most.length ? `${said} and ${all.length - most.length} more` : said;
}

/** The same on every machine: 8,496. */
export function thousands(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}
