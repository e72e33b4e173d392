/**
 * Blocks `<review ...> ... </review>` in a Markdown file that others write. The engine owns them anywhere in the file, and they
 * are not part of its content. A block inside a code fence is an example and stays unchanged.
 */

const OPEN = /^\s*<review(?=[\s>/]|$)/i;
const CLOSE = /<\/review\s*>/i;
const LONE = /^\s*<\/review\s*>\s*$/i;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

export type Parted = {
  /** The file without the blocks: the input of its digest, and the part that stays when the blocks are replaced. */
  readonly rest: string;
  /** The file with empty lines instead of the blocks, so that all positions stay the same. */
  readonly blank: string;
  readonly blocks: readonly string[];
};

export function partBlocks(text: string): Parted {
  const lines = text.split("\n");
  const ours = new Set<number>();
  const blocks: string[] = [];
  const fenceEnd = fencesIn(lines);
  for (let at = 0; at < lines.length; at += 1) {
    const end = blockEnd(lines, at);
    if (end !== undefined) {
      blocks.push(lines.slice(at, end + 1).join("\n"));
      for (let line = at; line <= end; line += 1) ours.add(line);
      at = end;
    } else at = fenceEnd(at);
  }
  const kept = lines.filter((_, index) => !ours.has(index));
  return {
    rest: `${kept.join("\n").trimEnd()}\n`,
    blank: lines.map((line, index) => (ours.has(index) ? "" : line)).join("\n"),
    blocks,
  };
}

/** The file with exactly these blocks at its end. */
export function withBlocks(text: string, blocks: readonly string[]): string {
  const { rest, blocks: there } = partBlocks(text);
  if (blocks.length === 0) return there.length === 0 ? text : rest;
  const head = rest === "\n" ? "" : `${rest}\n`;
  return `${head}${blocks.join("\n\n")}\n`;
}

/**
 * The last line of the block that starts here. A block that contains the start of another one does not count, and its first line
 * is text.
 */
function blockEnd(lines: readonly string[], at: number): number | undefined {
  const first = lines[at] ?? "";
  if (LONE.test(first)) return at;
  if (!OPEN.test(first)) return undefined;
  if (CLOSE.test(first)) return at;
  for (let end = at + 1; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    if (OPEN.test(line)) return at;
    if (CLOSE.test(line)) return end;
  }
  return at;
}

/** Returns the last line of the fence that starts in a line, or that line; an unclosed fence does not count. */
function fencesIn(lines: readonly string[]): (at: number) => number {
  /** For each fence character, the shortest fence without a closing line: no longer one is closed further down. */
  const unclosed = new Map<string, number>();
  return (at) => {
    const [, mark = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    const sign = mark.slice(0, 1);
    if (mark === "" || mark.length >= (unclosed.get(sign) ?? Infinity)) return at;
    const close = new RegExp(`^ {0,3}${sign}{${mark.length},}\\s*$`);
    for (let end = at + 1; end < lines.length; end += 1) if (close.test(lines[end] ?? "")) return end;
    unclosed.set(sign, mark.length);
    return at;
  };
}

/** The name of a block in messages: the round that it claims. */
export function nameOfBlock(block: string): string {
  const [, iteration = "?"] = /\biteration\s*=\s*["']?(\d{1,6})\b/i.exec(block.split(">")[0] ?? "") ?? [];
  return `review ${iteration}`;
}

/** The status that it claims. */
export function statusOfBlock(block: string): string {
  const [, status = "?"] = /\bstatus\s*=\s*["']?([\w-]{1,40})/i.exec(block.split(">")[0] ?? "") ?? [];
  return status;
}
