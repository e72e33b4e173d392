/** What was decided is written, together with what is to be done for it, or not at all. */

import { PLACE, type Workflow } from "../../core/model/compile.ts";
import type { Actor, Event, Facts, Incoming, Refusal } from "../../core/model/event.ts";
import { notReserved } from "../../core/gates/gate.ts";
import type { Run } from "../../core/model/run.ts";
import type { Step } from "../../core/step/step.ts";
import { statusOf } from "../../core/model/status.ts";
import type { Box } from "../box.ts";
import { deedsOf } from "../effects/deeds.ts";
import type { Write } from "../ports/commit.ts";
import { PIN } from "../pins/pin.ts";
import { marksFor, type SubmittedText } from "./show-texts.ts";
import type { Birth, Kept, Proof } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";

/** The sequence number of an event, and the hash of the event before it. */
export type ChainPlace = { readonly seq: number; readonly prev: string };

export type Request = {
  readonly run: string;
  readonly by: Actor;
  /** The event, out of what is known at this moment. */
  readonly event: (
    facts: Facts & { readonly at: string; readonly kept: Kept },
  ) => Incoming | Promise<Incoming>;
  /** Looks at the whole event before it is decided. If it throws, nothing is written. */
  readonly examine?: (event: Incoming, workflow: Workflow, run: Run) => void;
  readonly key?: string;
  /** Of the event as it is written, by what its signature covers. */
  readonly prove?: (event: Event) => (link: ChainPlace) => Proof;
  /** Whoever asks has seen the run here; anywhere else is a conflict. */
  readonly expected?: { readonly seq?: number; readonly state?: string; readonly entry?: number };
  /** The agent whose end the engine tells: what it left is read where it has worked. */
  readonly author?: Extract<Actor, { type: "agent" }>;
  /** Facts that are known already: they are not read again. */
  readonly facts?: Facts;
  /** The digest of the work, by whoever has just looked at it. */
  readonly tree?: string;
  /** Texts that come with the call: they are kept with the event, and files show them afterwards. */
  readonly texts?: readonly SubmittedText[];
  /** It is a person's move to a final state: it happens also where git cannot read the work, unless its gate asks about the work. */
  readonly isEnd?: boolean;
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

/** What is accepted is looked up when it is written; only a no has to ask whether it was a yes before. */
export async function knownAnswer(
  { store }: Box,
  { run, by, key }: Pick<Request, "run" | "by" | "key">,
): Promise<Submission | undefined> {
  const known = key === undefined ? undefined : await store.answerTo(run, keyOf(by, key));
  return known === undefined ? undefined : { type: "repeated", answer: known };
}

type DecidedEvent = {
  readonly request: Request;
  readonly event: Incoming;
  readonly at: string;
  readonly workflow: Workflow;
  readonly before: Run;
  /** The hash of the last event of `before`; empty for a new run. */
  readonly head: string;
  readonly decided: Extract<Step, { ok: true }>;
  readonly birth?: Birth;
  readonly pin?: string | undefined;
  readonly repo: string;
  /** The one that the run works in. */
  readonly workspace: WorkspaceRow | undefined;
  /** Texts that readings of the event name. */
  readonly texts: readonly string[];
};

/** Undefined where the run is no longer the one that the decision was made on. */
export async function write(box: Box, on: DecidedEvent): Promise<Submission | undefined> {
  const { request, event, at, workflow, before, head, decided, birth } = on;
  const { run, by } = request;
  const key = request.key === undefined ? undefined : keyOf(by, request.key);
  const deeds = deedsOf(workflow, decided, on.workspace);
  const isPlaced = workflow.isInPlace && deeds.some(({ type }) => type === "prepare-resource");
  const proof = request.prove?.(decided.events[0] ?? event)({ seq: before.seq + 1, prev: head });
  const committed = await box.store.commit([
    ...(birth === undefined
      ? []
      : [{ type: "define", hash: workflow.hash(), definition: workflow.definition } as const]),
    ...(on.pin === undefined ? [] : [{ type: "put-projection", run, file: PIN, fields: on.pin } as const]),
    {
      type: "append",
      entry: {
        run,
        seq: before.seq,
        head,
        at,
        by,
        events: decided.events,
        after: decided.run,
        status: statusOf(workflow, decided.run),
        deeds,
        ...(birth === undefined ? {} : { birth }),
        ...(isPlaced ? { place: on.repo } : {}),
        ...(key === undefined ? {} : { key, answer: JSON.stringify(acknowledged(before, decided.run)) }),
        ...(proof === undefined ? {} : { proof }),
        texts: on.texts,
      },
    },
    ...marksFor(workflow, { run, before, events: decided.events, texts: request.texts ?? [] }),
    // What could not be done for a run that is over is looked at once more: most of it is no longer wanted.
    ...(isOver(workflow, decided.run) ? clearUp(run) : []),
  ]);
  switch (committed.type) {
    case "written":
      return { type: "accepted", before, run: decided.run, events: decided.events, deeds: deeds.length };
    case "repeated":
      return { type: "repeated", answer: committed.answer };
    case "conflict":
      return undefined;
    case "taken":
      return { type: "refused", run: before, refusal: placeTaken(committed.by) };
  }
}

/** Another run has taken it since it was looked for. */
function placeTaken(holder: string): Refusal {
  const { code, message, mend } = notReserved(PLACE, holder);
  return { code, message, next: mend };
}

/** Nothing holds up what a run that is over leaves to be done. */
function clearUp(run: string): readonly Write[] {
  return [
    { type: "retry", run },
    { type: "halt", run, halted: false },
  ];
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
