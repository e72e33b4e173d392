/** What use cases that begin runs take and give. */

import * as z from "zod/mini";
import { told } from "../../format/workflow/schema/primitives.ts";
import { Happening, TaskHappening } from "../story/schemas.ts";
import { Count, GivenText, Key, MaybeFlag, MaybeText, Task, Text, Texts } from "../shapes.ts";

const BEGUN = z.strictObject({
  run: Text,
  project: Text,
  branch: Text,
  summary: Text,
  state: Text,
  status: told(Text, "As in a list: running, waiting and the like"),
  seq: Count,
  workspace: told(Text, "Its workspace, which is made next; empty while it has none"),
  waits: told(Text, "What it waits for in the queue; empty where it is in none"),
  dependsOn: Texts,
});

/** What was typed: a workflow, a goal, and options that depend on the workflow. */
const TYPED = {
  words: Texts,
  options: z.record(Text, Text),
  lists: z.record(Text, Texts),
  known: told(Texts, "the options of the caller, for the advice where one is wrong"),
};

export const BEGINNING = {
  /** It is followed like `follow`. */
  run: {
    about: "Begin a run of a workflow, and follow it",
    input: z.strictObject(TYPED),
    output: z.strictObject({ run: Text, workflow: Text, state: Text, status: Text, seq: Count }),
    piece: z.union([Happening, TaskHappening]),
  },
  create: {
    about: "Create a run that starts when its turn comes",
    input: z.strictObject({
      ...Key,
      workflow: told(MaybeText, "the usual one of the caller unless given"),
      branch: MaybeText,
      summary: MaybeText,
      either: told(MaybeFlag, "the summary may be the name of a branch: it is, where there is such a branch"),
      params: z.optional(z.array(z.strictObject({ name: Text, value: Text }))),
      texts: z.optional(z.array(z.strictObject({ artifact: Text, file: GivenText }))),
      status: told(MaybeText, "the state that it begins in"),
      finished: told(MaybeFlag, "it begins with existing work that only a person reviews"),
      noStart: told(MaybeFlag, "it waits until a person starts it"),
      dependsOn: z.optional(Texts),
      project: MaybeText,
    }),
    output: BEGUN,
  },
  start: {
    about: "Start a run that waits for its start, or put it into the queue",
    input: z.strictObject({ ...Task, ...Key }),
    output: BEGUN,
  },
} as const;
