/** What use cases about workflows take and give. */

import * as z from "zod/mini";
import { At, Count, Flag, MaybeFlag, Text, Texts } from "../shapes.ts";

const Problem = z.strictObject({ code: Text, message: Text, at: At, suggestion: z.optional(Text) });

const Checked = z.strictObject({
  name: Text,
  file: Text,
  hash: Text,
  ok: Flag,
  problems: z.array(Problem),
  defects: z.array(z.strictObject({ code: Text, message: Text, at: At, trace: Texts })),
  notes: z.array(z.strictObject({ code: Text, message: Text, at: At })),
  worst: z.record(Text, Count),
  /** What counters are called to people, where their names do not say it. */
  titles: z.record(Text, Text),
  /** Parameters that limit how often something is repeated. */
  limits: Texts,
  nodes: Count,
  edges: Count,
});

/** A name, a folder with a workflow.yaml, or a file. */
const Workflow = { workflow: Text };

export const WORKFLOWS = {
  workflows: {
    about: "List the available workflows",
    input: z.strictObject({}),
    output: z.strictObject({
      workflows: z.array(
        z.strictObject({
          name: Text,
          from: z.enum(["built-in", "overriding", "repository"]),
          hash: Text,
          title: Text,
          file: Text,
          ok: Flag,
        }),
      ),
    }),
  },
  check: {
    about: "Show that workflows end, or how they do not",
    /** `situations`: how many are looked at before a workflow counts as too large. */
    input: z.strictObject({ workflows: Texts, situations: z.optional(Count) }),
    output: z.strictObject({ workflows: z.array(Checked) }),
  },
  simulate: {
    about: "Walk through a workflow with dice in the place of agents",
    input: z.strictObject({
      ...Workflow,
      seed: Count,
      steps: Count,
      people: z.enum(["helpful", "random"]),
    }),
    output: z.strictObject({
      name: Text,
      title: Text,
      seed: Count,
      people: z.enum(["helpful", "random"]),
      steps: z.array(z.strictObject({ event: Text, followed: Texts, state: Text })),
      end: z.enum(["final", "limit", "stranded"]),
      state: Text,
    }),
  },
  graph: {
    about: "Draw a workflow",
    /** `expanded`: with the states that stages expand to. */
    input: z.strictObject({ ...Workflow, expanded: MaybeFlag }),
    output: z.strictObject({
      name: Text,
      hash: Text,
      states: z.array(
        z.strictObject({
          name: Text,
          title: Text,
          stage: Text,
          kind: z.enum(["plain", "human", "final", "cancelled", "failed"]),
        }),
      ),
      moves: z.array(z.strictObject({ from: Text, to: Text, labels: Texts })),
      /** The same as a Mermaid state diagram. */
      mermaid: Text,
    }),
  },
  eject: {
    about: "Copy a built-in workflow into the repository",
    input: z.strictObject(Workflow),
    output: z.strictObject({ name: Text, folder: Text, schema: Text }),
  },
  schema: {
    about: "The JSON Schema of workflow files",
    input: z.strictObject({}),
    output: z.strictObject({ schema: z.record(Text, z.unknown()) }),
  },
} as const;
