/** The artifacts of a run as people want to know them: what is there, what it is worth, and what is still expected where. */

import type { Fault, Event } from "../../../core/model/event.ts";
import { artifactsIn } from "../../../core/model/status.ts";
import type { Run } from "../../../core/model/run.ts";
import { othersOf } from "../../../core/text/same-file.ts";
import { isGood, standingOf } from "../../../core/gates/artifact-status.ts";
import { explainedStatus } from "../../../core/gates/status-reason.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import type { ArtifactView } from "../run-view.ts";
import { isMeant } from "./other-readings.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import { sayClock } from "../words.ts";

export type { ArtifactView };

export async function artifactsOf(seen: Seen): Promise<ArtifactView[]> {
  const { workflow, run, row } = seen;
  const isOver = isFinished(row);
  const asOf = isOver ? "" : await workSeenAt(seen);
  return Object.entries(workflow.definition.artifacts).map(([artifact, declared]) => {
    const { standing, reason, at } = explainedStatus(workflow, run, artifact);
    const view = {
      artifact,
      file: pathOf(run, declared),
      by: declared.by,
      standing,
      good: isGood(standing),
      used: standing === "stale" && isUsed(run, artifact, declared),
      wanted: isWanted(seen, artifact),
      ...(declared.reader.type === "check" ? { check: true } : {}),
    };
    const fault = run.held[artifact]?.reading.faults[0];
    if (standing === "missing" && (fault === undefined || isOnlyAbsent(fault) || isOfSource(declared, fault)))
      return { ...view, reason: isOver ? placeOf(run, declared) : expectation(run, declared) };
    if (view.used)
      return { ...view, reason: isOver ? "" : "accepted before; the next round needs a new one" };
    const told = fillPath(run, reason, "*");
    if (view.good && asOf !== "" && declared.bind.includes("tree"))
      return { ...view, reason: [told, sayAsOf(asOf)].filter((part) => part !== "").join("; "), asOf };
    return { ...view, reason: told, ...(at === undefined ? {} : { at }) };
  });
}

/** Whether some move out of here waits for it. */
function isWanted({ workflow, run }: Pick<Seen, "workflow" | "run">, artifact: string): boolean {
  return (workflow.movesFrom[run.state] ?? []).some((move) => artifactsIn(move).includes(artifact));
}

/** Nothing is there, nobody asks for it now, and nothing is wrong with it. */
export function isUnasked({ standing, wanted, at }: ArtifactView): boolean {
  return standing === "missing" && !wanted && at === undefined;
}

/** It is not as it should be, and nobody here means this reading of the file. Of a run that has ended, one that is good says enough. */
export function isOtherReading({ workflow, run, row }: Seen, { artifact, standing }: ArtifactView): boolean {
  if (standing !== "invalid") return false;
  const isGoodNow = (other: string): boolean => isGood(standingOf(workflow, run, other));
  return isFinished(row)
    ? othersOf(workflow, artifact).some(isGoodNow)
    : !isMeant(workflow, run, { artifact, isGood: isGoodNow });
}

/** Facts say something only where they hold. */
export function isSilentFact({ workflow }: Seen, { artifact, good }: ArtifactView): boolean {
  return !good && workflow.definition.artifacts[artifact]?.reader.type === "fact";
}

/** What it holds is what it held when its scope began. */
function isUsed(run: Run, artifact: string, { by }: Artifact): boolean {
  const held = run.held[artifact];
  return held !== undefined && by.includes(held.by) && run.baseline[artifact] === held.reading.digest;
}

/** A file can have come since it was looked for; that it cannot be read, or that a heading is almost the right one, is worth telling. */
function isOnlyAbsent({ reason }: Fault): boolean {
  return reason.startsWith("the file is missing") || /^the section ".*" is missing$/.test(reason);
}

/** What it follows from was not there, or not good, when somebody looked: that one says itself what is wrong with it. */
function isOfSource({ every, reader }: Artifact, { at }: Fault): boolean {
  return at.file === every?.artifact || (reader.type === "files" && reader.select === "tasks");
}

function expectation(run: Run, declared: Artifact): string {
  const { reader } = declared;
  switch (reader.type) {
    case "section":
    case "document":
    case "json":
    case "yaml":
    case "tasks":
    case "file":
      return `expected: ${placeOf(run, declared)}`;
    case "check":
      return "it has no result yet";
    case "children":
      return `expected: the ${reader.only === undefined ? "runs" : "run"} of ${reader.tasks}`;
    case "files":
      return `expected: ${"tasks" in reader ? `the files of ${reader.tasks}` : "the engine looks at the work"}`;
    case "fact":
      return "it does not hold";
  }
}

function placeOf(run: Run, declared: Artifact): string {
  const { reader } = declared;
  const file = pathOf(run, declared);
  if (reader.type === "section") return `## ${reader.heading} in ${file}`;
  const isOpen = reader.type !== "document" || reader.headings.length === 0;
  return isOpen ? file : `${file} with ${reader.headings.join(", ")}`;
}

function pathOf(run: Run, { file }: Artifact): string {
  return fillPath(run, file, "*");
}

/**
 * When somebody last looked at the work. Whoever only reads does not look again, for that takes as long as the repository is large:
 * what is bound to the work is known for that moment, and not for this one.
 */

/** Most of what happens comes with a look at the work. */
const BACK = 50;

/** Empty where there is no workspace, or nobody has looked yet. */
export async function workSeenAt({ store, run }: Pick<Seen, "store" | "run">): Promise<string> {
  if ((await store.boundWorkspace(run.id)) === undefined) return "";
  const near = lastLook(await store.events(run.id, Math.max(1, run.seq - BACK)));
  return near ?? lastLook(await store.events(run.id, 1)) ?? "";
}

function lastLook(records: readonly Recorded[]): string | undefined {
  return records.findLast(({ event }) => isLook(event))?.at;
}

/** Readings and waivers only repeat what was known. */
function isLook(event: Event): boolean {
  return "tree" in event && event.type !== "artifact-read" && event.type !== "waiver-given";
}

export function sayAsOf(at: string): string {
  return `for the work as of ${sayClock(at)}; if the work changes, it is judged again`;
}
