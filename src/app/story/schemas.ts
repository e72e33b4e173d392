/** What is said of the history of runs, and what use cases about it take and give. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Count, Flag, MaybeFlag, MaybeText, Run, Task, Text, Texts } from "../shapes.ts";

const Actor = z.union([
  z.strictObject({ type: z.literal("human"), name: z.exactOptional(Text) }),
  z.strictObject({ type: z.literal("engine") }),
  z.strictObject({ type: z.literal("agent"), role: Text, slot: Text, attempt: Count }),
]);

/** What can be typed, where it leads, and what may be added. */
const Choice = z.strictObject({ command: Text, means: Text, takes: z.optional(Text) });

export const Read = z.strictObject({ artifact: Text, path: Text, section: Text });

export const Line = z.strictObject({
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
  signed: Flag,
  terminal: Text,
  text: told(Text, "The same in sentences for people; empty where only the engine cares"),
  apart: Texts,
  words: z.optional(
    told(Text, "What its actor wrote, in full, where that was asked for: a text, an answer or a note"),
  ),
});

export const Note = z.strictObject({ run: Text, at: Text, kind: Text, text: Text });

/** One thing that happened, as it happens. */
export const Happening = z.strictObject({
  run: Text,
  seq: Count,
  at: Text,
  by: Actor,
  what: Text,
  followed: Texts,
});

/** What became of a task of a run, as it becomes so. */
export const TaskHappening = z.strictObject({
  run: Text,
  task: Text,
  child: Text,
  at: Text,
  status: Text,
  what: Text,
});

/** Of commands that follow a run: it comes when the run has ended, or waits for a person. */
export const FOLLOWED = {
  run: Text,
  workflow: Text,
  state: Text,
  status: Text,
  seq: Count,
  ways: Texts,
  choices: z.array(Choice),
  reads: z.array(Read),
};

const JOB = {
  run: Text,
  kind: z.enum(["turn", "check"]),
  role: Text,
  slot: Text,
  artifact: Text,
  attempt: Count,
  turn: Count,
  dir: Text,
  live: Flag,
};

/** Which log: of the last turn of any agent, unless said. */
const WHOSE = {
  ...Run,
  role: MaybeText,
  attempt: z.optional(Count),
  turn: z.optional(Count),
  check: MaybeText,
  /** The lines of the program itself, also where Signalbox can read them. */
  raw: MaybeFlag,
};

export const LOOKS = {
  history: {
    about: "What happened to a run, in sentences or as events",
    input: z.strictObject({ ...Run, limit: Count, events: MaybeFlag, words: MaybeFlag }),
    output: z.strictObject({
      run: Text,
      state: Text,
      seq: Count,
      lines: z.array(Line),
      notes: z.array(Note),
      events: z.optional(
        z.array(
          z.looseObject({
            seq: Count,
            at: Text,
            by: Actor,
            event: z.looseObject({ type: Text }),
            hash: Text,
          }),
        ),
      ),
      more: Flag,
    }),
  },
  logs: {
    about: "What an agent or a check has printed",
    input: z.strictObject(WHOSE),
    output: z.strictObject({ ...JOB, text: Text }),
  },
  /** Each piece of the stream is one line of a log. */
  "follow-logs": {
    about: "What an agent or a check prints, until the run ends",
    input: z.strictObject(WHOSE),
    output: z.strictObject({ run: Text }),
    piece: z.strictObject({ ...JOB, line: Text }),
  },
  /** The pieces are what happens; how it ended is told by the stream itself. */
  follow: {
    about: "What happens to a run, until it ends or waits for a person",
    input: z.strictObject(Run),
    output: z.strictObject({ run: Text, workflow: Text, state: Text }),
    piece: z.union([Happening, TaskHappening]),
  },
  attach: {
    about: "The program that shows the terminals of a run's agents, for the terminal of the caller",
    input: z.strictObject({ ...Task, role: MaybeText }),
    output: z.strictObject({ run: Text, argv: Texts }),
  },
  verify: {
    about: "Check the history of runs: the chain, the signatures, and what followed",
    input: z.strictObject({ ...Run, all: MaybeFlag }),
    output: z.strictObject({
      runs: z.array(
        z.strictObject({
          run: Text,
          ok: Flag,
          /** How many events were looked at, or the first bad one; 0 for the run's row. */
          seq: Count,
          reason: Text,
          /** ExplainedStatus telling, and no damage: a signature of a key that was replaced, or is not here. */
          notices: z.array(z.strictObject({ seq: Count, text: Text })),
        }),
      ),
      /** What is wrong with the human key itself: another one is in the place of that which signed here. Empty where nothing is. */
      key: Text,
    }),
  },
} as const;
