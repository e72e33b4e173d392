/**
 * What a task remembers between events, and how events change it, for the XState model of the workflow.
 *
 * Written from the description of the workflow and its resolutions, as a second opinion on the core: nothing here
 * comes from the core or from the definition that the core runs.
 */

import type { Facts, Limits, Role, TaskEvent, Text } from "./event.ts";

/** A section that was taken in, who wrote it, and the content of the worktree it speaks about. */
type Kept = Text & { readonly by: string; readonly tree: string; readonly accepted?: Kept };

export type Agent = {
  readonly attempt: number;
  readonly is: "none" | "up" | "stopping" | "crashed";
  /** The content of the worktree when it was started. */
  readonly tree: string;
  /** What there was already of what it is to write. */
  readonly seen: Seen;
};

/** The text that was last seen of each section, whoever wrote it. */
type Seen = { readonly plan?: string; readonly handoff?: string; readonly review?: string };

export type Context = {
  readonly limits: Limits;
  readonly round: number;
  readonly crashes: number;
  readonly questions: number;
  /** How often the machine below the agent went away since the state was entered. */
  readonly losses: number;
  readonly tree: string;
  readonly seen: Seen;
  readonly plan: Kept | undefined;
  readonly handoff: Kept | undefined;
  readonly review: Kept | undefined;
  /** The content that the last round began with: it does not open another one. */
  readonly usedPlan: string | undefined;
  readonly usedHandoff: string | undefined;
  readonly usedReview: string | undefined;
  readonly waivedPlan: boolean;
  readonly waivedHandoff: boolean;
  /** The content of the worktree that a person let pass without a review. */
  readonly waivedReview: string | undefined;
  readonly turn: boolean;
  /** The content that was seen in the branch which it is for. */
  readonly merged: string | undefined;
  readonly worker: Agent;
  readonly reviewer: Agent;
};

/** One thing an event does to the memory. */
export type Change = (context: Context, event: TaskEvent) => Context;

export const LIMITS: Limits = { rounds: 2, crashes: 2, questions: 2 };
const NOBODY: Agent = { attempt: 0, is: "none", tree: "", seen: {} };

export const NEW_TASK: Context = {
  limits: LIMITS,
  round: 0,
  crashes: 0,
  questions: 0,
  losses: 0,
  tree: "",
  seen: {},
  plan: undefined,
  handoff: undefined,
  review: undefined,
  usedPlan: undefined,
  usedHandoff: undefined,
  usedReview: undefined,
  waivedPlan: false,
  waivedHandoff: false,
  waivedReview: undefined,
  turn: false,
  merged: undefined,
  worker: NOBODY,
  reviewer: NOBODY,
};

export const LOSSES_MAX = 5;
const AUTHORS = ["worker", "human"];
const REVIEWERS = ["reviewer"];

export function isUp(agent: Agent): boolean {
  return agent.is === "up";
}

/** The facts of an event, as told by whoever stands behind it. */
export const takeIn: Change = (context, event) => {
  const facts: Facts & Pick<TaskEvent, "type"> = event;
  const by = authorOf(event);
  const tree = facts.tree ?? context.tree;
  // The reviewer may not change the work, so it speaks about the work as it was handed over.
  const about = by === "reviewer" ? context.reviewer.tree : tree;
  const { plan, handoff, review } = workOf(context, event);
  const observed = event.type === "OBSERVE";
  return {
    ...context,
    tree,
    // A waiver is for the work as it is.
    waivedReview: tree === context.tree ? context.waivedReview : undefined,
    seen: {
      ...context.seen,
      ...(plan === undefined ? {} : { plan: plan.id }),
      ...(handoff === undefined ? {} : { handoff: handoff.id }),
      ...(review === undefined ? {} : { review: review.id }),
    },
    plan: plan === undefined ? context.plan : keep(context.plan, { ...plan, by, tree: about }, AUTHORS),
    handoff:
      handoff === undefined
        ? context.handoff
        : keep(context.handoff, { ...handoff, by, tree: about }, AUTHORS),
    review:
      review === undefined ? context.review : keep(context.review, { ...review, by, tree: about }, REVIEWERS),
    turn: observed ? (event.turn ?? context.turn) : context.turn,
    merged:
      observed && event.merged !== undefined ? (event.merged === "seen" ? tree : undefined) : context.merged,
  };
};

/** It was seen of the work as it is. */
export function isLanded({ merged, tree }: Context): boolean {
  return tree !== "" && merged === tree;
}

/** What is found at an agent's end is its work only where it changed since the agent was started; what is gone is gone, whoever took it away. */
function workOf(context: Context, event: TaskEvent): Pick<Facts, "plan" | "handoff" | "review"> {
  const { plan, handoff, review }: Facts & Pick<TaskEvent, "type"> = event;
  const before =
    event.type === "WORKER_ENDED"
      ? context.worker.seen
      : event.type === "REVIEWER_ENDED"
        ? context.reviewer.seen
        : {};
  const isOld = (text: Text, seen: string | undefined): boolean => text.id !== "" && text.id === seen;
  return {
    ...(plan === undefined || isOld(plan, before.plan) ? {} : { plan }),
    ...(handoff === undefined || isOld(handoff, before.handoff) ? {} : { handoff }),
    ...(review === undefined || isOld(review, before.review) ? {} : { review }),
  };
}

