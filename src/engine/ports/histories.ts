/** Whether runs are what their history says. */

import type { Definition } from "../../core/model/workflow.ts";
import type { Recorded } from "./journal.ts";

/** `seq` is the first event that is bad; 0 stands for the run's row. */
export type Verified =
  | { readonly ok: true; readonly run: string; readonly seq: number }
  | { readonly ok: false; readonly run: string; readonly seq: number; readonly reason: string };

/** What is wrong with a record, if anything is. `definition` is the one that the record names; undefined where the store does not have it. */
export type RecordCheck = (recorded: Recorded, definition: Definition | undefined) => string | undefined;

/** Contract: nothing is changed, and what is found is of one moment. */
export type Histories = {
  /** Every run of which anything is kept, also one whose row or whose events are gone. */
  knownRuns(): Promise<readonly string[]>;
  /** The chain, the replay, and everything that is kept beside them. `check` is asked of every event. */
  verify(run: string, check?: RecordCheck): Promise<Verified>;
};
