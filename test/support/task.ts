/** Words and situations of the `task` workflow. */

import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { slotKey, type Run } from "../../src/core/model/run.ts";
import { AT, agent, HUMAN, play, reading, start, verdict } from "./play.ts";
import { loadWorkflow } from "./workflows.ts";

export const task = loadWorkflow("task");

type Word = (run: Run) => Incoming;

export const human =
  (to: string, readings: Reading[] = []): Word =>
  () => ({ type: "move-asked", by: HUMAN, at: AT, to, readings, reserved: ["workspace"] });
export const worker =
  (to: string, readings: Reading[] = []): Word =>
  (run) => ({ type: "move-asked", by: agent(run, "worker"), at: AT, to, readings });
export const reviewer =
  (to: string, readings: Reading[] = []): Word =>
  (run) => ({ type: "move-asked", by: agent(run, "reviewer"), at: AT, to, readings });
export const submit =
  (role: string, readings: Reading[], tree?: string): Word =>
  (run) => ({
    type: "submitted",
    by: agent(run, role),
    at: AT,
    readings,
    ...(tree === undefined ? {} : { tree }),
  });
/** With a text of its own, not with what is on the page. */
export const said =
  (role: string, readings: Reading[]): Word =>
  (run) => ({
    type: "submitted",
    by: agent(run, role),
    at: AT,
    readings,
    given: readings.map(({ artifact, slot }) => slotKey(artifact, slot)),
  });
export const ended =
  (role: string, readings: Reading[] = []): Word =>
  (run) => ({
    type: "agent-ended",
    at: AT,
    role,
    slot: "",
    attempt: run.agents[role]?.attempt ?? 0,
    cause: "exited",
    code: 1,
    readings,
  });
export const lost =
  (role: string): Word =>
  (run) => ({
    type: "agent-ended",
    at: AT,
    role,
    slot: "",
    attempt: run.agents[role]?.attempt ?? 0,
    cause: "infrastructure",
  });
export const respawn =
  (role: string): Word =>
  () => ({ type: "respawn-asked", by: HUMAN, at: AT, role });
export const edited =
  (tree: string): Word =>
  () => ({ type: "observed", at: AT, tree });
export const observed =
  (name: string): Word =>
  () => ({ type: "observed", at: AT, readings: [reading(name)], reserved: ["workspace"] });

export const plan = (): Reading => reading("plan", { fields: { APPROACH: "do it" } });
export const handoff = (): Reading => reading("handoff", { fields: { DONE: "it" } });
export const PASS = (): Reading => verdict("review", "pass");
export const FAIL = (): Reading => verdict("review", "needs_fix");

/** The shortest story that leads to each state. */
const TO_STATE: Readonly<Record<string, () => (Incoming | Word)[]>> = {
  pending: () => [start(task)],
  planning: () => [start(task), human("planning")],
  clarification: () => [...story("planning"), worker("clarification")],
  working: () => [...story("planning"), worker("working", [plan()])],
  "agent-review": () => [...story("working"), worker("agent-review", [handoff()])],
  reviewing: () => [...story("agent-review"), submit("reviewer", [PASS()])],
  stuck: () => [...story("working"), human("stuck")],
  done: () => [...story("reviewing"), human("done")],
  cancelled: () => [start(task), human("cancelled")],
};

export function story(state: string): (Incoming | Word)[] {
  return TO_STATE[state]?.() ?? [];
}

export function inState(state: string): Run {
  const { run } = play(task, story(state));
  if (run.state !== state) throw new Error(`the story for ${state} ends in ${run.state}`);
  return run;
}
