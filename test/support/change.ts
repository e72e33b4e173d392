/** A workflow `change` without agents: all its phases, each left by a person, for the commands that look at nothing else. */
import { idOf } from "../../src/app/start/run-id.ts";

const CHANGE = `$schema: workflow-1.schema.json
name: change
title: A change that people take through all its phases
params:
  change: { text: "" }
  goal: { text: "" }
states:
  drafting: { phase: proposed, waits: true }
  challenged: { phase: challenged, waits: true }
  rejected: { phase: rejected, waits: true }
  building: { phase: implementing, waits: true }
  halted: { phase: implementing, ask: halted }
  complete: { phase: complete, waits: true }
  merging: { phase: complete, waits: true }
  archived: { phase: archived, final: done }
  dropped: { phase: dropped, final: cancelled }
moves:
  - { from: start, to: drafting, by: human, reserve: place }
  - { from: drafting, to: challenged, by: human }
  - { from: drafting, to: rejected, by: human }
  - { from: rejected, to: drafting, by: human }
  - { from: challenged, to: building, by: human }
  - { from: building, to: complete, by: human }
  - { from: challenged, to: halted, by: human }
  - { from: complete, to: merging, by: human }
  - { from: merging, to: archived, by: human, do: [release place] }
  - { from: [drafting, challenged, rejected, building, complete, merging], to: dropped, by: human, do: [release place] }
asks:
  halted:
    question: halted
    options:
      resume: { to: building }
`;

export const CHANGE_FILES: Readonly<Record<string, string>> = {
  ".signalbox/workflows/change/workflow.yaml": CHANGE,
  ".signalbox/workflows/change/prompts/halted.md": "What now?\n",
};

/** The run of the change `name` in its first life. */
export function runOfChange(repo: string, name: string): string {
  return idOf(repo, `change:${name}`);
}
