/** What holds up the turns of agents, for how long, and which turns it holds up. */

import type { RunAttempt } from "./registry.ts";

/**
 * A park holds up turns that have not begun. The key says which turns ask for it: `harness:NAME` every turn with that harness, `run:ID`
 * every turn of that run, `agent:JOB` the next turn of one agent, and `day` every turn.
 */
export type Park = {
  readonly key: string;
  readonly class: "quota" | "login" | "trust" | "provider" | "budget" | "settings";
  /** Why, in the words of the program or its provider where they are known. */
  readonly message: string;
  /** In milliseconds since 1970; 0 until a person lifts it. */
  readonly until: number;
  readonly at: number;
  /** What a person does about it, before `signalbox retry RUN`; empty where waiting is enough. */
  readonly next: string;
};

/** An agent whose next turn waits until the park with this key is lifted. */
export type HeldTurn = RunAttempt & { readonly key: string };

/**
 * Parks and the turns that they hold up.
 *
 * Contract: a park holds until it is lifted, also after its time: the supervisor lifts those whose time has come. When a park is lifted,
 * the turns that it held may begin. A turn is held by at most one park.
 */
export type Parks = {
  parks(): Promise<readonly Park[]>;
  /** Of all runs, or of this one. */
  heldTurns(run?: string): Promise<readonly HeldTurn[]>;
};
