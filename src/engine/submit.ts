/**
 * One event, from whoever brings it to its acknowledgement.
 *
 * Everything of the run is read first, because an event carries its facts; then the core decides; then one write. When somebody
 * else was faster, it is decided again, unless the run is somewhere else by now: then whoever asked must look first.
 */

import { PLACE, type Workflow } from "../core/compile.ts";
import type { Actor, Event, Facts, Incoming, Reading, Refusal } from "../core/event.ts";
import { notReserved } from "../core/gate.ts";
import { NO_RUN, slotKey, type Run } from "../core/run.ts";
import { step, type Step } from "../core/step.ts";
import { statusOf } from "../core/view.ts";
import { withBeside } from "./beside.ts";
import { readBesides } from "./besides.ts";
import type { Box } from "./box.ts";
import { deedsOf } from "./deeds.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import type { Birth, Entry, Kept } from "./ports/journal.ts";

export type Request = {
  readonly run: string;
  readonly by: Actor;
  /** The event, out of what is known at this moment. */
  readonly event: (facts: Facts & { readonly at: string; readonly kept: Kept }) => Incoming;
  readonly key?: string;
  /** Of the event as it is written. */
  readonly prove?: (event: Event) => Entry["prove"];
  /** Whoever asks has seen the run here; anywhere else is a conflict. */
  readonly expected?: { readonly seq?: number; readonly state?: string };
  /** Facts that are known already: they are not read again. */
  readonly facts?: Facts;
  /** The digest of the work, by whoever has just looked at it. */
  readonly tree?: string;
};

export type Submission =
  | {
      readonly type: "accepted";
      readonly before: Run;
      readonly run: Run;
      readonly events: readonly Event[];
      readonly deeds: number;
    }
  | { readonly type: "repeated"; readonly answer: string }
  | { readonly type: "refused"; readonly run: Run; readonly refusal: Refusal }
  | { readonly type: "conflict"; readonly run: Run; readonly message: string }
  | { readonly type: "unknown" };

/** Somebody is faster than we are now and then; more often than this, something is wrong. */
const TRIES_MAX = 50;

export async function submit(box: Box, request: Request): Promise<Submission> {
  const { facts } = request;
  // Where nothing has to be waited for, nobody can come between.
  if (facts !== undefined) return box.store.together(() => submitNow(box, request, facts));
  let first: Run | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const seen = look(box, request, first);
    if ("type" in seen) return seen;
    first ??= seen.kept.run;
    // Whoever was not faster than everybody else looks again.
    const known = tries === 0 ? request.tree : undefined;
    const submission = decide(box, request, { ...seen, facts: await factsWith(box, seen, known) });
    if (submission !== undefined) return submission;
  }
  throw tooFast(request.run);
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

/** A run, and the definition that it goes by. */
type Seen = { readonly kept: Kept; readonly workflow: Workflow };

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

/** Undefined when somebody else was faster. */
function decide(
  box: Box,
  request: Request,
  { kept, workflow, facts }: Seen & { readonly facts: Facts },
): Submission | undefined {
  const at = new Date(box.clock.now()).toISOString();
  const asked = request.event({ ...facts, at, kept });
  const event = withBeside(workflow, kept.run, { event: asked, readings: facts.readings ?? [] });
  const decided = step(workflow, kept.run, event);
  if (!decided.ok)
    return knownAnswer(box, request) ?? { type: "refused", run: kept.run, refusal: decided.refusal };
  return write(box, { request, event, at, workflow, before: kept.run, decided, repo: kept.row.repo });
}

/** What is accepted is looked up when it is written; only a no has to ask whether it was a yes before. */
function knownAnswer(
  { store }: Box,
  { run, by, key }: Pick<Request, "run" | "by" | "key">,
): Submission | undefined {
  const known = key === undefined ? undefined : store.answerTo(run, keyOf(by, key));
  return known === undefined ? undefined : { type: "repeated", answer: known };
}

