/**
 * One event, from the request to its acknowledgement.
 *
 * Everything of the run is read first, because an event carries its facts; then the core decides; then one commit. After a conflict
 * it is decided again, unless the run is in another state by now: then the caller must look first.
 */

import type { Actor, Incoming, Reading } from "../../core/model/event.ts";
import { type Run, slotKey } from "../../core/model/run.ts";
import { step, type Step } from "../../core/step/step.ts";
import type { Box } from "../box.ts";
import { deedsOf } from "../effects/deeds.ts";
import { withoutGiven } from "../agents/given-texts.ts";
import { withTexts, type Collected } from "./collect.ts";
import { factsWith, type FactsWithTexts, type Seen } from "./facts.ts";
import { placeWith } from "./place.ts";
import { noteNew } from "../notes.ts";
import { showTexts } from "./show-texts.ts";
import { knownAnswer, write, type Request, type Submission } from "./write.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { othersOf } from "../../core/text/same-file.ts";

/** A conflict happens now and then; more often than this, something is wrong. */
const TRIES_MAX = 50;

export async function submit(box: Box, request: Request): Promise<Submission> {
  let first: Run | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = await look(box, request, first);
    if ("type" in seen) return seen;
    if (request.facts === undefined) first ??= seen.kept.run;
    let unread: Error | undefined;
    const onUnread = needsNoWork(request, seen) ? (error: Error) => void (unread = error) : undefined;
    const { facts, texts = [] } = request;
    const known =
      facts === undefined
        ? await factsWith(box, seen, {
            author: request.author ?? request.by,
            // After a conflict the work is read again.
            tree: tries === 0 ? request.tree : undefined,
            onUnread,
            texts,
          })
        : { facts, collected: collectedLater(box, seen) };
    const submission = await decide(box, request, { ...seen, ...known });
    if (submission === undefined) continue;
    // Before the acknowledgement. After a kill the next process that reads or shows the files does this.
    if (submission.type === "accepted" && texts.length > 0)
      await showTexts(box, { row: seen.kept.row, run: submission.run });
    if (unread !== undefined) await noteUnread(box, submission, unread);
    return submission;
  }
  throw tooFast(request.run);
}

/** The caller has read the artifacts: their texts are those of the files that still say the same. */
function collectedLater(box: Box, { kept, workflow, workspace }: Seen): Collected {
  const { row, run } = kept;
  let files: Promise<Collected> | undefined;
  const collect = async (): Promise<Collected> =>
    box.artifacts.collect(await placeWith(box, { run, workflow, id: row.id, workspace }));
  return {
    readings: [],
    textOf: async (reading) => {
      const collected = await (files ??= collect());
      const isSame = collected.readings.some(
        ({ artifact, slot, digest }) =>
          artifact === reading.artifact && slot === reading.slot && digest === reading.digest,
      );
      return isSame ? collected.textOf(reading) : undefined;
    },
  };
}

/** Work that git cannot read must not keep a person from ending a run, nor the engine from recording what follows. */
function needsNoWork({ isEnd = false }: Request, { kept, workflow }: Seen): boolean {
  return isEnd || workflow.definition.states[kept.run.state]?.final !== undefined;
}

/** A move whose gate asks about the work is refused for the reason that the work cannot be read. */
async function noteUnread(box: Box, submission: Submission, error: Error): Promise<void> {
  if (submission.type === "refused") throw error;
  if (submission.type === "accepted")
    await noteNew(box, { run: submission.run.id }, [`the work could not be read: ${error.message}`]);
}

function tooFast(run: string): Error {
  return new Error(`run ${run} changes faster than anything can be decided about it`);
}

/** The run as it is, where it is still the one that `request` is about. */
async function look(box: Box, request: Request, first?: Run): Promise<Seen | Submission> {
  const loaded = await box.store.load(request.run);
  if (loaded === undefined) return { type: "unknown" };
  const { workspace, ...kept } = loaded;
  const { run: now, row } = kept;
  const elsewhere = movedOn({ first: first ?? now, now, by: request.by, ...request.expected });
  if (elsewhere !== undefined)
    return (await knownAnswer(box, request)) ?? { type: "conflict", run: now, message: elsewhere };
  return { kept, workspace, workflow: await box.workflow(row.definition) };
}

