/** What each use case takes and gives. A client and a handler need no more of it than the types. */

import * as z from "zod/mini";
import { told } from "../format/workflow/schema/primitives.ts";
import { ACTS } from "./act/schemas.ts";
import { PAGE } from "./page/schemas.ts";
import { SETUP } from "./setup/schemas.ts";
import { Count, MaybeFlag, MaybeText, Run, Text, Texts, type Frozen } from "./shapes.ts";
import { BEGINNING } from "./start/schemas.ts";
import { LOOKS } from "./story/schemas.ts";
import { INBOX } from "./view/inbox-view.ts";
import { LIST, NEXT, SHOW, TASK_SHOW, WATCH, WatchLine, WHY } from "./view/run-view.ts";
import { COST } from "./view/cost/schemas.ts";
import { WORKFLOWS } from "./workflows/schemas.ts";

/** Views of runs. */
const VIEWS = {
  show: {
    about: "Everything about a run that a person wants to know who comes back to it",
    input: z.strictObject({ ...Run, verbose: MaybeFlag }),
    output: z.strictObject({ ...SHOW, task: z.optional(TASK_SHOW.task) }),
  },
  next: {
    about: "What the caller can do with a run now",
    tool: {
      name: "next",
      title: "What can be done now",
      about:
        "Says what you can do with the run now, what is missing for what you cannot, and the one next step.",
      fields: ["run"],
    },
    input: z.strictObject(Run),
    output: z.strictObject(NEXT),
  },
  why: {
    about: "Every move out of the present state: open or closed, and what opens it",
    input: z.strictObject(Run),
    output: z.strictObject(WHY),
  },
  inbox: {
    about: "What waits for a person, in all runs of this machine",
    input: z.strictObject({}),
    output: z.strictObject(INBOX),
  },
  list: {
    about: "The runs of this machine, those that wait for a person first",
    input: z.strictObject({
      all: MaybeFlag,
      state: MaybeText,
      phase: MaybeText,
      status: MaybeText,
      workflow: MaybeText,
      repo: MaybeText,
      here: MaybeFlag,
      limit: Count,
    }),
    output: z.strictObject(LIST),
  },
  /** The pieces are the rows at the beginning, and then each one that changes. */
  watch: {
    about: "What all runs of this machine do, now and as it changes",
    input: z.strictObject({ all: MaybeFlag, project: MaybeText, here: MaybeFlag, once: MaybeFlag }),
    output: z.strictObject(WATCH),
    piece: WatchLine,
  },
} as const;

/** What agents are told about their task. */
const TASKS = {
  "get-task": {
    about: "What an agent needs to begin or to go on",
    tool: {
      name: "get_task",
      title: "Your task",
      about:
        "Your instructions, what you were told since, where the run is, what you are to submit and where, and the files to read. Call this first, and again after a pause: answers of people are in it.",
      fields: [],
    },
    input: z.strictObject({}),
    output: z.strictObject({
      run: Text,
      role: Text,
      slot: Text,
      attempt: z.number(),
      workflow: Text,
      goal: Text,
      state: Text,
      title: Text,
      folder: Text,
      /** Rounds and the like: how often, of how many times. */
      counters: z.record(Text, z.strictObject({ is: z.number(), max: z.number() })),
      /** What the agent was started with. */
      instructions: Text,
      /** What it was told last; empty where it was told nothing since. */
      told: Text,
      files: Texts,
    }),
  },
  "read-context": {
    about: "The files that belong to an agent's task, or one of them, in parts",
    tool: {
      name: "read_context",
      title: "Read a file of your task",
      about:
        "Reads one of the files that belong to your task: what you must know, and what you write yourself. Without a file it lists them. A long one comes in parts: go on at next_offset.",
      fields: ["file", "offset"],
    },
    input: z.strictObject({
      file: told(MaybeText, "a path that get_task names"),
      offset: told(z.optional(z.number()), "where to go on, in characters"),
    }),
    /** Files without a file, its text with one. */
    output: z.union([
      z.strictObject({
        files: z.array(z.strictObject({ file: Text, bytes: z.number(), there: z.boolean() })),
      }),
      z.strictObject({
        file: Text,
        text: Text,
        offset: z.number(),
        characters: z.number(),
        next_offset: z.nullable(z.number()),
      }),
    ]),
  },
} as const;

export const SCHEMAS = {
  ...BEGINNING,
  ...ACTS,
  ...VIEWS,
  ...COST,
  ...LOOKS,
  ...PAGE,
  ...TASKS,
  ...WORKFLOWS,
  ...SETUP,
} as const;

export type UseName = keyof typeof SCHEMAS;
export type InputOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["input"]>>;
export type DataOf<Name extends UseName> = Frozen<z.output<(typeof SCHEMAS)[Name]["output"]>>;
