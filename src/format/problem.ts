/** A problem of a file: its position, its code and its message. */

import type { SourcePlace } from "../core/model/workflow.ts";

/** The keys and indexes that lead to a value in a data file. */
export type Path = readonly (string | number)[];

export type Problem = {
  readonly file: string;
  readonly line: number;
  readonly col: number;
  /** Stable and kebab-case; the message may change, the code does not. */
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string;
};

/** A problem with an offset instead of a position. */
export type OffsetProblem = { readonly offset: number; readonly code: string; readonly message: string };

/** A malicious file could cause hundreds of thousands. */
export const PROBLEMS_MAX = 100;
const MESSAGE_MAX = 200;

export function showProblem(problem: Problem): string {
  const hint = problem.suggestion === undefined ? "" : ` (did you mean "${problem.suggestion}"?)`;
  return `${problem.file}:${problem.line}:${problem.col}: ${problem.message}${hint}`;
}

export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => compare(a.file, b.file) || a.line - b.line || a.col - b.col);
}

/** By code unit: the order must not depend on the locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Converts offsets in a text to positions. Columns count code points, so an emoji is one column. */
export function placesIn(file: string, text: string): (offset: number) => SourcePlace {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    const line = lastAtOrBefore(starts, offset);
    const before = text.slice(starts[line], offset);
    return { file, line: line + 1, col: Array.from(before).length + 1 };
  };
}

function lastAtOrBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** At most one problem for each position. */
export function problemsAt(
  faults: readonly OffsetProblem[],
  placeAt: (offset: number) => SourcePlace,
): readonly Problem[] {
  const inOrder = faults.toSorted((a, b) => a.offset - b.offset);
  const single = inOrder.filter(({ offset }, index) => offset !== inOrder[index - 1]?.offset);
  const show = ({ offset, code, message }: OffsetProblem) => ({
    ...placeAt(offset),
    code,
    message: clip(message),
  });
  const problems = single.slice(0, PROBLEMS_MAX).map(show);
  const next = single[PROBLEMS_MAX];
  if (next === undefined) return problems;
  const message = `There are more problems from here on; these are the first ${PROBLEMS_MAX}.`;
  return [...problems, { ...placeAt(next.offset), code: "too-many-problems", message }];
}

/** Some messages quote the file, which may be one long word. */
function clip(message: string): string {
  return message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}...` : message;
}

/** The positions of a value and of everything inside it. */
type SpotTree<S> = { readonly children: ReadonlyMap<string | number, S> };

/** The spot of the value at a path, or of the nearest enclosing value that exists. */
export function nearestSpot<S extends SpotTree<S>>(root: S, path: Path): S {
  let spot = root;
  for (const name of path) {
    const child = spot.children.get(name);
    if (child === undefined) return spot;
    spot = child;
  }
  return spot;
}
