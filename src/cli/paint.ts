/**
 * Colours for terminals; plain text everywhere else. What files say never reaches a terminal as a command to it: `harmless` turns our
 * own marks into colours, and nobody else knows the mark of this process.
 */

import { withoutColours } from "../app/view/words.ts";

const MARK = `\u001B${Math.random().toString(36).slice(2)}`;

export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

export function paintOf(enabled: boolean): Paint {
  const style = (begin: number, end: number) => (text: string) =>
    enabled ? `${MARK}[${begin}m${text}${MARK}[${end}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}

/** Control characters other than tab and newline, and characters that turn the direction of a text. */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** For a terminal. Once for each text: what has colours afterwards is not ours any more. */
export function harmless(text: string): string {
  return text
    .split(MARK)
    .map((part) => withoutColours(part).replaceAll(HARMFUL, "\uFFFD"))
    .join("\u001B");
}

export function unpainted(text: string): string {
  const [first = "", ...more] = withoutColours(text).split(MARK);
  return first + more.map((part) => part.replace(/^\[\d+m/, "")).join("");
}
