/** A row of the board: what lists say of a run, and what `watch` shows besides. Plain data, printed by its `--json`. */

import type { BoardRowData, WatchData } from "../view/run-view.ts";

export type Session = BoardRowData["session"];

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

export type Work = NonNullable<BoardRowData["work"]>;

export const UNKNOWN: Work = { ahead: null, added: null, removed: null };

export type BoardRow = Omit<BoardRowData, "over" | "person"> & {
  /** Whether what the phase of a schedule owes is good; empty where there is none. */
  readonly gate: string;
  /** The state that a person's answer leads to; empty where no answer is expected. */
  readonly answerTo: string;
  /** What the agent asks, line by line. */
  readonly asked: readonly string[];
  /** Why an act does not apply; empty where it does. */
  readonly acts: Readonly<Record<Act, string>>;
};

/** A row as it is shown: without what the keys of the screen need. */
export type ShownRow = Omit<BoardRow, "acts" | "answerTo" | "asked">;

/** How many agents of a project work now, and how many may. */
export type ProjectView = WatchData["projects"][number];

export type BoardView = {
  /** What waits for a person first, then what is under way, then what is queued, then what is over; each the newest first. */
  readonly rows: readonly BoardRow[];
  /** Runs that are over and are not among the rows, because there are so many. */
  readonly more: number;
  readonly projects: readonly ProjectView[];
};

/** What only a person can set going again. */
const OF_PEOPLE: ReadonlySet<BoardRow["waits"]["kind"]> = new Set([
  "person",
  "crashed",
  "attention",
  "stopped",
]);

export function needsPerson({ waits }: Pick<BoardRow, "waits">): boolean {
  return OF_PEOPLE.has(waits.kind);
}

export function isOver({ status }: { readonly status: string }): boolean {
  return status !== "running" && status !== "waiting";
}

/** Rows in the order in which people want to see them. */
export function inOrder<Row extends OrderedRow>(rows: readonly Row[]): Row[] {
  return rows.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || compared(b.updatedAt, a.updatedAt) || compared(a.run, b.run),
  );
}

/** What the order of every list depends on. */
type OrderedRow = Pick<BoardRow, "run" | "waits" | "status" | "updatedAt">;

function rankOf(row: OrderedRow): number {
  if (needsPerson(row)) return 0;
  if (isOver(row)) return 3;
  return row.waits.kind === "queue" || row.waits.kind === "parked" ? 2 : 1;
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Its branch, where a person can tell it from others by that; otherwise its id. */
export function nameOf({ project, name }: ShownRow): string {
  return `${project}/${name}`;
}

/** `1.3 Plan review, gate missing`; empty where the run has no schedule. */
export function sayPhase({ phase, gate }: ShownRow): string {
  return gate === "" ? phase : `${phase}, gate ${gate}`;
}

export function roundWord({ round }: ShownRow): string {
  if (round === null) return "";
  return round.value === 0 ? "-" : `${round.value}/${round.max}`;
}

/** `3c +120 -4`. */
export function workWords({ work }: ShownRow): string {
  if (work === null) return "";
  if (work.ahead === null && work.added === null) return "?";
  const count = (value: number | null): string => (value === null ? "?" : String(value));
  return `${count(work.ahead)}c +${count(work.added)} -${count(work.removed)}`;
}