export type Start = {
  readonly run: string;
  readonly by: Actor;
  readonly workflow: Workflow;
  readonly birth: Birth;
  readonly params: Extract<Incoming, { type: "run-started" }>["params"];
  readonly to?: string;
  /** The digest of the work that it begins with: what a person says of it is about that. */
  readonly tree?: string;
  readonly key?: string;
  readonly prove?: Request["prove"];
};

/** Begins a run. A second try with the same id and key gives the same answer. */
export async function begin(box: Box, start: Start): Promise<Submission> {
  const { run: id, workflow } = start;
  const known = knownAnswer(box, start);
  if (known !== undefined) return known;
  const run = { ...NO_RUN, id, params: start.params };
  // In place, its files are in the checkout from the beginning.
  const { repo: root } = start.birth;
  const place = workflow.isInPlace
    ? { root, run, workflow, isWorkspace: true }
    : { root: box.folders(id).files, run, workflow };
  const readings = await box.artifacts.read(place);
  const besides =
    workflow.isInPlace && start.tree !== undefined
      ? await readBesides(box, { run, workflow, path: root, tree: start.tree })
      : [];
  return box.store.together(() => beginNow(box, start, [...readings, ...besides]));
}

function beginNow(box: Box, start: Start, readings: readonly Reading[]): Submission {
  const { run: id, by, workflow, birth, params, to } = start;
  box.store.define(workflow.hash(), workflow.definition);
  const at = new Date(box.clock.now()).toISOString();
  const event: Incoming = {
    type: "run-started",
    by,
    at,
    run: id,
    definition: workflow.hash(),
    params,
    readings,
    ...reservable(box, workflow, { id, repo: birth.repo }),
    ...(to === undefined ? {} : { to }),
    ...(start.tree === undefined ? {} : { tree: start.tree }),
  };
  const decided = step(workflow, NO_RUN, event);
  if (!decided.ok) return { type: "refused", run: NO_RUN, refusal: decided.refusal };
  const request = {
    run: id,
    by,
    event: () => event,
    ...(start.key === undefined ? {} : { key: start.key }),
    ...(start.prove === undefined ? {} : { prove: start.prove }),
  };
  const written = write(box, {
    request,
    event,
    at,
    workflow,
    before: NO_RUN,
    decided,
    birth,
    repo: birth.repo,
  });
  return written ?? { type: "conflict", run: NO_RUN, message: `there is a run ${id} already` };
}

/** Resources that the run has, or would get if it asked for them now. Whether it gets them is decided when the event is written. */
function reservable(
  { store }: Box,
  { isInPlace }: Workflow,
  { id: run, repo }: { readonly id: string; readonly repo: string },
): Pick<Facts, "reserved" | "taken"> {
  if (isInPlace) {
    const holder = store.placeHolder(repo, run);
    return holder === "" ? { reserved: [PLACE] } : { reserved: [], taken: { [PLACE]: holder } };
  }
  // A child works in its parent's, whether or not there is room for another.
  const has = store.poolOf(run) !== undefined || store.hasRoom(repo);
  return { reserved: has || boundWorkspace({ store }, run) !== undefined ? ["workspace"] : [] };
}

export async function factsOf(box: Box, kept: Kept, workflow: Workflow): Promise<Facts> {
  return factsWith(box, { kept, workflow });
}

async function factsWith(box: Box, { kept, workflow }: Seen, seenTree?: string): Promise<Facts> {
  const { row, run } = kept;
  const place = placeOf(box, { run, workflow, id: row.id });
  const workspace = boundWorkspace(box, row.id);
  // Git first: it works while we read.
  const [tree, readings] = await Promise.all([
    seenTree ??
      (workspace === undefined ? undefined : treeIn(box, workspace.path, artifactPaths(workflow, run))),
    box.artifacts.read(place),
  ]);
  const besides =
    workspace === undefined || tree === undefined
      ? []
      : await readBesides(box, { run, workflow, path: workspace.path, tree });
  const known = [...readings, ...besides].map((reading) => withoutKnownWords(run, reading));
  return { readings: known, ...reservable(box, workflow, row), ...(tree === undefined ? {} : { tree }) };
}

