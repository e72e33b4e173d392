/**
 * One event, from whoever brings it to its acknowledgement.
 *
 * Everything of the run is read first, because an event carries its facts; then the core decides; then one write. When somebody
 * else was faster, it is decided again, unless the run is somewhere else by now: then whoever asked must look first.
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

/** Somebody is faster than we are now and then; more often than this, something is wrong. */
const TRIES_MAX = 50;

export async function submit(box: Box, request: Request): Promise<Submission> {
  const { facts: given } = request;
  // Where nothing has to be waited for, nobody can come between.
  if (given !== undefined) return box.store.together(() => submitNow(box, request, given));
  let first: Run | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = look(box, request, first);
    if ("type" in seen) return seen;
    first ??= seen.kept.run;
    // Whoever was not faster than everybody else looks again.
    const known = tries === 0 ? request.tree : undefined;
    let unread: Error | undefined;
    const onUnread = needsNoWork(request, seen) ? (error: Error) => void (unread = error) : undefined;
    const author = request.author ?? request.by;
    const facts = await factsWith(box, seen, { author, tree: known, onUnread });
    await requireDelivery(box, request, { ...seen, facts });
    const submission = decide(box, request, { ...seen, facts });
    if (submission === undefined) continue;
    if (unread !== undefined) noteUnread(box, submission, unread);
    return submission;
  }
  throw tooFast(request.run);
}

/** Work that git cannot read must not keep a person from ending a run, nor the engine from recording what follows. */
function needsNoWork({ isEnd = false }: Request, { kept, workflow }: Seen): boolean {
  return isEnd || workflow.definition.states[kept.run.state]?.final !== undefined;
}

/** A move whose gate asks about the work is refused for the reason that the work cannot be read. */
function noteUnread(box: Box, submission: Submission, error: Error): void {
  if (submission.type === "refused") throw error;
  if (submission.type === "accepted")
    noteNew(box, submission.run.id, [`the work could not be read: ${error.message}`]);
}

function submitNow(box: Box, request: Request, facts: Facts): Submission {
  const seen = look(box, request);
  const submission = "type" in seen ? seen : decide(box, request, { ...seen, facts });
  if (submission === undefined) throw tooFast(request.run);
  return submission;
}

function tooFast(run: string): Error {
  return new Error(`run ${run} changes faster than anything can be decided about it`);
}

/** The run as it is, where it is still the one that `request` is about. */
function look(box: Box, request: Request, first?: Run): Seen | Submission {
  const kept = box.store.load(request.run);
  if (kept === undefined) return { type: "unknown" };
  const { run: now, row } = kept;
  const elsewhere = movedOn({ first: first ?? now, now, by: request.by, ...request.expected });
  if (elsewhere !== undefined)
    return knownAnswer(box, request) ?? { type: "conflict", run: now, message: elsewhere };
  return { kept, workflow: box.workflow(row.definition) };
}

type Informed = Seen & { readonly facts: Facts };

function stepOf(box: Box, request: Request, { kept, workflow, facts }: Informed) {
  const at = new Date(box.clock.now()).toISOString();
  const asked = withoutGiven(box, request.run, request.event({ ...facts, at, kept }));
  const event = withBeside(workflow, kept.run, { event: asked, readings: facts.readings ?? [] });
  return { at, event, decided: step(workflow, kept.run, event) };
}

/**
 * A move that hands work over is refused before it is recorded where the handover could not deliver all of it: the agent that asks can
 * still fix it, and no judge is started. A run can always be given up.
 */
async function requireDelivery(box: Box, request: Request, on: Informed): Promise<void> {
  const { kept, workflow, facts } = on;
  const workspace = boundWorkspace(box, request.run);
  if (workspace === undefined || (facts.tree ?? "") === "") return;
  const { decided } = stepOf(box, request, on);
  if (!decided.ok) return;
  const { final } = workflow.definition.states[decided.run.state] ?? {};
  if (final === "cancelled" || final === "failed") return;
  const isHandover = deedsOf(workflow, decided, () => workspace).some(({ type }) => type === "snapshot");
  if (!isHandover) return;
  const { path, repo } = workspace;
  await box.workspaces.requireDeliverable({ path, repo, run: kept.row.id, tree: decided.run.tree });
}

/** Undefined when another writer was faster. */
function decide(box: Box, request: Request, on: Informed): Submission | undefined {
  const { kept, workflow } = on;
  const { at, event, decided } = stepOf(box, request, on);
  if (!decided.ok)
    return knownAnswer(box, request) ?? { type: "refused", run: kept.run, refusal: decided.refusal };
  return write(box, { request, event, at, workflow, before: kept.run, decided, repo: kept.row.repo });
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
