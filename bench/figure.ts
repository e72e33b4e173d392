/** A figure the project promised, and what was measured. */

export type Figure = {
  readonly name: string;
  readonly wanted: string;
  readonly got: string;
  readonly ok: boolean;
  /** What else is worth knowing, as Markdown. */
  readonly details: string;
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = `|${head.map((_, index) => (index === 0 ? "---" : "---:")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
