/** One turn of an agent whose program the bridge talks to. */

import type { Printer } from "./events.ts";
import type { AskPerson, PermissionPolicy } from "./permission.ts";

export type BridgedTurn = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prompt: string;
  /** The prompt for a program that cannot go on with the conversation; empty where that is the same. */
  readonly anew: string;
  /** The conversation to go on with; empty for a new one. */
  readonly conversation: string;
  /** Empty for the program's own choice. */
  readonly model: string;
  readonly effort: string;
  readonly policy: PermissionPolicy;
  readonly ask: AskPerson;
  readonly print: Printer;
  readonly signal: AbortSignal;
};
