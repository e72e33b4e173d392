/** A workflow `change` without agents: all its phases, each left by a person, for the commands that look at nothing else. */
import { idOf } from "../../src/app/runs/name.ts";

const CHANGE = `$schema: workflow-1.schema.json
name: change
title: A change that people take through all its phases
params:
  change: { text: "", identifies: true }
  goal: { text: "" }
artifacts:
  proposal: { in: "changes/{change}/proposal.md", file: true, by: human }
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
  - { from: rejected, to: drafting, by: human, verb: retry }
  - { from: challenged, to: building, by: human, verb: accept }
  - { from: building, to: complete, by: human }
  - { from: challenged, to: halted, by: human }
  - { from: complete, to: merging, by: human, verb: accept }
  - { from: merging, to: archived, by: human, do: [release place] }
  - { from: [drafting, challenged, rejected, building, complete, merging], to: dropped, by: human, do: [release place] }
asks:
  halted:
    question: halted
    options:
      resume: { to: building, verb: retry }
commands:
  plan: { about: plan a change, short: true, begin: true, in: { proposed: follow } }
  impl: { about: implement it, short: true, in: { challenged: accept, implementing: follow } }
  archive: { about: put it away, short: true, in: { complete: accept } }
  reopen: { about: take it up again, short: true, in: { rejected: retry, implementing: follow, halted: retry } }
`;

export const CHANGE_FILES: Readonly<Record<string, string>> = {
  ".signalbox/workflows/change/workflow.yaml": CHANGE,
  ".signalbox/workflows/change/prompts/halted.md": "What now?\n",
};

/** The run of the change `name` in its first life. */
export function runOfChange(repo: string, name: string): string {
  return idOf(repo, `change:${name}`);
}
