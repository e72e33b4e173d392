/** What a review found, each with its place: whoever decides about it need not look for the file first. Only for people to read. */

import { join } from "node:path";
import type { ReviewIssue, ReviewText } from "../../core/artifact.ts";
import { fillPath } from "../../core/fill-path.ts";
import { standingOf } from "../../core/standing.ts";
import { clipped } from "../../engine/clip.ts";
import { workflowOf, type Seen } from "../runs/find.ts";

/** As many as are read at a glance. */
const FINDINGS_MAX = 8;

export function findingsOf(seen: Seen, name: string): readonly string[] {
  const review = reviewIn(seen, name);
  if (review === undefined) return [];
  const shown = review.issues.slice(0, FINDINGS_MAX).map(sayIssue);
  const more = review.issues.length - shown.length + review.more;
  return more === 0 ? shown : [...shown, `and ${more} more: ${pageOf(seen, name)}`];
}

/** Looked at for each question: a long list is in `show` of its tasks. */
const TASKS_MAX = 20;

/** What reviews have found in tasks of the last list, and have let pass: nobody was asked about it. */
export function notesOfTasks(seen: Seen): readonly string[] {
  const { store, run, root } = seen;
  const all = store.childrenOf(run.id);
  const last = all.at(-1)?.entry;
  const tasks = all.filter(({ entry }) => entry === last).slice(0, TASKS_MAX);
  const lines = tasks.flatMap(({ run: id, task }) => {
    const kept = store.load(id);
    if (kept === undefined) return [];
    const own = { ...kept, store, workflow: workflowOf(store, kept.row), root };
    return Object.keys(own.workflow.definition.artifacts).flatMap((name) =>
      standingOf(own.workflow, own.run, name) === "pass_with_notes"
        ? findingsOf(own, name).map((line) => `task ${task.id}, ${name}: ${line}`)
        : [],
    );
  });
  return lines.length <= FINDINGS_MAX
    ? lines
    : [...lines.slice(0, FINDINGS_MAX), `and ${lines.length - FINDINGS_MAX} more of tasks`];
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