/** The words of a review are in the journal from when it was taken in: every further event would carry them along. */
function withoutKnownWords(run: Run, reading: Reading): Reading {
  const held = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
  if (reading.review === undefined || held?.digest !== reading.digest) return reading;
  const { review: _, ...rest } = reading;
  return rest;
}

/** Where somebody has taken the workspace away, nothing is known of the work: what was said about it no longer counts. */
async function treeIn(box: Box, path: string, artifacts: readonly string[]): Promise<string> {
  try {
    return await box.workspaces.digest(path, artifacts);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "no-workspace") return UNKNOWN_TREE;
    throw error;
  }
}

const UNKNOWN_TREE = "";

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

function write(
  box: Box,
  on: {
    readonly request: Request;
    readonly event: Incoming;
    readonly at: string;
    readonly workflow: Workflow;
    readonly before: Run;
    readonly decided: Extract<Step, { ok: true }>;
    readonly birth?: Birth;
    readonly repo: string;
  },
): Submission | undefined {
  return box.store.together(() => writeOut(box, on));
}

function writeOut(box: Box, on: Parameters<typeof write>[1]): Submission | undefined {
  const { request, event, at, workflow, before, decided, birth } = on;
  const { prove } = request;
  const key = request.key === undefined ? undefined : keyOf(request.by, request.key);
  const deeds = deedsOf(workflow, decided, () => boundWorkspace(box, request.run));
  const proof = prove?.(decided.events[0] ?? event);
  const appended = box.store.append({
    run: request.run,
    seq: before.seq,
    at,
    by: request.by,
    events: decided.events,
    after: decided.run,
    status: statusOf(workflow, decided.run),
    deeds,
    ...(birth === undefined ? {} : { birth }),
    ...(deeds.some(({ type }) => type === "prepare-resource")
      ? { [workflow.isInPlace ? "place" : "reserve"]: on.repo }
      : {}),
    ...(key === undefined ? {} : { key, answer: JSON.stringify(acknowledged(before, decided.run)) }),
    ...(proof === undefined ? {} : { prove: proof }),
  });
  switch (appended.type) {
    case "written":
      // What could not be done for a run that is over is looked at once more: most of it is no longer wanted.
      if (isOver(workflow, decided.run)) clearUp(box, request.run);
      return { type: "accepted", before, run: decided.run, events: decided.events, deeds: deeds.length };
    case "repeated":
      return { type: "repeated", answer: appended.answer };
    case "conflict":
      return undefined;
    case "exhausted":
      return { type: "refused", run: before, refusal: noneFree(box, request.run, on) };
  }
}

/** Somebody has taken the last one since it was looked for. */
function noneFree(
  { store }: Box,
  run: string,
  { workflow, repo }: { readonly workflow: Workflow; readonly repo: string },
): Refusal {
  if (workflow.isInPlace) {
    const { code, message, mend } = notReserved(PLACE, store.placeHolder(repo, run));
    return { code, message, next: mend };
  }
  return {
    code: "gate-not-met",
    message: "no workspace is free",
    next: `signalbox workspace list, then: signalbox resume ${run}`,
  };
}

/** Nothing holds up what a run that is over leaves to be done. */
function clearUp({ store }: Box, run: string): void {
  store.retry(run);
  if (store.isHalted(run)) store.halt(run, false);
}

function isOver({ definition }: Workflow, run: Run): boolean {
  return definition.states[run.state]?.final !== undefined;
}

/** Everybody has keys of their own: nobody can use up one that somebody else is going to use. */
export function keyOf(by: Actor, key: string): string {
  return by.type === "agent" ? `${by.role}:${by.slot}:${by.attempt}/${key}` : `${by.type}/${key}`;
}

/** What is kept with an idempotency key, and given again for it. */
function acknowledged(before: Run, run: Run): { from: string; to: string; seq: number } {
  return { from: before.state, to: run.state, seq: run.seq };
}
