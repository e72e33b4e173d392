/**
 * What the bridge prints: one JSON object per line, with the same events for every program. The driver `acp` reads them.
 *
 * Programs send a text in pieces of a few words: they are put together. Every text has a bounded length.
 */

import type { Emit } from "../app/outcome.ts";

type BridgeEvent =
  | { readonly type: "conversation"; readonly id: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-started"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: "tool-ended"; readonly id: string; readonly isOk: boolean; readonly output: string }
  | { readonly type: "file-changed"; readonly path: string }
  | {
      readonly type: "usage";
      readonly input: number;
      readonly cached: number;
      readonly output: number;
      readonly cost?: number;
    }
  | { readonly type: "refused"; readonly tool: string; readonly reason: string }
  | { readonly type: "notice"; readonly text: string }
  /** `status`: of the provider's answer. `class`: where the program itself says what failed. */
  | {
      readonly type: "failure";
      readonly message: string;
      readonly status?: number;
      readonly class?: "login" | "configuration";
    }
  | { readonly type: "turn-ended" }
  /** The program does something that no other event says: the turn has not stalled. */
  | { readonly type: "alive" };

const TEXT_MAX = 16_000;
const PIECES_MAX = 4000;
const ALIVE_MS = 10_000;

export type Printer = {
  readonly say: (event: BridgeEvent) => void;
  /** A piece of a text. */
  readonly piece: (text: string) => void;
  readonly alive: () => void;
  /** Prints what is left of a text. */
  readonly flush: () => void;
};

export function printer(emit: Emit): Printer {
  let pieces = "";
  let aliveAt = Number.NEGATIVE_INFINITY;
  const print = (event: BridgeEvent): void => {
    const data = Object.fromEntries(
      Object.entries(event).map(([name, value]) => [
        name,
        typeof value === "string" ? clipped(value) : value,
      ]),
    );
    emit({ text: `${JSON.stringify(data)}\n`, data });
  };
  const flush = (): void => {
    const text = pieces;
    pieces = "";
    if (text.trim() !== "") print({ type: "text", text });
  };
  return {
    say: (event) => {
      flush();
      print(event);
    },
    piece: (text) => {
      pieces += text;
      if (pieces.length > PIECES_MAX) flush();
    },
    alive: () => {
      if (performance.now() - aliveAt < ALIVE_MS) return;
      aliveAt = performance.now();
      print({ type: "alive" });
    },
    flush,
  };
}

function clipped(text: string): string {
  return text.length <= TEXT_MAX
    ? text
    : `${text.slice(0, TEXT_MAX)} (${text.length - TEXT_MAX} more characters)`;
}
