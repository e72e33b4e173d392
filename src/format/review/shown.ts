/** Reviews as files show them, and what is remembered of that: enough to tell whether somebody changed it. */

import type { Round } from "../../core/projection/journal-record.ts";
import type { ReviewProjection } from "../../core/model/workflow.ts";
import { nameOfBlock, partBlocks, statusOfBlock, withBlocks } from "./blocks.ts";
import { reviewBlock, reviewPage } from "./page.ts";
import { sha256 } from "../sha256.ts";

type Fields = Readonly<Record<string, string>>;

/** Nothing where there is nothing to show: without a review there need not be a page, but none that somebody else has made up is left there. */
export function fieldsOfReview(
  projection: ReviewProjection,
  root: unknown,
  isThere: () => boolean,
): Fields | undefined {
  const rounds = roundsIn(projection, root);
  if (projection.as === "review-block") return blockFields(rounds.map(reviewBlock));
  const last = rounds.at(-1);
  if (last === undefined && !isThere()) return undefined;
  return { verdict: last?.word ?? "", text: shortDigest(reviewPage(last)) };
}

/** `existing` is the text that is there now; around blocks it stays as it is. */
export function renderReview(projection: ReviewProjection, root: unknown, existing: string): string {
  const rounds = roundsIn(projection, root);
  if (projection.as === "review-block") return withBlocks(existing, rounds.map(reviewBlock));
  return reviewPage(rounds.at(-1));
}

/** What a file says now. */
export function readReviewFields({ as }: ReviewProjection, text: string): Fields {
  if (as === "review-block") return blockFields(partBlocks(text).blocks);
  const [, verdict = ""] = /^## Verdict\s*\n\s*([^\n]*)/m.exec(text) ?? [];
  return { verdict: verdict.trim(), text: shortDigest(text) };
}

function blockFields(blocks: readonly string[]): Fields {
  const fields: Record<string, string> = {};
  for (const block of blocks) {
    let name = nameOfBlock(block);
    while (Object.hasOwn(fields, name)) name += " again";
    fields[name] = `${statusOfBlock(block)} (${shortDigest(block)})`;
  }
  return fields;
}

const DIGITS = 12;

function shortDigest(text: string): string {
  return sha256(text).slice(0, DIGITS);
}

/** Only the engine makes the root. */
function roundsIn({ of }: ReviewProjection, root: unknown): readonly Round[] {
  const { reviews = {} } = root as { readonly reviews?: Readonly<Record<string, readonly Round[]>> };
  return reviews[of] ?? [];
}