type Informed = Seen & FactsWithTexts;

/**
 * A move that hands work over is refused before it is recorded where the handover could not deliver all of it: the agent that asks can
 * still fix it, and no judge is started. A run can always be given up.
 */
async function requireDelivery(
  box: Box,
  { kept, workflow, workspace, facts }: Informed,
  decided: Extract<Step, { ok: true }>,
): Promise<void> {
  const { final } = workflow.definition.states[decided.run.state] ?? {};
  if ((facts.tree ?? "") === "" || final === "cancelled" || final === "failed") return;
  if (workspace === undefined) return;
  const deeds = deedsOf(workflow, decided, workspace);
  if (!deeds.some(({ type }) => type === "snapshot")) return;
  const { path, repo } = workspace;
  await box.workspaces.requireDeliverable({ path, repo, run: kept.row.id, tree: decided.run.tree });
}

/** Undefined after a conflict. */
async function decide(box: Box, request: Request, on: Informed): Promise<Submission | undefined> {
  const { kept, workflow, workspace, facts, collected } = on;
  const { run } = kept;
  const at = new Date(box.clock.now()).toISOString();
  const asked = await withoutGiven(box, request.run, await request.event({ ...facts, at, kept }));
  const whole = withBeside(workflow, run, { event: asked, readings: facts.readings ?? [] });
  const { event, texts } = await withTexts(whole, { run, collected, given: request.texts ?? [] });
  request.examine?.(event, workflow, run);
  const decided = step(workflow, run, event);
  if (!decided.ok)
    return (await knownAnswer(box, request)) ?? { type: "refused", run, refusal: decided.refusal };
  if (request.facts === undefined) await requireDelivery(box, on, decided);
  const { head, repo } = kept.row;
  return write(box, { request, event, texts, at, workflow, before: run, head, decided, repo, workspace });
}

/** Why the run is not where the caller believes it to be. What the engine observes is true wherever the run is. */
function movedOn(on: {
  readonly first: Run;
  readonly now: Run;
  readonly by: Actor;
  readonly seq?: number;
  readonly state?: string;
  readonly entry?: number;
}): string | undefined {
  const { first, now, by, seq, state, entry } = on;
  if (by.type === "engine") return undefined;
  if (seq !== undefined && seq !== now.seq)
    return `run ${now.id} is at ${now.seq}, not at ${seq}: somebody else was faster`;
  if (state !== undefined && state !== now.state)
    return `run ${now.id} is in ${now.state}, not in ${state}: somebody else moved it`;
  if (entry !== undefined && entry !== now.entry)
    return `run ${now.id} has moved since you looked, and is in ${now.state} now: somebody else moved it`;
  if (first.entry !== now.entry)
    return `run ${now.id} went from ${first.state} to ${now.state} meanwhile: somebody else moved it`;
  return undefined;
}

/**
 * A submission carries one artifact. The readings of files that the engine looks at go with it, and those of other artifacts in the same file.
 * An agent's submission also carries the changed texts that it is about: an agent must not approve a text that it has just replaced.
 */
export function withBeside(
  workflow: Workflow,
  run: Run,
  { event, readings }: { readonly event: Incoming; readonly readings: readonly Reading[] },
): Incoming {
  if (event.type !== "submitted") return event;
  const { artifacts } = workflow.definition;
  const own = event.readings ?? [];
  const others = readings.filter(({ artifact }) => !own.some((one) => one.artifact === artifact));
  const isLookedAt = ({ artifact }: Reading): boolean => artifacts[artifact]?.reader.type === "files";
  const files = others.filter(isLookedAt);
  const same = new Set(own.flatMap(({ artifact }) => othersOf(workflow, artifact)));
  const about = new Set(own.flatMap(({ artifact }) => artifacts[artifact]?.bind ?? []));
  const beside = others.filter((reading) => {
    const isRelated =
      same.has(reading.artifact) || (event.by.type === "agent" && about.has(reading.artifact));
    if (!isRelated || isLookedAt(reading)) return false;
    const known = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
    return known !== undefined && known.digest !== reading.digest;
  });
  return {
    ...event,
    ...(files.length === 0 ? {} : { readings: [...own, ...files] }),
    ...(beside.length === 0 ? {} : { beside }),
  };
}
