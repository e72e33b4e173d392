/** Fields of a section: a name in capitals and a colon at the start of a line, and what follows. */

import { isPlaceholder, trimBlank } from "./inline.ts";
import { linesOf, linesWithin, marginLines } from "./outline.ts";
import type { Block, Line, Outline } from "./outline.ts";

const CAPITALS = /^[A-Z][A-Z0-9]+(?:[ _-][A-Z0-9]+)*$/;
const NAME_MAX = 60;

/**
 * `names` are the fields that the workflow asks for; any other name in capitals ends a value too. The value stands
 * on the line itself, on the next ones, or in the list or code that follows. Fields without content are left out.
 */
export function fieldsOf(outline: Outline, blocks: readonly Block[], names: readonly string[]) {
  const values = new Map<string, string[]>();
  let value: string[] = [];
  const take = (line: Line) => {
    const field = fieldOf(line.text, names);
    if (field === undefined) {
      value.push(line.text);
      return;
    }
    value = values.get(field.name) ?? [];
    values.set(field.name, value);
    value.push(field.rest);
  };
  for (const block of blocks) {
    if (block.type === "paragraph") linesOf(outline, block).forEach(take);
    else if (block.type === "list" || block.type === "code") {
      const margin = new Set(marginLines(outline, block).map(({ offset }) => offset));
      for (const line of linesWithin(outline, block)) {
        if (margin.has(line.offset)) take(line);
        else value.push(line.text);
      }
    }
  }
  const filled = Array.from(values, ([name, lines]): readonly [string, string] => [name, valueOf(lines)]);
  return new Map(filled.filter(([, text]) => text !== ""));
}

function fieldOf(line: string, names: readonly string[]): { name: string; rest: string } | undefined {
  const match = /^(\*{1,3}|_{1,3}|`?)([^:*`]{1,60}?)(:\1|\1[ \t]*:)/.exec(line.slice(0, NAME_MAX + 8));
  const name = match?.[2] ?? "";
  if (match === null || !(names.includes(name) || CAPITALS.test(name))) return undefined;
  return { name, rest: trimBlank(line.slice(match[0].length)) };
}

function valueOf(lines: readonly string[]): string {
  return lines.every(isPlaceholder) ? "" : lines.join("\n").trim();
}
