/** Graphs: the tasks of a list, and the runs that were made of them. */

import type { Listed } from "./files.ts";

/** One for each time that a state started the tasks of an artifact. */
export type GraphKey = { readonly parent: string; readonly artifact: string; readonly entry: number };

export type GraphRow = GraphKey & {
  /** What each of its runs follows. */
  readonly definition: string;
  readonly most: number;
  /** *told*: the parent knows how it ended. *closed*: nobody waits for it any more. */
  readonly status: "open" | "told" | "closed";
};

export type ChildRow = GraphKey & {
  readonly task: Listed;
  readonly params: Readonly<Record<string, string | number | boolean>>;
  /** Empty until it may start, and for ever where an earlier graph has done it. */
  readonly run: string;
  /** The run of an earlier graph that this one takes it over from; empty where it does not. */
  readonly took: string;
  /** Empty while it is open or under way. */
  readonly outcome: "" | "done" | "failed" | "blocked" | "skipped";
  /** What its run says of itself; empty where it has said nothing, or is not over. */
  readonly summary: string;
  /** Of its run; empty while there is none. */
  readonly status: string;
  /** How many events its run has; 0 while there is none. */
  readonly seq: number;
};

export type Tally = {
  readonly parent: string;
  readonly done: number;
  readonly all: number;
  /** Those whose runs wait for a person. */
  readonly waiting: number;
};

/** What became of a task. */
type ChildEnd = Pick<ChildRow, "outcome" | "summary">;

/** A task as it is put down; with its end where it was taken over. */
export type NewChild = Pick<ChildRow, "task" | "params"> & Partial<ChildEnd & Pick<ChildRow, "took">>;

/**
 * Contract: a graph and all its tasks are written at once, and once. A task is given a run's name before that run begins, and keeps it
 * for ever: a supervisor that was killed in between is found out by the run that has not begun.
 */
export type Graphs = {
  graph(key: GraphKey): Promise<GraphRow | undefined>;
  /** Those that are not closed. Next to nothing where there are none. */
  graphs(): Promise<readonly GraphRow[]>;
  /** In the order of the list. */
  children(key: GraphKey): Promise<readonly ChildRow[]>;
  /** Of all graphs of a run, the last one last. */
  childrenOf(parent: string): Promise<readonly ChildRow[]>;
  /** The task that a run was made of. */
  childAs(run: string): Promise<ChildRow | undefined>;
  /** How far those are that runs wait for: how many tasks are done or skipped, of how many, and how many wait for a person. Next to nothing where there are none. */
  tallies(): Promise<readonly Tally[]>;
  /** Whether the supervisor must look at a graph: nothing of it is under way, or something of it has ended. */
  isGraphDue(): Promise<boolean>;
};
