/** What a review found, each with its place: whoever decides about it need not look for the file first. Only for people to read. */

import { flatMapped } from "../../../engine/lists.ts";
import { join } from "node:path";
import type { ReviewIssue, ReviewText } from "../../../core/model/artifact.ts";
import type { Reading } from "../../../core/model/event.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import { standingOf } from "../../../core/gates/artifact-status.ts";
import { clipped } from "../../../engine/clip.ts";
import { isFinished, workflowOf, type Seen } from "../../runs/find.ts";
import type { FindingView } from "../run-view.ts";
import { inOneLine, withoutColours, withoutHeading } from "../words.ts";

/** As many as are read at a glance. */
const FINDINGS_MAX = 8;

export async function findingsOf(seen: Seen, name: string): Promise<readonly string[]> {
  const review = await reviewIn(seen, name);
  if (review === undefined) return [];
  const shown = review.issues.slice(0, FINDINGS_MAX).map(sayIssue);
  const more = review.issues.length - shown.length + review.more;
  return more === 0 ? shown : [...shown, `and ${more} more: ${pageOf(seen, name)}`];
}

const LINES_MAX = 40;

/** What each reviewer said last: the verdict and the words that the journal accepted. A later edit of the file shows nowhere. */
export async function reviewsOf(seen: Seen): Promise<readonly FindingView[]> {
  const { store, workflow, run } = seen;
  const { artifacts, roles } = workflow.definition;
  const judged = Object.entries(artifacts).flatMap(([name, { by, each }]) => {
    const judge = by.find((role) => roles[role]?.access === "read");
    return judge === undefined || each !== undefined ? [] : [{ name, judge }];
  });
  if (judged.length === 0) return [];
  const events = await store.events(run.id);
  return flatMapped(judged, async ({ name, judge }) => {
    const last = events.findLast(
      ({ event }) => event.type === "artifact-read" && event.reading.artifact === name && event.reading.found,
    );
    const reading = last?.event.type === "artifact-read" ? last.event.reading : undefined;
    const verdict = reading?.verdict;
    if (last === undefined || reading === undefined || verdict === undefined) return [];
    const text = await wordsOf(seen, reading);
    return [{ artifact: name, by: judge, verdict, earlier: isEarlier(seen, name), at: last.at, text }];
  });
}

/** What a finished run shows was true when it ended. */
function isEarlier({ workflow, run, row }: Seen, artifact: string): boolean {
  const standing = standingOf(workflow, run, artifact);
  return !isFinished(row) && (standing === "stale" || standing === "missing");
}

async function wordsOf(seen: Seen, reading: Reading): Promise<readonly string[]> {
  const issues = await findingsOf(seen, reading.artifact);
  if (issues.length > 0) return issues;
  const type = seen.workflow.definition.artifacts[reading.artifact]?.reader.type;
  if (type !== "section" && type !== "document") return [];
  return (await acceptedText(seen, reading))
    .split(/\r?\n/)
    .map((line) =>
      withoutColours(line)
        .replaceAll(/\p{Cc}/gu, " ")
        .trim(),
    )
    .filter((line) => line !== "" && !/^(?:verdict|status)\s*:/i.test(line.replaceAll("*", "")))
    .slice(0, LINES_MAX)
    .map((line) => clipped(line));
}

/** The text of a reading as the store keeps it; of a section, without its heading. */
export async function acceptedText(
  { store, workflow }: Pick<Seen, "store" | "workflow">,
  { artifact, text: digest }: Reading,
): Promise<string> {
  const text = digest === undefined ? "" : ((await store.text(digest)) ?? "");
  const isSection = workflow.definition.artifacts[artifact]?.reader.type === "section";
  return isSection ? withoutHeading(text) : text;
}

/** Looked at for each question: a long list is in `show` of its tasks. */
const TASKS_MAX = 20;

/** What reviews have found in tasks of the last list, and have let pass: nobody was asked about it. */
export async function notesOfTasks(seen: Seen): Promise<readonly string[]> {
  const { store, run, root } = seen;
  const all = await store.childrenOf(run.id);
  const last = all.at(-1)?.entry;
  const tasks = all.filter(({ entry }) => entry === last).slice(0, TASKS_MAX);
  const lines = await flatMapped(tasks, async ({ run: id, task }) => {
    const kept = await store.load(id);
    if (kept === undefined) return [];
    const own = { ...kept, store, workflow: await workflowOf(store, kept.row), root };
    return flatMapped(Object.keys(own.workflow.definition.artifacts), async (name) =>
      standingOf(own.workflow, own.run, name) === "pass_with_notes"
        ? (await findingsOf(own, name)).map((line) => `task ${task.id}, ${name}: ${line}`)
        : [],
    );
  });
  return lines.length <= FINDINGS_MAX
    ? lines
    : [...lines.slice(0, FINDINGS_MAX), `and ${lines.length - FINDINGS_MAX} more of tasks`];
}

/** The journal has the words where they were taken in first. */
async function reviewIn({ store, workflow, run }: Seen, name: string): Promise<ReviewText | undefined> {
  const reader = workflow.definition.artifacts[name]?.reader;
  const isReview = (reader?.type === "json" || reader?.type === "yaml") && reader.review !== undefined;
  const held = run.held[name]?.reading;
  if (!isReview || held === undefined || held.faults.length > 0) return undefined;
  const taken = (await store.events(run.id)).findLast(
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
  const fix = recommendation === "" ? "" : `${/[.!?]\s*$/.test(what) ? "" : "."} Fix: ${recommendation}`;
  const head = [word === "" ? severity : word, place].filter((part) => part !== "").join(" ");
  return clipped(inOneLine(`${head}: ${what}${fix}`));
}

/** The page that shows it, where there is one; otherwise the file itself. */
function pageOf({ workflow, run, root }: Seen, name: string): string {
  const { projections, artifacts } = workflow.definition;
  const page = projections.find((each) => each.as === "review" && "of" in each && each.of === name);
  return join(root, fillPath(run, page?.file ?? artifacts[name]?.file ?? "", ""));
}
