/** What keeps the transitions of the XState model shut. */

import { countsAll, hasHandoff, hasPlan, isUp, LOSSES_MAX, takeIn, type Context } from "./context.ts";
import type { On } from "./effects.ts";

export type Guard = (on: On) => boolean;

export const both =
  (...guards: readonly Guard[]): Guard =>
  (on) =>
    guards.every((guard) => guard(on));

/** A person always speaks; an agent speaks while it is the one that counts. */
export const speaks =
  (...who: readonly string[]): Guard =>
  ({ context, event }) => {
    if (!("by" in event) || !who.includes(event.by)) return false;
    return event.by === "human" || (isUp(context[event.by]) && context[event.by].attempt === event.attempt);
  };

/** Something is true once the facts of the event are known. */
export const after =
  (test: (context: Context) => boolean): Guard =>
  ({ context, event }) =>
    test(takeIn(context, event));

export const handsIn: Guard = ({ context, event }) => countsAll(context, event);
export const hasWorkspace: Guard = ({ event }) => "workspace" in event && event.workspace;
export const isBelow = (context: Context): boolean => context.round < context.limits.rounds;
export const isTurn = after((context) => context.turn);
export const mayHandOff = after((context) => hasHandoff(context) && isBelow(context));
export const mayQuestion: Guard = ({ context }) => context.questions < context.limits.questions;

export const isWorker: Guard = ({ context, event }) =>
  event.type === "WORKER_ENDED" && isUp(context.worker) && context.worker.attempt === event.attempt;
export const isReviewer: Guard = ({ context, event }) =>
  event.type === "REVIEWER_ENDED" && isUp(context.reviewer) && context.reviewer.attempt === event.attempt;
export const isLoss: Guard = ({ context, event }) =>
  "infrastructure" in event && event.infrastructure && context.losses < LOSSES_MAX;
/** Whoever was ended has planned only where there was no plan before. */
export const hasPlanned: Guard = ({ context, event }) =>
  hasPlan(takeIn(context, event)) &&
  (!("infrastructure" in event && event.infrastructure) || (context.worker.seen.plan ?? "") === "");
export const isLastCrash: Guard = ({ context }) => context.crashes + 1 >= context.limits.crashes;
