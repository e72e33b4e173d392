/**
 * Measures the figures the project promised, each against a baseline of the same run, and prints them as Markdown.
 *
 * `--write` also keeps them in docs/evidence/bench.md; of some that are named, those, and the others stay as they are. A missed
 * figure is shown and fails nothing: a loaded machine is no defect.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
import { benchPage } from "./page.ts";
import { benchPostgres } from "./postgres.ts";
import { benchReview } from "./review.ts";
import { benchStaged } from "./staged.ts";
import { benchStart } from "./start.ts";
import { benchStep } from "./step.ts";
import { benchHistory, benchStore } from "./store.ts";
import { benchTasks } from "./tasks.ts";
import { benchHandover, benchUserGit, benchWorkspace } from "./workspaces.ts";

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
  workspace: benchWorkspace,
  handover: benchHandover,
  "user-git": benchUserGit,
  page: benchPage,
  postgres: benchPostgres,
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
  const isPart = positionals.length > 0 && existsSync(file);
  const parts = figures.map((each) => ({ ...each, details: `${each.details}\n\nMeasured on ${today()}.` }));
  writeFileSync(file, isPart ? parts.reduce(withFigure, readFileSync(file, "utf8")) : report);
}

function write(all: readonly Figure[]): string {
  const processors = cpus();
  return `${[
    "# Bench",
    "Written by `npm run bench -- --write`. The ratios count: both sides of each were measured in the same run. Absolute figures are for orientation.",
    `Node ${process.version}, ${processors[0]?.model.trim() ?? "unknown processor"}, ${processors.length} cores, ${today()}; a part that was measured again names its day.`,
    table(["figure", "wanted", "got", ""], all.map(rowOf)),
    ...all.flatMap(({ name, details }) => [`## ${name}`, details]),
  ].join("\n\n")}\n`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function rowOf({ name, wanted, got, ok }: Figure): readonly string[] {
  return [name, wanted, got, ok ? "ok" : "**MISSED**"];
}

/** A report in which this figure is the new one. One that it does not have yet comes last. */
function withFigure(kept: string, figure: Figure): string {
  const { name, details } = figure;
  const lines = kept.split("\n");
  const row = lines.findIndex((line) => line.startsWith(`| ${name} |`));
  const from = lines.indexOf(`## ${name}`);
  if (row === -1 || from === -1) return withNewFigure(lines, figure);
  const next = lines.findIndex((line, at) => at > from && line.startsWith("## "));
  const after = next === -1 ? [] : ["", ...lines.slice(next)];
  const whole = [...lines.slice(0, from + 1), "", details, ...(next === -1 ? [""] : after)];
  return whole.with(row, `| ${rowOf(figure).join(" | ")} |`).join("\n");
}

function withNewFigure(lines: readonly string[], figure: Figure): string {
  const end = lines.indexOf(
    "",
    lines.findIndex((line) => line.startsWith("| figure |")),
  );
  const row = `| ${rowOf(figure).join(" | ")} |`;
  return [...lines.slice(0, end), row, ...lines.slice(end), `## ${figure.name}`, "", figure.details, ""].join(
    "\n",
  );
}
