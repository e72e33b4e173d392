/** What the XState model orders to be done, by name, and how its memory changes with each transition. */

import { setup } from "xstate";
import { isUp, type Change, type Context } from "./context.ts";
import type { Limits, TaskEvent } from "./event.ts";

export type Params = { readonly attempt: number; readonly text: string };
export type On = { readonly context: Context; readonly event: TaskEvent };

/** Effects have names and no bodies: whoever runs the machine carries them out. */
const effect = (): void => {};
const agentEffect: (on: unknown, params: Params) => void = effect;

export const task = setup({
  types: { context: {} as Context, events: {} as TaskEvent, input: {} as Limits },
  actions: {
    startWorker: agentEffect,
    tellWorker: agentEffect,
    stopWorker: agentEffect,
    startReviewer: agentEffect,
    stopReviewer: agentEffect,
    releaseWorkspace: effect,
    startNext: effect,
    archiveReview: effect,
    archiveHandoff: effect,
    archiveCycle: effect,
    archiveInstructions: effect,
    note: effect,
  },
});

/** An effect that has nothing to do has no attempt; see `describeAction`. */
const NOTHING: Params = { attempt: 0, text: "" };

export const tellWorker = (message: string) =>
  ({
    type: "tellWorker",
    params: ({ context: { worker } }: On): Params =>
      isUp(worker) ? { attempt: worker.attempt, text: message } : NOTHING,
  }) as const;

/** `text` is the prompt of the first worker and of those that follow it, unless one is given for this case. */
export const startWorker = (prompt?: string) =>
  ({
    type: "startWorker",
    params: ({ context: { worker } }: On): Params =>
      isUp(worker)
        ? NOTHING
        : { attempt: worker.attempt + 1, text: prompt ?? (worker.attempt === 0 ? "worker" : "respawn") },
  }) as const;

/** The worker that just ended is not there any more, whatever the memory still says. */
export const replaceWorker = {
  type: "startWorker",
  params: ({ context: { worker } }: On): Params => ({ attempt: worker.attempt + 1, text: "respawn" }),
} as const;

export const startReviewer = {
  type: "startReviewer",
  params: ({ context: { reviewer } }: On): Params => ({ attempt: reviewer.attempt + 1, text: "reviewer" }),
} as const;

export const stopWorker = {
  type: "stopWorker",
  params: ({ context: { worker } }: On): Params =>
    isUp(worker) ? { attempt: worker.attempt, text: "" } : NOTHING,
} as const;

export const stopReviewer = {
  type: "stopReviewer",
  params: ({ context: { reviewer } }: On): Params =>
    isUp(reviewer) ? { attempt: reviewer.attempt, text: "" } : NOTHING,
} as const;

export const update = (...changes: readonly Change[]) =>
  task.assign(({ context, event }: On) => {
    let next = context;
    for (const change of changes) next = change(next, event);
    return next;
  });
