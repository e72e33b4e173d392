/** The schedule of a run: a row for each phase. */

import { missingIn, type Owed, type ScheduleView } from "../../app/view/work/schedule.ts";
import type { Paint } from "../paint.ts";

const WORDS: Readonly<Record<ScheduleView["status"], string>> = {
  completed: "done",
  in_progress: "running",
  failed: "failed",
  pending: "pending",
  skipped: "skipped",
  waived: "waived",
};

const SYMBOLS: Readonly<Record<ScheduleView["status"], string>> = {
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
  return [row, ...missingIn(entry).map((owed) => ["", "", "", "", sayOwed(owed)])];
}

/** A symbol in its colour; a word where there are no colours. */
function mark(status: ScheduleView["status"], paint: Paint): string {
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
