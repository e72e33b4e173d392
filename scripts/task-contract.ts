/**
 * Input and output of a run that was made from a task: files that other programs may write and read.
 *
 * No run loads these schemas. They are published, and tests compare the built-in workflow with them.
 */

import * as z from "zod/mini";
import { told } from "../src/format/workflow/schema/primitives.ts";

const Text = z.string();
const Filled = Text.check(z.minLength(1));
const Texts = z.array(Text);
const Count = z.int().check(z.gte(1));

const upTo = (max: number): z.ZodMiniType => Text.check(z.maxLength(max));

export const TaskPayload = z.strictObject({
  taskId: told(Text, "The id of the task in its list"),
  description: told(upTo(100), "Its title"),
  targetFiles: told(Texts, "What may be written, as the list says"),
  instructions: told(upTo(2000), "What the list says about it"),
  dependencyOutputs: told(
    z.array(z.strictObject({ taskId: Text, summary: upTo(500) })),
    "Summaries of its dependencies; empty if a dependency has none or was skipped",
  ),
  constraints: told(
    z.strictObject({ maxReadFiles: Count, maxWriteFiles: Count, allowBashCommands: z.boolean() }),
    "Rules that the agent must follow",
  ),
  context: told(Texts, "Files of the workspace that the agent requested"),
  earlier: told(Texts, "Files of the workspace with findings about an earlier attempt"),
});

export const TaskResult = z.strictObject({
  taskId: told(Filled, "The id of the task"),
  status: told(
    z.enum(["completed", "failed", "needs_context"]),
    "needs_context: the agent gets requestedFiles once; then a person is asked",
  ),
  summary: told(Filled, "What was done, or what must be known first; the first 500 characters are passed on"),
  filesModified: told(z.array(Text), "Paths"),
  errors: z.optional(told(Texts, "What went wrong")),
  error: z.optional(told(Text, "The same as one text")),
  reason: z.optional(told(Text, "Why more must be known")),
  requestedFiles: z.optional(told(Texts, "Files that would tell, each once")),
});

export const TASK_SCHEMAS = {
  "task-payload-1.schema.json": () => z.toJSONSchema(TaskPayload, { target: "draft-2020-12" }),
  "task-result-1.schema.json": () => z.toJSONSchema(TaskResult, { target: "draft-2020-12" }),
} as const;
