/** What was said to agents that live in a terminal, and whether they have heard it. */

import type { RunAttempt } from "./registry.ts";

export type MessageRow = RunAttempt & {
  /** Of the deed that ordered it. */
  readonly key: string;
  /** *sending*: the terminal may have it or not. *told*: the terminal has taken it. *acknowledged*: the agent has called since. */
  readonly status: "sending" | "told" | "acknowledged";
  /** When it was told. */
  readonly at: number;
  readonly acknowledgedAt: number;
};

export type Messages = {
  messages(run: string): Promise<readonly MessageRow[]>;
};
