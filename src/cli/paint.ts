/** Colours for terminals; plain text everywhere else. What files say never reaches a terminal as a command to it. */

export type Paint = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

export function paintOf(enabled: boolean): Paint {
  const style = (begin: number, end: number) => (text: string) =>
    enabled ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}

/** Control characters other than tab, newline and our own colours, and characters that turn the direction of a text. */
const HARMFUL =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001A\u001C-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|\u001B(?!\[(?:[12]|22|3[12369])m)/g;

export function harmless(text: string): string {
  return text.replaceAll(HARMFUL, "\uFFFD");
}
