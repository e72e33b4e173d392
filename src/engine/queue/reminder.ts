/** An agent that ends its turn without what its run waits for is asked for it once, in the same conversation. */

import { slotKey, type Run } from "../../core/model/run.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { clipped } from "../clip.ts";
import type { RunAttempt } from "../ports/registry.ts";
import { commandsNow } from "../agents/prompt-commands.ts";
import { faultsOf } from "../agents/rejected-output.ts";

/** The prompt of such a turn contains this sentence. */
export const REMINDER = "You ended your turn, and what the run waits for is missing.";

/** Names what is missing and how to submit it. Undefined where the role owes nothing that a move waits for. */
export function reminderFor(workflow: Workflow, run: Run, agent: RunAttempt): string | undefined {
  const { role, slot } = agent;
  const faults = faultsOf(workflow, { now: run, at: run }, { role, slot });
  const commands = commandsNow(workflow, role, run.state);
  if (faults.length === 0 && commands.length === 0) return undefined;
  return [
    REMINDER,
    ...(faults.length === 0
      ? []
      : [`## What is missing\n\n${faults.map((line) => `- ${clipped(line)}`).join("\n")}`]),
    ...(commands.length === 0 ? [] : [`## How to submit it\n\n${commands.join("\n")}`]),
    LAST,
  ].join("\n\n");
}

const LAST =
  "Submit it now, and end your turn after that. Nobody reads what you only say in this conversation. You are not asked again: if it is still missing when you end your turn, this attempt has failed.";

/** In a few words, for people. */
export function sayMissing(workflow: Workflow, run: Run, { role, slot }: RunAttempt): string {
  const names = Object.entries(workflow.definition.artifacts).flatMap(([name, { each }]) =>
    faultsOf(workflow, { now: run, at: run }, { role, slot }).some((line) => line.startsWith(`${name}: `))
      ? [each === undefined ? name : slotKey(name, slot)]
      : [],
  );
  return names.length === 0 ? "its move" : [...new Set(names)].join(" and ");
}
