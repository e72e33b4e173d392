/** The result of a reader for the text of an artifact, before it becomes a reading. */

import type { Fault, Reading } from "../../core/model/event.ts";
import type { IssueCounts, Verdict } from "../../core/model/verdict.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";

export type ReaderFinding = {
  readonly found: boolean;
  readonly faults: readonly Fault[];
  /** The content of the artifact, if it is not the whole file. */
  readonly text?: string;
  readonly verdict?: Verdict;
  readonly issues?: IssueCounts;
  readonly tests?: NonNullable<Reading["tests"]>;
  readonly said?: NonNullable<Reading["said"]>;
  readonly review?: NonNullable<Reading["review"]>;
  readonly files?: NonNullable<Reading["files"]>;
  readonly fields?: Reading["fields"];
  readonly lists?: Reading["lists"];
};

/** A fault with an offset instead of a position. */
export type TextFlaw = { readonly offset: number; readonly reason: string };

/** A malicious file could cause hundreds of thousands. */
export const FAULTS_MAX = 100;
const VALUE_MAX = 2000;

export function faultsAt(
  flaws: readonly TextFlaw[],
  placeAt: (offset: number) => SourcePlace,
): readonly Fault[] {
  return flaws.slice(0, FAULTS_MAX).map((flaw) => ({ at: placeAt(flaw.offset), reason: flaw.reason }));
}

/** The journal stores readings, so a value may be cut but never be huge. */
export function cutValue(text: string, max = VALUE_MAX): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
}

/** Formats a word from a file for a message. */
export function quote(text: string): string {
  const oneLine = text.slice(0, 60).replaceAll(/[\s\p{C}]+/gu, " ");
  return `"${oneLine}${text.length > 60 ? "..." : ""}"`;
}

export function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
