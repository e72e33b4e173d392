/** What a review found, each with its place: whoever decides about it need not look for the file first. Only for people to read. */

import { join } from "node:path";
import type { ReviewIssue, ReviewText } from "../../core/artifact.ts";
import { fillPath } from "../../core/fill-path.ts";
import { clipped } from "../../engine/clip.ts";
import type { Seen } from "../box.ts";

/** As many as are read at a glance. */
const FINDINGS_MAX = 8;

export function findingsOf(seen: Seen, name: string): readonly string[] {
  const review = reviewIn(seen, name);
  if (review === undefined) return [];
  const shown = review.issues.slice(0, FINDINGS_MAX).map(sayIssue);
  const more = review.issues.length - shown.length + review.more;
  return more === 0 ? shown : [...shown, `and ${more} more: ${pageOf(seen, name)}`];
}

/** The journal has the words where they were taken in first. */
function reviewIn({ store, workflow, run }: Seen, name: string): ReviewText | undefined {
  const reader = workflow.definition.artifacts[name]?.reader;
  const isReview = (reader?.type === "json" || reader?.type === "yaml") && reader.review !== undefined;
  const held = run.held[name]?.reading;
  if (!isReview || held === undefined || held.faults.length > 0) return undefined;
  const taken = store
    .events(run.id)
    .findLast(
      ({ event }) =>
        event.type === "artifact-read" &&
        event.reading.artifact === name &&
        event.reading.digest === held.digest &&
        event.reading.review !== undefined,
    )?.event;
  return taken?.type === "artifact-read" ? taken.reading.review : undefined;
}

function sayIssue({ word, severity, title, file, line, description, recommendation }: ReviewIssue): string {
  const place = [file, line].filter((part) => part !== "").join(":");
  const what = [title, description].filter((part) => part !== "").join(": ");
  const mend = recommendation === "" ? "" : `${/[.!?]\s*$/.test(what) ? "" : "."} Mend: ${recommendation}`;
  const head = [word === "" ? severity : word, place].filter((part) => part !== "").join(" ");
  return clipped(`${head}: ${what}${mend}`.replaceAll(/[\s\p{Cc}]+/gu, " ").trim());
}

/** The page that shows it, where there is one; otherwise the file itself. */
function pageOf({ workflow, run, root }: Seen, name: string): string {
  const { projections, artifacts } = workflow.definition;
  const page = projections.find((each) => each.as === "review" && "of" in each && each.of === name);
  return join(root, fillPath(run, page?.file ?? artifacts[name]?.file ?? "", ""));
}
