/** The outbox: what is still to be done, and who is at it. */

import type { Deed, DeedKind } from "../effects/deed.ts";

export type DeedRow = {
  /** `run:seq:i`. */
  readonly key: string;
  readonly run: string;
  readonly deed: Deed;
  readonly kind: DeedKind;
  readonly status: "pending" | "claimed" | "done" | "attention";
  /** How often it was claimed. More than once means that the world must be asked first. */
  readonly tries: number;
  readonly dueAt: number;
  /** It waits until another agent may work. */
  readonly isQueued: boolean;
  readonly owner: number;
  readonly note: string;
};

export type Outcome =
  | { readonly type: "done"; readonly note: string }
  | { readonly type: "again"; readonly note: string; readonly dueAt: number }
  /** As many agents are at work as may be: `admit` makes it due. */
  | { readonly type: "queued"; readonly note: string }
  /** The run needs attention: what went wrong, and the command to try again. */
  | { readonly type: "attention"; readonly note: string; readonly next: string };

/**
 * What is still to be done.
 *
 * Contract: of one run, deeds become due in their order; one that needs attention does not hold up those after it, one that is queued,
 * and those behind it, do not hold up `stop-agent` and `tell-agent` of other agents, one that is parked does not hold up `start-agent` of
 * other agents, and a run that is halted has none due except `stop-agent`.
 * A deed that is ordered for a run makes its queued deeds due again. Deeds of older runs come first, also when they are tried again. A
 * supervisor with a higher fence takes over from a lower one.
 */
export type Outbox = {
  /** The number of the last supervisor. */
  fence(): Promise<number>;
  due(now: number, limit: number): Promise<readonly DeedRow[]>;
  /** When the next deed becomes due; undefined when there is none. */
  nextDue(): Promise<number | undefined>;
  /** Deeds that are queued, whose run is not halted, and whose agent no park holds: those of older runs first. */
  queuedDeeds(): Promise<readonly { readonly key: string; readonly repo: string }[]>;
  deeds(run: string): Promise<readonly DeedRow[]>;
};