function authorOf(event: TaskEvent): string {
  if (event.type === "WORKER_ENDED") return "worker";
  if (event.type === "REVIEWER_ENDED") return "reviewer";
  return "by" in event ? event.by : "engine";
}

/** The word of others does not count, but a text they changed is no longer what was accepted, until they put it back. A verdict stands. */
function keep(known: Kept | undefined, text: Kept, authors: readonly string[]): Kept | undefined {
  if (authors.includes(text.by)) return text;
  if (known === undefined || known.verdict !== undefined || known.id === text.id) return known;
  const accepted = authors.includes(known.by) ? known : known.accepted;
  if (accepted === undefined) return text;
  return accepted.id === text.id ? accepted : { ...text, accepted };
}

export function hasPlan({ plan, usedPlan, waivedPlan }: Context): boolean {
  return waivedPlan || isNewText(plan, usedPlan);
}

export function hasHandoff({ handoff, usedHandoff, waivedHandoff }: Context): boolean {
  return waivedHandoff || isNewText(handoff, usedHandoff);
}

function isNewText(text: Kept | undefined, used: string | undefined): boolean {
  if (text === undefined || text.id === "" || text.id === used) return false;
  return text.ok && AUTHORS.includes(text.by);
}

/** What somebody hands in is theirs to write and counts by itself; otherwise they are told at once. */
export function countsAll(context: Context, event: TaskEvent): boolean {
  const { plan, handoff, review }: Facts & Pick<TaskEvent, "type"> = event;
  const by = authorOf(event);
  if ((plan !== undefined || handoff !== undefined) && !AUTHORS.includes(by)) return false;
  if (review !== undefined && !REVIEWERS.includes(by)) return false;
  // A waiver lets a gate pass; it does not make what is handed in any better.
  const after = { ...takeIn(context, event), waivedReview: undefined };
  if (plan !== undefined && !isNewText(after.plan, after.usedPlan)) return false;
  if (handoff !== undefined && !isNewText(after.handoff, after.usedHandoff)) return false;
  return review === undefined || verdictOf(after) !== undefined;
}

/** What the review of this round says about the present content of the worktree. */
export function verdictOf({ review, usedReview, tree, waivedReview }: Context): "PASS" | "FAIL" | undefined {
  if (tree === "" || waivedReview === tree || review === undefined) return undefined;
  if (review.by !== "reviewer" || review.id === "" || review.id === usedReview) return undefined;
  return review.tree === tree && review.ok ? review.verdict : undefined;
}

export function mayFinish(context: Context): boolean {
  const isWaived = context.waivedReview === context.tree && context.tree !== "";
  return isWaived || verdictOf(context) === "PASS";
}

/** Crashes are counted for each stay in a state. */
export const enter: Change = (context) => ({ ...context, crashes: 0, losses: 0 });

export const crash: Change = (context) => ({ ...context, crashes: context.crashes + 1 });

export const lose: Change = (context) => ({ ...context, losses: context.losses + 1 });

export const answer: Change = (context) => ({ ...context, questions: 0 });

export const question: Change = (context) => ({ ...context, questions: context.questions + 1 });

/** What was there before the task began is not the task's. */
export const begin: Change = (context) => ({ ...useRound(context), usedPlan: context.plan?.id });

/** A round wants its own handoff and its own review. */
export const nextRound: Change = (context) => ({ ...useRound(context), round: context.round + 1 });

const useRound = (context: Context): Context => ({
  ...context,
  handoff: context.handoff === undefined ? undefined : alone(context.handoff),
  usedHandoff: context.handoff === undefined ? context.usedHandoff : context.handoff.id,
  usedReview: context.review === undefined ? context.usedReview : context.review.id,
  waivedHandoff: false,
  waivedReview: undefined,
});

/** What was accepted before somebody wrote over it is no more the new round's than what is there. */
const alone = (text: Kept): Kept => {
  const { accepted, ...rest } = text;
  return accepted === undefined ? text : rest;
};

/** A new cycle wants its own handoff and review. */
export const nextCycle: Change = (context) => ({ ...useRound(context), round: 0, questions: 0 });

export const waiveReview: Change = (context) => ({ ...context, waivedReview: context.tree });

export const waive: Change = (context, event) => {
  if (event.type !== "WAIVE") return context;
  const tree = event.tree ?? context.tree;
  const waivedReview = tree === context.tree ? context.waivedReview : undefined;
  switch (event.artifact) {
    case "plan":
      return { ...context, tree, waivedReview, waivedPlan: true };
    case "handoff":
      return { ...context, tree, waivedReview, waivedHandoff: true };
    case "review":
      return { ...context, tree, waivedReview: tree };
  }
};

export function call(role: Role): Change {
  return (context) => {
    const agent = context[role];
    if (isUp(agent)) return context;
    const { plan, handoff, review } = context.seen;
    const own = role === "worker" ? { plan, handoff } : { review };
    const seen = Object.fromEntries(Object.entries(own).filter(([, id]) => id !== undefined));
    return { ...context, [role]: { attempt: agent.attempt + 1, is: "up", tree: context.tree, seen } };
  };
}

export function stop(role: Role): Change {
  return (context) => {
    const agent = context[role];
    if (isUp(agent)) return { ...context, [role]: { ...agent, is: "stopping" } };
    return agent.is === "crashed" ? { ...context, [role]: { ...agent, is: "none" } } : context;
  };
}

export function setAgent(role: Role, is: Agent["is"]): Change {
  return (context) => ({ ...context, [role]: { ...context[role], is } });
}
