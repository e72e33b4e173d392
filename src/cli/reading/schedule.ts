/** The schedule of a run as people want to see it: a row for each phase, and what keeps it from being left. */

import { entriesOf, type Entry, type PhaseGate, type PhaseStatus } from "../../core/schedule.ts";
import { isGood } from "../../core/standing.ts";
import type { Seen } from "../box.ts";
import type { Paint } from "../paint.ts";
import type { ArtifactView } from "./artifacts.ts";

type Owed = PhaseGate["required"][number] & { readonly reason: string };

export type ScheduleView = Omit<Entry, "gate"> & {
  readonly gate: { readonly status: PhaseGate["status"]; readonly required: readonly Owed[] } | null;
};

export function scheduleOf({ workflow, run }: Seen, artifacts: readonly ArtifactView[]): ScheduleView[] {
  if (workflow.definition.stages === undefined) return [];
  const reasonOf = (name: string): string =>
    artifacts.find(({ artifact }) => artifact === name)?.reason ?? "";
  return entriesOf(workflow, run).map(({ gate, ...entry }) => {
    if (gate === undefined) return { ...entry, gate: null };
    const required = gate.required.map((owed) => ({ ...owed, reason: reasonOf(owed.artifact) }));
    return { ...entry, gate: { status: gate.status, required } };
  });
}

const WORDS: Readonly<Record<PhaseStatus, string>> = {
  completed: "done",
  in_progress: "running",
  failed: "failed",
  pending: "pending",
  skipped: "skipped",
  waived: "waived",
};

const SYMBOLS: Readonly<Record<PhaseStatus, string>> = {
  completed: "✓",
  in_progress: "▶",
  failed: "✗",
  pending: "○",
  skipped: "-",
  waived: "~",
};

/** A row, and with `verbose` one more for each artifact that is missing. */
export function sayPhase(
  entry: ScheduleView,
  { paint, verbose }: { readonly paint: Paint; readonly verbose: boolean },
): string[][] {
  const { phase, name, type, status, attempts, gate, idle } = entry;
  const often = attempts > 1 ? `, ${attempts} times` : "";
  const row = [
    mark(status, paint),
    phase,
    `${name === phase ? "" : name}${often}`,
    type,
    gate === null ? (idle ? "nothing to do" : "") : `[GATE] ${gate.status}`,
  ];
  if (!verbose || gate?.status !== "missing") return [row];
  const missing = gate.required.filter(({ standing }) => !isGood(standing));
  return [row, ...missing.map((owed) => ["", "", "", "", sayOwed(owed)])];
}

/** A symbol in its colour; a word where there are no colours. */
function mark(status: PhaseStatus, paint: Paint): string {
  if (paint.bold("") === "") return WORDS[status];
  switch (status) {
    case "completed":
      return paint.green(SYMBOLS[status]);
    case "failed":
      return paint.red(SYMBOLS[status]);
    case "in_progress":
      return paint.cyan(SYMBOLS[status]);
    case "waived":
      return paint.yellow(SYMBOLS[status]);
    case "pending":
    case "skipped":
      return paint.dim(SYMBOLS[status]);
  }
}

function sayOwed({ artifact, file, standing, reason }: Owed): string {
  const what = reason.includes(file) ? artifact : `${artifact} (${file})`;
  return `${what} is ${standing}${reason === "" ? "" : `: ${reason}`}`;
}
