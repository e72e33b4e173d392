/** The outbox: what is still to be done, and who is at it. */

import type { Deed, DeedKind } from "../deed.ts";

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
  readonly owner: number;
  readonly note: string;
};

export type Outcome =
  | { readonly type: "done"; readonly note: string }
  | { readonly type: "again"; readonly note: string; readonly dueAt: number }
  /** The run needs attention: what went wrong, and the command to try again. */
  | { readonly type: "attention"; readonly note: string; readonly next: string };

/**
 * What is still to be done.
 *
 * Contract: of one run, deeds become due in their order; one that needs attention does not hold up those after it, and a run
 * that is halted has none due except `stop-agent`. Those of older runs come first, also when they are tried again. A claim by a higher fence takes over from a lower one; `settle` is ignored
 * when somebody else owns the deed.
 */
export type Outbox = {
  /** A number higher than any before it, for who holds the supervisor's lock. */
  fence(): number;
  due(now: number, limit: number): DeedRow[];
  /** When the next deed becomes due; undefined when there is none. */
  nextDue(): number | undefined;
  claim(key: string, fence: number, leaseUntil: number): DeedRow | undefined;
  settle(key: string, fence: number, outcome: Outcome): boolean;
  /** Says that a person must look at a run, and what to type; an empty text says that it is well again. */
  attend(run: string, attention: string): void;
  attentionOf(run: string): string;
  /** Puts deeds that need attention back to pending; gives their keys. */
  retry(run: string): string[];
  deeds(run: string): DeedRow[];
};
