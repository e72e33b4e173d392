/**
 * Words of others inside a page of ours. Whatever they hold, they are words: no heading, no list, no tag, no picture, no ticked box, and
 * nothing that ends what they stand in.
 */

/** On one line. */
export function quotedLine(text: string): string {
  return harmless(text.replaceAll(/[\s\p{C}]+/gu, " ").trim());
}

/** As a quotation, line by line; nothing where there are no words. */
export function quotedLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).map(quotedLine);
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1).map((line) => (line === "" ? ">" : `> ${line}`));
}

/** In code marks, for names of files. */
export function quotedName(text: string): string {
  return `\`${text.replaceAll(/[\s\p{C}`<>[\]]+/gu, " ").trim() || "?"}\``;
}

function harmless(line: string): string {
  return line
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/\[([ xX])\]/g, "($1)")
    .replaceAll("](", "]\\(")
    .replaceAll("![", "!\\[")
    .replace(/^([#>*+=~`|_[:-])/, "\\$1")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}
