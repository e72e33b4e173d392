/**
 * One event, from whoever brings it to its acknowledgement.
 *
 * Everything of the run is read first, because an event carries its facts; then the core decides; then one commit. After a conflict
 * it is decided again, unless the run is in another state by now: then the caller must look first.
 */

import type { Actor, Facts } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { step } from "../../core/step/step.ts";
import { withBeside } from "./related-readings.ts";
import type { Box } from "../box.ts";
import { deedsOf } from "../effects/deeds.ts";
import { withoutGiven } from "../agents/judge.ts";
import { factsWith, type Seen } from "./facts.ts";
import { boundWorkspace } from "./place.ts";
import { noteNew } from "./project.ts";
import { knownAnswer, write, type Request, type Submission } from "./write.ts";

/** A conflict happens now and then; more often than this, something is wrong. */
const TRIES_MAX = 50;

export async function submit(box: Box, request: Request): Promise<Submission> {
  const { facts: given } = request;
  let first: Run | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = await look(box, request, first);
    if ("type" in seen) return seen;
    if (given !== undefined) {
      const submission = await decide(box, request, { ...seen, facts: given });
      if (submission === undefined) continue;
      return submission;
    }
    first ??= seen.kept.run;
    // After a conflict the work is read again.
    const known = tries === 0 ? request.tree : undefined;
    let unread: Error | undefined;
    const onUnread = needsNoWork(request, seen) ? (error: Error) => void (unread = error) : undefined;
    const author = request.author ?? request.by;
    const facts = await factsWith(box, seen, { author, tree: known, onUnread });
    await requireDelivery(box, request, { ...seen, facts });
    const submission = await decide(box, request, { ...seen, facts });
    if (submission === undefined) continue;
    if (unread !== undefined) await noteUnread(box, submission, unread);
    return submission;
  }
  throw tooFast(request.run);
}

/** Work that git cannot read must not keep a person from ending a run, nor the engine from recording what follows. */
function needsNoWork({ isEnd = false }: Request, { kept, workflow }: Seen): boolean {
  return isEnd || workflow.definition.states[kept.run.state]?.final !== undefined;
}

/** A move whose gate asks about the work is refused for the reason that the work cannot be read. */
async function noteUnread(box: Box, submission: Submission, error: Error): Promise<void> {
  if (submission.type === "refused") throw error;
  if (submission.type === "accepted")
    await noteNew(box, submission.run.id, [`the work could not be read: ${error.message}`]);
}

function tooFast(run: string): Error {
  return new Error(`run ${run} changes faster than anything can be decided about it`);
}

/** The run as it is, where it is still the one that `request` is about. */
async function look(box: Box, request: Request, first?: Run): Promise<Seen | Submission> {
  const kept = await box.store.load(request.run);
  if (kept === undefined) return { type: "unknown" };
  const { run: now, row } = kept;
  const elsewhere = movedOn({ first: first ?? now, now, by: request.by, ...request.expected });
  if (elsewhere !== undefined)
    return (await knownAnswer(box, request)) ?? { type: "conflict", run: now, message: elsewhere };
  return { kept, workflow: await box.workflow(row.definition) };
}

type Informed = Seen & { readonly facts: Facts };

async function stepOf(box: Box, request: Request, { kept, workflow, facts }: Informed) {
  const at = new Date(box.clock.now()).toISOString();
  const asked = await withoutGiven(box, request.run, await request.event({ ...facts, at, kept }));
  const event = withBeside(workflow, kept.run, { event: asked, readings: facts.readings ?? [] });
  return { at, event, decided: step(workflow, kept.run, event) };
}

/**
 * A move that hands work over is refused before it is recorded where the handover could not deliver all of it: the agent that asks can
 * still fix it, and no judge is started. A run can always be given up.
 */
async function requireDelivery(box: Box, request: Request, on: Informed): Promise<void> {
  const { kept, workflow, facts } = on;
  const workspace = await boundWorkspace(box, request.run);
  if (workspace === undefined || (facts.tree ?? "") === "") return;
  const { decided } = await stepOf(box, request, on);
  if (!decided.ok) return;
  const { final } = workflow.definition.states[decided.run.state] ?? {};
  if (final === "cancelled" || final === "failed") return;
  const deeds = await deedsOf(workflow, decided, () => Promise.resolve(workspace));
  if (!deeds.some(({ type }) => type === "snapshot")) return;
  const { path, repo } = workspace;
  await box.workspaces.requireDeliverable({ path, repo, run: kept.row.id, tree: decided.run.tree });
}

/** Undefined after a conflict. */
async function decide(box: Box, request: Request, on: Informed): Promise<Submission | undefined> {
  const { kept, workflow } = on;
  const { head, repo } = kept.row;
  const { at, event, decided } = await stepOf(box, request, on);
  if (!decided.ok)
    return (await knownAnswer(box, request)) ?? { type: "refused", run: kept.run, refusal: decided.refusal };
  return write(box, { request, event, at, workflow, before: kept.run, head, decided, repo });
}

/** Why the run is not where whoever asks believes it to be. What the engine observes is true wherever the run is. */
function movedOn(on: {
  readonly first: Run;
  readonly now: Run;
  readonly by: Actor;
  readonly seq?: number;
  readonly state?: string;
}): string | undefined {
  const { first, now, by, seq, state } = on;
  if (by.type === "engine") return undefined;
  if (seq !== undefined && seq !== now.seq)
    return `run ${now.id} is at ${now.seq}, not at ${seq}: somebody else was faster`;
  if (state !== undefined && state !== now.state)
    return `run ${now.id} is in ${now.state}, not in ${state}: somebody else moved it`;
  if (first.entry !== now.entry)
    return `run ${now.id} went from ${first.state} to ${now.state} meanwhile: somebody else moved it`;
  return undefined;
}
