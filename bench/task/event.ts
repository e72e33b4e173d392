/**
 * What can happen to a task, in the words of its description: the language in which stories for both engines are told.
 *
 * It is independent of the core's events on purpose. `incoming.ts` translates.
 */

export type State =
  | "pending"
  | "planning"
  | "clarification"
  | "working"
  | "agent-review"
  | "reviewing"
  | "stuck"
  | "done"
  | "cancelled";

/** A section of the task's document as somebody found it. The same `id` means the same content; empty: no section. */
export type Text = { readonly id: string; readonly ok: boolean; readonly verdict?: "PASS" | "FAIL" };

type Person = "human";
export type Role = "worker" | "reviewer";
/** `attempt` is of no meaning for a person. */
export type Speaker = { readonly by: Person | Role; readonly attempt: number };

/** What the engine and the agents may do before a person must look. */
export type Limits = { readonly rounds: number; readonly crashes: number; readonly questions: number };

/** What comes along: sections, the content of the worktree, whether a worktree is free for this task. */
export type Facts = {
  readonly plan?: Text;
  readonly handoff?: Text;
  readonly review?: Text;
  readonly tree?: string;
  readonly workspace?: boolean;
};

export type TaskEvent =
  | ({ readonly type: `START.${State}` } & Speaker & Facts)
  | ({ readonly type: `ASK.${State}` } & Speaker & Facts)
  | ({ readonly type: "SUBMIT" } & Speaker & Facts)
  | ({
      readonly type: "OBSERVE";
      readonly turn?: boolean;
      readonly merged?: "missing" | "seen";
    } & Facts)
  | { readonly type: "WORKER_STARTED" | "REVIEWER_STARTED"; readonly attempt: number }
  | ({
      readonly type: "WORKER_ENDED" | "REVIEWER_ENDED";
      readonly attempt: number;
      readonly infrastructure: boolean;
    } & Facts)
  | ({
      readonly type: "WAIVE";
      readonly artifact: "plan" | "handoff" | "review";
      readonly reason: string;
      readonly tree?: string;
    } & Speaker)
  | ({ readonly type: "RESPAWN"; readonly role: Role } & Speaker)
  | ({ readonly type: "SET"; readonly name: string } & Speaker);
