/**
 * What artifacts said when they were taken in and counted: the last of each, and the members of lists of one name, whoever wrote them.
 * Made anew from the events: what becomes old, or is written over by somebody else, was said all the same.
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
type Words = Readonly<Record<string, Literal | readonly string[]>>;

type Member = {
  readonly text: string;
  readonly by: string;
  readonly artifact: string;
  /** Empty where there is no fan-out. */
  readonly slot: string;
  readonly at: string;
};

export type Said = {
  /** By artifact; of a fan-out by artifact and member. */
  readonly said: Readonly<Record<string, Words | Readonly<Record<string, Words>>>>;
  /** By the name of the list, in the order in which it was said; the same words of one artifact once. */
  readonly collected: Readonly<Record<string, readonly Member[]>>;
};

const MEMBERS_KEPT = 200;

/** Whether any file shows something of it: reading all that happened is not for nothing. */
export function showsSaid({ projections }: Pick<Definition, "projections">): boolean {
  return projections.some(
    (each) => "data" in each && (reads(each.data, "said") || reads(each.data, "collected")),
  );
}

export function saidIn(workflow: Workflow, events: Iterable<Event>): Said {
  const run: OwnRun = { ...NO_RUN };
  const said = new Map<string, Map<string, Words>>();
  const collected = new Map<string, Map<string, Member>>();
  for (const event of events) {
    change(run, event);
    // What was there before the run began was not said to it.
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
