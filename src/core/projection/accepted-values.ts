/**
 * Values of artifacts when they were accepted: the last ones of each artifact, and the members of all lists of one name. Computed
 * from the events, so values stay known after an artifact becomes stale or is overwritten.
 */

import { change, type OwnRun } from "../step/apply.ts";
import type { Workflow } from "../model/compile.ts";
import type { Event } from "../model/event.ts";
import { reads } from "./project.ts";
import { NO_RUN } from "../model/run.ts";
import { standingOfSlot } from "../gates/artifact-status.ts";
import type { Literal } from "../model/value.ts";
import type { Definition } from "../model/workflow.ts";

/** Fields and lists of one artifact, or of one member of a fan-out. */
type ArtifactValues = Readonly<Record<string, Literal | readonly string[]>>;

type CollectedMember = {
  readonly text: string;
  readonly by: string;
  readonly artifact: string;
  /** Empty for an artifact without a fan-out. */
  readonly slot: string;
  readonly at: string;
};

export type AcceptedValues = {
  /** By artifact; for a fan-out, by artifact and member. */
  readonly said: Readonly<Record<string, ArtifactValues | Readonly<Record<string, ArtifactValues>>>>;
  /** By name of the list, in the order of the events. The same text of one artifact appears once. */
  readonly collected: Readonly<Record<string, readonly CollectedMember[]>>;
};

const MEMBERS_KEPT = 200;

/** Whether any projection shows these values; otherwise the caller need not read all events. */
export function showsSaid({ projections }: Pick<Definition, "projections">): boolean {
  return projections.some(
    (each) => "data" in each && (reads(each.data, "said") || reads(each.data, "collected")),
  );
}

export function saidIn(workflow: Workflow, events: Iterable<Event>): AcceptedValues {
  const run: OwnRun = { ...NO_RUN };
  const said = new Map<string, Map<string, ArtifactValues>>();
  const collected = new Map<string, Map<string, CollectedMember>>();
  for (const event of events) {
    change(run, event);
    // Readings from before the start of the run do not count.
    if (event.type !== "artifact-read" || run.entry === 0) continue;
    const { reading, by } = event;
    const { artifact, slot, fields, lists } = reading;
    const standing = standingOfSlot(workflow, run, reading);
    if (standing === "missing" || standing === "invalid" || standing === "stale") continue;
    inside(said, artifact).set(slot, { ...fields, ...lists });
    for (const [name, texts] of Object.entries(lists))
      for (const text of texts) {
        const key = JSON.stringify([artifact, slot, text]);
        const members = inside(collected, name);
        if (!members.has(key)) members.set(key, { text, by, artifact, slot, at: run.updatedAt });
      }
  }
  const isFan = (artifact: string): boolean => workflow.definition.artifacts[artifact]?.each !== undefined;
  return {
    said: Object.fromEntries(
      [...said].map(([name, slots]) => [
        name,
        isFan(name) ? Object.fromEntries(slots) : (slots.get("") ?? {}),
      ]),
    ),
    collected: Object.fromEntries(
      [...collected].map(([name, members]) => [name, [...members.values()].slice(-MEMBERS_KEPT)]),
    ),
  };
}

function inside<T>(all: Map<string, Map<string, T>>, name: string): Map<string, T> {
  const known = all.get(name) ?? new Map<string, T>();
  all.set(name, known);
  return known;
}
