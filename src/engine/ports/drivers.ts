/** What the program of an agent says about its turn, whatever format it prints. */

import type { ProgramFailure } from "../../core/model/event.ts";

/** In the folder of a turn: the name of the driver that reads its log. Without the file, nothing is known of the program. */
export const DRIVER_FILE = "driver";

/**
 * Reads the logs of turns.
 *
 * Contract: `conversation` returns the name that the program gave its conversation, as the latest of these turns printed it, and an empty
 * text if none did. It reads the beginning of each log only, and is safe to use as an argument of a program. `failure` returns the failure with
 * which the program ended the turn; undefined if it ended in another way, or if nothing is known of the program.
 */
export type Drivers = {
  conversation(turnDirs: readonly string[]): string;
  failure(turnDir: string): ProgramFailure | undefined;
};

export type AgentEvent =
  | { readonly type: "conversation"; readonly id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-started"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: "tool-ended"; readonly id: string; readonly isOk: boolean; readonly output: string }
  | { readonly type: "file-changed"; readonly path: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "refused"; readonly tool: string; readonly reason: string }
  | { readonly type: "notice"; readonly text: string }
  | ({ readonly type: "failure" } & ProgramFailure)
  | { readonly type: "turn-ended" };

/** What was used since the last event of this kind. `cached` is a part of `input`; a cost is in dollars. */
export type Usage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost?: number;
};
