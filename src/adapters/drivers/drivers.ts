/** The drivers by their names: how each reads what its program prints. */

import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { clipped, type LineReader } from "./lines.ts";
import { opencode } from "./opencode.ts";

const READERS: Readonly<Record<string, () => LineReader>> = { claude, codex, gemini, opencode, command };

/** A name that this version does not know is that of a program without a driver. */
export function readerFor(driver: string): LineReader {
  const found = Object.entries(READERS).find(([name]) => name === driver);
  return (found?.[1] ?? command)();
}

/** Any other program: its lines are texts, and nothing is known of its failures. */
function command(): LineReader {
  return { take: (line) => [{ type: "text", text: clipped(line) }], end: () => [] };
}
