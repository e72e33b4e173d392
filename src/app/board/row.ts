/** What a row of the board says about a run. Plain data: shown by `watch`, printed by its `--json`. */

/**
 * What is known of the run's agents. *alive*: a process lives. *idle*: an agent lives without one, between its turns.
 * *dead*: one has ended or crashed, and the run has not. *unknown*: nobody can tell. *none*: none was started.
 */
export type Session = "alive" | "idle" | "dead" | "unknown" | "none";

/** Whether a run has a terminal that one can look into. *unknown*: nobody has asked yet. */
export type Terminal = "alive" | "dead" | "none" | "unknown";

/** What has to happen before the run goes on. */
export type Waits = {
  readonly kind:
    | "question"
    | "decision"
    | "crashed"
    | "attention"
    | "halted"
    | "damaged"
    /** Nobody has put it into the queue. */
    | "start"
    /** It waits until one more agent may work, to begin or to go on. */
    | "queue"
    | "dependency"
    | "agent"
    | "engine"
    | "nothing";
  /** One word, or two. */
  readonly short: string;
  /** A sentence. */
  readonly long: string;
};

/** Kinds that a person ends. What nobody has asked to start is no call for anybody. */
const OF_PERSON: ReadonlySet<Waits["kind"]> = new Set([
  "question",
  "decision",
  "crashed",
  "attention",
  "halted",
  "damaged",
]);

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

/** The lines that the work has changed, and its commits: null where nobody has looked yet, or nobody can tell. */
export type Work = {
  readonly ahead: number | null;
  readonly added: number | null;
  readonly removed: number | null;
};

export const UNKNOWN: Work = { ahead: null, added: null, removed: null };

export type BoardRow = {
  readonly run: string;
  readonly workflow: string;
  readonly project: string;
  readonly repo: string;
  /** Empty while the run has none. */
  readonly branch: string;
  readonly summary: string;
  readonly state: string;
  /** Where in its schedule it is, and whether what it owes there is good; empty where it has none, or is over. */
  readonly phase: string;
  readonly gate: string;
  /** `running`, `waiting`, `done`, `cancelled`, `failed`, `damaged`. */
  readonly status: string;
  readonly session: Session;
  readonly round: { readonly value: number; readonly max: number } | null;
  /** Null where there is no workspace to look at. */
  readonly work: Work | null;
  readonly waits: Waits;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** The state that a person's answer leads to; empty where nobody waits for one. */
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
  /** What waits for a person first, then what is under way, then what has not begun, then what is over; each the newest first. */
  readonly rows: readonly BoardRow[];
  /** Runs that are over and are not among the rows, because there are so many. */
  readonly more: number;
  readonly projects: readonly ProjectView[];
};

export function needsPerson({ waits }: Pick<BoardRow, "waits">): boolean {
  return OF_PERSON.has(waits.kind);
}

export function isOver({ status }: Pick<BoardRow, "status">): boolean {
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
  return row.waits.kind === "start" || row.waits.kind === "queue" || row.waits.kind === "dependency" ? 2 : 1;
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
