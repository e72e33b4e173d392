/**
 * The task workflow as an XState machine: the same map, written a second time by hand from its description.
 *
 * It serves as an oracle for the core and as the opponent of the benchmark. It is flat, asks for a move by the type of
 * the event, and changes its context once for each transition, because that is what XState does fastest.
 */

import {
  begin,
  answer,
  call,
  crash,
  enter,
  hasHandoff,
  hasPlan,
  lose,
  mayFinish,
  NEW_TASK,
  nextCycle,
  nextRound,
  question,
  setAgent,
  stop,
  takeIn,
  verdictOf,
  waive,
  waiveReview,
  type Context,
} from "./context.ts";
import {
  replaceWorker,
  startReviewer,
  startWorker,
  stopReviewer,
  stopWorker,
  task,
  tellWorker,
  update,
} from "./effects.ts";
import { gone, waitingWorker, crashedWorker, stuckActions, endChanges, cancel, confirm } from "./endings.ts";
import {
  both,
  handsIn,
  hasPlanned,
  hasWorkspace,
  isBelow,
  isLastCrash,
  isLoss,
  isReviewer,
  isTurn,
  isWorker,
  mayHandOff,
  mayQuestion,
  speaks,
  after,
} from "./guards.ts";

/** What is taken note of in every state that is not final. */
const common = {
  SUBMIT: { guard: both(speaks("human", "worker", "reviewer"), handsIn), actions: update(takeIn) },
  OBSERVE: { actions: update(takeIn) },
  SET: {
    guard: both(
      speaks("human", "worker"),
      ({ event }) => event.type === "SET" && ["summary", "branch"].includes(event.name),
    ),
    actions: "note",
  },
  RESPAWN: [
    {
      guard: both(
        speaks("human"),
        ({ context, event }) =>
          event.type === "RESPAWN" && event.role === "worker" && context.worker.is === "crashed",
      ),
      actions: [replaceWorker, update(call("worker"))],
    },
    {
      guard: both(
        speaks("human"),
        ({ context, event }) =>
          event.type === "RESPAWN" && event.role === "reviewer" && context.reviewer.is === "crashed",
      ),
      actions: [startReviewer, update(call("reviewer"))],
    },
  ],
} as const;

/** A person lets something pass that would not pass by itself. */
const waiver = (artifact: string, passes: (context: Context) => boolean) =>
  ({
    guard: both(
      speaks("human"),
      ({ event }) => event.type === "WAIVE" && event.artifact === artifact && event.reason.trim() !== "",
      after((context) => !passes(context)),
    ),
    actions: update(waive),
  }) as const;

const clarify = [
  {
    guard: both(speaks("worker"), mayQuestion),
    target: "clarification",
    actions: update(takeIn, enter, question),
  },
  { guard: speaks("human"), target: "clarification", actions: update(takeIn, enter) },
] as const;

