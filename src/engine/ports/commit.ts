/** Writes to the store: a list of members, all of them or none. */

import type { Reading } from "../../core/model/event.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { ChildRow, GraphKey, GraphRow, NewChild } from "./graphs.ts";
import type { Entry, Note } from "./journal.ts";
import type { MessageRow } from "./messages.ts";
import type { Outcome } from "./outbox.ts";
import type { HeldTurn, Park } from "./parks.ts";
import type { ProjectRow, Refusal } from "./projects.ts";
import type {
  AgentRow,
  HumanKeyRow,
  JobRow,
  ReadingsKey,
  TrustRow,
  WorkspaceRow,
  RunAttempt,
} from "./registry.ts";

/** One member of a batch. Where a member expects something that does not hold, the batch writes nothing. */
export type Write =
  /** Writes nothing. Expects the run at this sequence number. */
  | { readonly type: "expect-run"; readonly run: string; readonly seq: number }
  /** Writes nothing. Expects that this machine is in this term: no other machine has taken its runs over. */
  | { readonly type: "expect-term"; readonly machine: string; readonly term: number }
  /** Everything that one accepted event writes. Expects what `Entry` says. */
  | { readonly type: "append"; readonly entry: Entry }
  /** A definition that exists stays as it is: its hash is its content. */
  | { readonly type: "define"; readonly hash: string; readonly definition: Definition }
  | { readonly type: "note"; readonly note: Note }
  /** *held*: no effect of the run is begun, and turns that are under way end by themselves. */
  | { readonly type: "halt"; readonly run: string; readonly halted: boolean | "held" }
  /** A run that a person does not want to see in lists. */
  | { readonly type: "hide"; readonly run: string; readonly hidden: boolean }
  /** Why a person must look at a run, and what to type; empty where all is well. Expects that `shown` is what the run says now. */
  | { readonly type: "attend"; readonly run: string; readonly attention: string; readonly shown?: string }
  /** Files of the run show this sequence number. Expects the run there. */
  | { readonly type: "projected"; readonly run: string; readonly seq: number }
  /** A new supervisor. Expects that its number is one higher than that of the last one. */
  | { readonly type: "take-fence"; readonly fence: number }
  /** Expects an effect that is free, a run that is not stopped, no later supervisor, and `tries` as it was read. */
  | {
      readonly type: "claim";
      readonly key: string;
      readonly tries: number;
      readonly fence: number;
      readonly leaseUntil: number;
    }
  /** Expects that this supervisor has claimed the effect. */
  | { readonly type: "settle"; readonly key: string; readonly fence: number; readonly outcome: Outcome }
  /** A queued effect is due. */
  | { readonly type: "admit"; readonly key: string }
  /** Effects of the run that need attention are pending again, and the run needs none. */
  | { readonly type: "retry"; readonly run: string }
  | { readonly type: "put-agent"; readonly agent: AgentRow }
  | { readonly type: "put-job"; readonly job: JobRow }
  | { readonly type: "put-workspace"; readonly workspace: WorkspaceRow }
  | { readonly type: "put-message"; readonly message: MessageRow }
  /** The agent has called: everything that it was told by now has reached it. */
  | { readonly type: "acknowledge"; readonly agent: RunAttempt; readonly at: number }
  /** Turns that ask for this key are held up from now on; it replaces an earlier park with the key. */
  | { readonly type: "park"; readonly park: Park }
  /** The next turn of this agent waits until the park is lifted. Expects the park. */
  | { readonly type: "hold"; readonly turn: HeldTurn }
  /** The park is over, and every turn that it held may begin. A park with this key that began at another time stays. */
  | { readonly type: "lift"; readonly key: string; readonly at: number }
  /** Nothing holds up this agent any more. A park that waits for a person is over when it holds up no other agent. */
  | { readonly type: "release"; readonly agent: RunAttempt }
  /** The checkout of a repository is this run's. `taken` where another run has it. */
  | { readonly type: "take-place"; readonly run: string; readonly repo: string }
  /** *bound*: only where the run has not asked for the checkout again. */
  | { readonly type: "leave-place"; readonly run: string; readonly of: "bound" | "any" }
  /** What a file with exactly this content says, by this definition. */
  | ({ readonly type: "put-readings"; readonly readings: readonly Reading[] } & ReadingsKey)
  /**
   * What the code that writes files of a run remembers of one of them. `file` is the path of a projection, or a key that only its writer
   * uses; `fields` is a text that only its writer reads.
   */
  | {
      readonly type: "put-projection";
      readonly run: string;
      readonly file: string;
      readonly fields: string;
    }
  | { readonly type: "trust"; readonly repo: string; readonly trust: TrustRow }
  | { readonly type: "put-human-key"; readonly key: HumanKeyRow }
  /** A graph and all its tasks. One that exists stays as it is. */
  | {
      readonly type: "put-graph";
      readonly graph: Omit<GraphRow, "status">;
      readonly children: readonly NewChild[];
    }
  | { readonly type: "set-graph"; readonly graph: GraphKey; readonly status: GraphRow["status"] }
  /** The run of a task. `taken` where the task has another one. */
  | { readonly type: "name-child"; readonly graph: GraphKey; readonly task: string; readonly run: string }
  | {
      readonly type: "settle-child";
      readonly graph: GraphKey;
      readonly task: string;
      readonly end: Pick<ChildRow, "outcome" | "summary">;
    }
  /** `taken` where the name is another project's; `by` is that project's repository. */
  | { readonly type: "put-project"; readonly project: ProjectRow }
  /** `taken` where a run has a workspace of the project; `by` is that run. Runs and their history stay. */
  | { readonly type: "drop-project"; readonly repo: string }
  /** A run that is in the queue keeps its position; why it was refused is forgotten. */
  | { readonly type: "enqueue"; readonly run: string; readonly repo: string }
  | { readonly type: "dequeue"; readonly run: string }
  /** The run was not started though its turn had come. It keeps its position. */
  | { readonly type: "refuse"; readonly run: string; readonly seq: number; readonly refusal: Refusal }
  /** A run that was refused is tried again at once. */
  | { readonly type: "readmit"; readonly run: string }
  | { readonly type: "put-depends"; readonly run: string; readonly on: readonly string[] };

export type BatchAnswer =
  /** All of it, and durable, except for what can be made again. */
  | { readonly type: "written" }
  /** The key of an entry was used before; `answer` is what was acknowledged then. */
  | { readonly type: "repeated"; readonly answer: string }
  /** Something is not as a member expects it: the caller reads and decides again. */
  | { readonly type: "conflict"; readonly reason: string }
  /** A place or a name belongs to another one. */
  | { readonly type: "taken"; readonly by: string };

/**
 * Contract: the members are written in their order in one transaction, all of them or none; the first answer that is not `written` is
 * the answer of the batch. What was written is durable when the promise resolves, except for what can be
 * made again. No code of the caller runs in between.
 */
export type Batches = {
  commit(batch: readonly Write[]): Promise<BatchAnswer>;
};
