/**
 * Measures the figures the project promised, each against a baseline of the same run, and prints them as Markdown.
 *
 * `--write` also keeps them in docs/evidence/bench.md. A missed figure is shown and fails nothing: a loaded machine is
 * no defect.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { benchChange } from "./change.ts";
import { benchChanges } from "./changes.ts";
import { benchCheck } from "./check.ts";
import { table, type Figure } from "./figure.ts";
import { benchGraph } from "./graph.ts";
import { benchList } from "./list.ts";
import { benchLive } from "./live.ts";
import { benchOrchestrated } from "./orchestrated.ts";
import { benchReview } from "./review.ts";
import { benchStaged } from "./staged.ts";
import { benchStart } from "./start.ts";
import { benchStep } from "./step.ts";
import { benchHistory, benchStore } from "./store.ts";
import { benchTasks } from "./tasks.ts";

const BENCHES: Readonly<Record<string, () => Figure | Promise<Figure>>> = {
  step: benchStep,
  check: benchCheck,
  start: benchStart,
  store: benchStore,
  history: benchHistory,
  list: benchList,
  live: benchLive,
  tasks: benchTasks,
  review: benchReview,
  graph: benchGraph,
  staged: benchStaged,
  change: benchChange,
  changes: benchChanges,
  orchestrated: benchOrchestrated,
};

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean" } },
  allowPositionals: true,
});
const names = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
const figures: Figure[] = [];
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined) throw new Error(`there is no bench "${name}": ${Object.keys(BENCHES).join(", ")}`);
  process.stderr.write(`measuring ${name}\n`);
  figures.push(await bench());
}
const report = write(figures);
process.stdout.write(report);
if (values.write === true) {
  const file = new URL("../docs/evidence/bench.md", import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, report);
}

function write(all: readonly Figure[]): string {
  const processors = cpus();
  const day = new Date().toISOString().slice(0, 10);
  const rows = all.map(({ name, wanted, got, ok }) => [name, wanted, got, ok ? "ok" : "**MISSED**"]);
  return `${[
    "# Bench",
    "Written by `npm run bench -- --write`. The ratios count: both sides of each were measured in the same run. Absolute figures are for orientation.",
    `Node ${process.version}, ${processors[0]?.model.trim() ?? "unknown processor"}, ${processors.length} cores, ${day}.`,
    table(["figure", "wanted", "got", ""], rows),
    ...all.flatMap(({ name, details }) => [`## ${name}`, details]),
  ].join("\n\n")}\n`;
}