export const machine = task.createMachine({
  id: "task",
  context: ({ input }) => ({ ...NEW_TASK, limits: input }),
  initial: "start",
  // Agents begin and end whatever the task is doing, even when it is over.
  on: {
    WORKER_STARTED: { actions: "note" },
    REVIEWER_STARTED: { actions: "note" },
    WORKER_ENDED: gone("worker"),
    REVIEWER_ENDED: gone("reviewer"),
  },
  states: {
    start: {
      on: {
        WORKER_STARTED: {},
        REVIEWER_STARTED: {},
        WORKER_ENDED: {},
        REVIEWER_ENDED: {},
        "START.pending": { guard: speaks("human"), target: "pending", actions: update(takeIn, begin) },
        "START.clarification": {
          guard: both(speaks("human"), hasWorkspace),
          target: "clarification",
          actions: [startWorker("clarify"), update(takeIn, begin, call("worker"))],
        },
        "START.agent-review": {
          guard: both(speaks("human"), hasWorkspace),
          target: "agent-review",
          actions: [startReviewer, update(takeIn, begin, nextRound, call("reviewer"))],
        },
        "START.reviewing": {
          guard: both(speaks("human"), hasWorkspace),
          target: "reviewing",
          actions: update(takeIn, begin, waiveReview),
        },
      },
    },
    pending: {
      on: {
        ...common,
        OBSERVE: [
          {
            guard: both(isTurn, hasWorkspace),
            target: "planning",
            actions: [startWorker(), update(takeIn, enter, call("worker"))],
          },
          common.OBSERVE,
        ],
        SUBMIT: [
          {
            guard: both(speaks("human"), handsIn, isTurn, hasWorkspace),
            target: "planning",
            actions: [startWorker(), update(takeIn, enter, call("worker"))],
          },
          common.SUBMIT,
        ],
        "ASK.planning": {
          guard: both(speaks("human"), hasWorkspace),
          target: "planning",
          actions: [startWorker(), update(takeIn, enter, call("worker"))],
        },
        "ASK.cancelled": { guard: speaks("human"), target: "cancelled", actions: update(takeIn, enter) },
      },
    },
    planning: {
      on: {
        ...common,
        "ASK.done": confirm,
        "ASK.working": {
          guard: both(speaks("worker", "human"), after(hasPlan)),
          target: "working",
          actions: update(takeIn, enter),
        },
        "ASK.clarification": clarify,
        "ASK.cancelled": cancel,
        WAIVE: waiver("plan", hasPlan),
        WORKER_ENDED: [
          {
            guard: both(isWorker, hasPlanned),
            target: "working",
            actions: [replaceWorker, update(takeIn, setAgent("worker", "none"), enter, call("worker"))],
          },
          ...crashedWorker,
        ],
      },
    },
    clarification: {
      on: {
        ...common,
        "ASK.done": confirm,
        // A person who leads the worker out of its questions lets it ask anew.
        "ASK.planning": [
          { guard: speaks("worker"), target: "planning", actions: update(takeIn, enter) },
          {
            guard: speaks("human"),
            target: "planning",
            actions: [tellWorker("answered"), startWorker(), update(takeIn, enter, answer, call("worker"))],
          },
        ],
        "ASK.working": [
          {
            guard: both(speaks("worker"), after(hasPlan)),
            target: "working",
            actions: update(takeIn, enter),
          },
          {
            guard: both(speaks("human"), after(hasPlan)),
            target: "working",
            actions: [tellWorker("answered"), startWorker(), update(takeIn, enter, answer, call("worker"))],
          },
        ],
        "ASK.cancelled": cancel,
        WAIVE: waiver("plan", hasPlan),
        WORKER_ENDED: waitingWorker,
      },
    },
    working: {
      on: {
        ...common,
        "ASK.done": confirm,
        "ASK.clarification": clarify,
        "ASK.agent-review": {
          guard: both(speaks("worker", "human"), mayHandOff),
          target: "agent-review",
          actions: ["archiveReview", startReviewer, update(takeIn, enter, nextRound, call("reviewer"))],
        },
        "ASK.stuck": {
          guard: speaks("worker", "human"),
          target: "stuck",
          actions: [...stuckActions, update(takeIn, enter, call("worker"))],
        },
        "ASK.cancelled": cancel,
        WAIVE: waiver("handoff", hasHandoff),
        WORKER_ENDED: [
          {
            guard: both(isWorker, mayHandOff),
            target: "agent-review",
            actions: [
              "archiveReview",
              startReviewer,
              replaceWorker,
              update(takeIn, setAgent("worker", "none"), enter, nextRound, call("reviewer"), call("worker")),
            ],
          },
          ...crashedWorker,
        ],
      },
    },
    "agent-review": {
      always: [
        {
          guard: ({ context }) => verdictOf(context) === "PASS",
          target: "reviewing",
          actions: ["archiveInstructions", stopReviewer, update(enter, stop("reviewer"))],
        },
        {
          guard: ({ context }) => verdictOf(context) === "FAIL" && isBelow(context),
          target: "working",
          actions: [
            "archiveHandoff",
            tellWorker("review-failed"),
            startWorker(),
            stopReviewer,
            update(enter, call("worker"), stop("reviewer")),
          ],
        },
        {
          guard: ({ context }) => verdictOf(context) === "FAIL",
          target: "stuck",
          actions: [stopReviewer, ...stuckActions, update(enter, stop("reviewer"), call("worker"))],
        },
      ],
      on: {
        ...common,
        "ASK.done": confirm,
        // The reviewer says where its verdict leads; the verdict decides.
        "ASK.reviewing": {
          guard: both(
            speaks("reviewer"),
            after((context) => verdictOf(context) === "PASS"),
          ),
          actions: update(takeIn),
        },
        "ASK.working": {
          guard: both(
            speaks("reviewer"),
            after((context) => verdictOf(context) === "FAIL" && isBelow(context)),
          ),
          actions: update(takeIn),
        },
        "ASK.stuck": {
          guard: both(
            speaks("reviewer"),
            after((context) => verdictOf(context) === "FAIL" && !isBelow(context)),
          ),
          actions: update(takeIn),
        },
        "ASK.cancelled": cancel,
        // Where what is seen at an end opens a move, the run goes on, whoever it was that ended.
        WORKER_ENDED: [
          {
            guard: both(
              isWorker,
              after((context) => verdictOf(context) !== undefined),
            ),
            actions: update(takeIn, setAgent("worker", "none")),
          },
          ...waitingWorker,
        ],
        REVIEWER_ENDED: [
          {
            guard: both(
              isReviewer,
              after((context) => verdictOf(context) !== undefined),
            ),
            actions: update(takeIn, setAgent("reviewer", "none")),
          },
          {
            guard: both(isReviewer, isLoss),
            actions: [startReviewer, update(takeIn, setAgent("reviewer", "none"), lose, call("reviewer"))],
          },
          {
            guard: both(isReviewer, isLastCrash),
            target: "stuck",
            actions: [...stuckActions, update(takeIn, setAgent("reviewer", "none"), enter, call("worker"))],
          },
          {
            guard: isReviewer,
            actions: [startReviewer, update(takeIn, setAgent("reviewer", "none"), crash, call("reviewer"))],
          },
        ],
      },
    },
    reviewing: {
      on: {
        ...common,
        "ASK.working": {
          guard: speaks("human"),
          target: "working",
          actions: [
            "archiveCycle",
            tellWorker("changes-requested"),
            startWorker(),
            update(takeIn, enter, nextCycle, call("worker")),
          ],
        },
        "ASK.done": {
          guard: both(speaks("human"), after(mayFinish)),
          target: "done",
          actions: [stopWorker, stopReviewer, "releaseWorkspace", "startNext", update(takeIn, ...endChanges)],
        },
        "ASK.cancelled": cancel,
        WAIVE: waiver("review", mayFinish),
        WORKER_ENDED: waitingWorker,
      },
    },
    stuck: {
      on: {
        ...common,
        "ASK.done": confirm,
        "ASK.reviewing": {
          guard: speaks("human"),
          target: "reviewing",
          actions: update(takeIn, enter, waiveReview),
        },
        "ASK.cancelled": cancel,
        WORKER_ENDED: waitingWorker,
      },
    },
    done: { type: "final" },
    cancelled: { type: "final" },
  },
});
