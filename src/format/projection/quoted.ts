/**
 * Escapes foreign text inside a page of the engine, so that it stays plain text: it cannot create headings, lists, tags, images
 * or ticked boxes, and cannot end the surrounding construct.
 */

/** On one line. */
export function quotedLine(text: string): string {
  return harmless(text.replaceAll(/[\s\p{C}]+/gu, " ").trim());
}

/** As a quotation, line by line; empty without text. */
export function quotedLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).map(quotedLine);
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1).map((line) => (line === "" ? ">" : `> ${line}`));
}

/** In code marks, for file names. */
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
