/** A row of the board: what lists say of a run, and what `watch` shows besides. Plain data, printed by its `--json`. */

import type { RunSummary } from "../view/run-view.ts";

/**
 * What is known of the run's agents. *alive*: a process lives. *idle*: an agent lives without one, between its turns.
 * *dead*: one has ended or crashed, and the run has not. *unknown*: it cannot be found out. *none*: none was started.
 */
export type Session = "alive" | "idle" | "dead" | "unknown" | "none";

/** Whether a run has a terminal that one can look into. *unknown*: it was not looked for yet. */
export type Terminal = "alive" | "dead" | "none" | "unknown";

/** What can be done with a run by a key. */
export type Act =
  | "start"
  | "attach"
  | "respawn"
  | "resume"
  | "view"
  | "changes"
  | "answer"
  | "merge"
  | "cancel"
  | "delete";

/** The lines that the work has changed, and its commits: null where they are not known, or not yet. */
export type Work = {
  readonly ahead: number | null;
  readonly added: number | null;
  readonly removed: number | null;
};

export const UNKNOWN: Work = { ahead: null, added: null, removed: null };

export type BoardRow = RunSummary & {
  readonly session: Session;
  /** Whether what the phase of a schedule owes is good; empty where there is none. */
  readonly gate: string;
  readonly round: { readonly value: number; readonly max: number } | null;
  /** Null where there is no workspace to look at. */
  readonly work: Work | null;
  /** The state that a person's answer leads to; empty where no answer is expected. */
  readonly answerTo: string;
  /** Why an act does not apply; empty where it does. */
  readonly acts: Readonly<Record<Act, string>>;
};

/** How many agents of a project work now, and how many may. */
export type ProjectView = {
  readonly project: string;
  readonly repo: string;
  readonly atWork: number;
  readonly agents: number;
};

export type BoardView = {
  /** What waits for a person first, then what is under way, then what is queued, then what is over; each the newest first. */
  readonly rows: readonly BoardRow[];
  /** Runs that are over and are not among the rows, because there are so many. */
  readonly more: number;
  readonly projects: readonly ProjectView[];
};

export function needsPerson({ waits: { kind } }: Pick<BoardRow, "waits">): boolean {
  return kind === "person" || kind === "crashed" || kind === "attention" || kind === "stopped";
}

export function isOver({ status }: { readonly status: string }): boolean {
  return status !== "running" && status !== "waiting";
}

/** Rows in the order in which people want to see them. */
export function inOrder(rows: readonly BoardRow[]): BoardRow[] {
  return rows.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || compared(b.updatedAt, a.updatedAt) || compared(a.run, b.run),
  );
}

function rankOf(row: BoardRow): number {
  if (needsPerson(row)) return 0;
  if (isOver(row)) return 3;
  return row.waits.kind === "queue" ? 2 : 1;
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
