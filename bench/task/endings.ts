/** What follows the end of an agent, and the ways out of every state. */

import { call, crash, enter, isLanded, lose, setAgent, stop, takeIn } from "./context.ts";
import {
  replaceWorker,
  startWorker,
  stopReviewer,
  stopWorker,
  tellWorker,
  update,
  type On,
  type Params,
} from "./effects.ts";
import type { Role } from "./event.ts";
import { after, both, isLastCrash, isLoss, isWorker, speaks } from "./guards.ts";

export const gone = (role: Role) =>
  [
    {
      guard: ({ context, event }: On): boolean =>
        "attempt" in event && context[role].is === "stopping" && context[role].attempt === event.attempt,
      actions: update(setAgent(role, "none")),
    },
    // Of an attempt that no longer counts: kept, and without any meaning.
    { actions: "note" },
  ] as const;

/** The worker ends: it is started again if the machine below it went away, otherwise a person must look. */
const lostWorker = {
  guard: both(isWorker, isLoss),
  actions: [replaceWorker, update(takeIn, setAgent("worker", "none"), lose, call("worker"))],
} as const;
const markWorker = { guard: isWorker, actions: update(takeIn, setAgent("worker", "crashed")) } as const;
export const waitingWorker = [lostWorker, markWorker] as const;
export const crashedWorker = [
  lostWorker,
  {
    guard: both(isWorker, isLastCrash),
    target: "stuck",
    actions: [
      {
        type: "startWorker",
        params: ({ context }: On): Params => ({ attempt: context.worker.attempt + 1, text: "stuck" }),
      },
      update(takeIn, setAgent("worker", "none"), enter, call("worker")),
    ],
  },
  { guard: isWorker, actions: update(takeIn, crash, setAgent("worker", "crashed")) },
] as const;

export const stuckActions = [tellWorker("stuck-notice"), startWorker("stuck")] as const;
export const endChanges = [enter, stop("worker"), stop("reviewer")] as const;

export const cancel = {
  guard: speaks("human"),
  target: "cancelled",
  actions: [stopWorker, stopReviewer, "releaseWorkspace", update(takeIn, ...endChanges)],
} as const;

const ending = [stopWorker, stopReviewer, "releaseWorkspace", "startNext"] as const;

/** It looks merged, and a person says that it is. */
export const confirm = {
  guard: both(speaks("human"), after(isLanded)),
  target: "done",
  actions: [...ending, update(takeIn, ...endChanges)],
} as const;
