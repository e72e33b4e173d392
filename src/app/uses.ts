/**
 * All use cases: what each is for, who may call it, and what carries it out. `schemas.ts` says what each takes and gives.
 *
 * A handler is loaded when it is called.
 */

import type { CallerKind } from "./caller.ts";
import type { Use } from "./declare.ts";
import type { UseName } from "./schemas.ts";

const PEOPLE: readonly CallerKind[] = ["person"];
const AGENTS: readonly CallerKind[] = ["agent"];
const BOTH: readonly CallerKind[] = ["person", "agent"];

export const USES: { readonly [Name in UseName]: Use<Name> } = {
  submit: {
    kind: "act",
    about: "Submit an artifact, with its text or as it is in its file",
    callers: BOTH,
    handler: async () => (await import("./act/submit.ts")).submitArtifact,
  },
  "review-create": {
    kind: "act",
    about: "Submit a review field by field",
    callers: BOTH,
    handler: async () => (await import("./act/review.ts")).createReview,
  },
  move: {
    kind: "act",
    about: "Ask for a move of a run to a state",
    callers: BOTH,
    handler: async () => (await import("./act/move.ts")).askForMove,
  },
  update: {
    kind: "act",
    about: "Change details of a task, then ask for a move",
    callers: BOTH,
    handler: async () => (await import("./act/update.ts")).updateTask,
  },
  complete: {
    kind: "act",
    about: "Ask for the one move forward of the caller's role, or submit its verdict",
    callers: BOTH,
    handler: async () => (await import("./act/complete.ts")).completeTask,
  },
  "ask-questions": {
    kind: "act",
    about: "Write down questions for a person, and hand the run over",
    callers: AGENTS,
    handler: async () => (await import("./act/ask-questions.ts")).askQuestions,
  },
  waive: {
    kind: "act",
    about: "Let a gate pass that an artifact keeps closed, with a reason",
    callers: PEOPLE,
    handler: async () => (await import("./act/waive.ts")).waive,
  },
  stop: {
    kind: "act",
    about: "Halt a run and the runs made of its tasks",
    callers: PEOPLE,
    handler: async () => (await import("./act/stop.ts")).stop,
  },
  resume: {
    kind: "act",
    about: "Go on with a run: retry what failed, start crashed agents again, or restart a stage",
    callers: PEOPLE,
    handler: async () => (await import("./act/resume.ts")).resume,
  },
  cancel: {
    kind: "act",
    about: "End a run early",
    callers: PEOPLE,
    handler: async () => (await import("./act/cancel.ts")).cancel,
  },
  respawn: {
    kind: "act",
    about: "Start a crashed agent again",
    callers: PEOPLE,
    handler: async () => (await import("./act/respawn.ts")).respawn,
  },
  "get-task": {
    kind: "read",
    about: "What an agent needs to begin or to go on",
    callers: AGENTS,
    handler: async () => (await import("./read/task.ts")).getTask,
  },
  "list-context": {
    kind: "read",
    about: "The files that belong to an agent's task",
    callers: AGENTS,
    handler: async () => (await import("./read/context.ts")).listContext,
  },
  "read-context": {
    kind: "read",
    about: "A file of an agent's task, in parts",
    callers: AGENTS,
    handler: async () => (await import("./read/context.ts")).readContext,
  },
};
