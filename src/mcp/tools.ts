/** The tools there are. */

import type { AgentCaller } from "../app/caller.ts";
import type { Tool } from "./tool.ts";
import { askQuestions } from "./tools/ask-questions.ts";
import { createReview } from "./tools/create-review.ts";
import { getTask } from "./tools/get-task.ts";
import { next } from "./tools/next.ts";
import { readContext } from "./tools/read-context.ts";
import { submitArtifact } from "./tools/submit-artifact.ts";
import { updateStatus } from "./tools/update-status.ts";

export const TOOLS: readonly Tool[] = [
  getTask,
  next,
  readContext,
  submitArtifact,
  createReview,
  askQuestions,
  updateStatus,
];

/** Those that whoever calls can use at all, in this run or any. */
export function toolsFor(caller: AgentCaller | undefined): readonly Tool[] {
  return TOOLS.filter((tool) =>
    tool.for === "everybody" ? true : caller !== undefined && tool.isFor(caller),
  );
}
