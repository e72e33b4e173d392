/** What the world must do after one step: what the core ordered, and what the engine adds around it. */

import { isUp } from "../../core/step/act.ts";
import { PLACE, type Workflow } from "../../core/model/compile.ts";
import type { Step } from "../../core/step/step.ts";
import type { Deed } from "./deed.ts";
import type { WorkspaceRow } from "../ports/registry.ts";

type Accepted = Extract<Step, { ok: true }>;

/** Most events order nothing. */
export function deedsOf(
  workflow: Workflow,
  step: Accepted,
  workspace: WorkspaceRow | undefined,
): readonly Deed[] {
  const isQuiet = step.effects.length === 0 && !step.events.some(({ type }) => CALLS.has(type));
  return isQuiet ? [] : ordered(workflow, step, workspace);
}

/** Events after which something may have to be done that no effect says. */
const CALLS: ReadonlySet<Accepted["events"][number]["type"]> = new Set(["moved", "param-set"]);

function ordered(workflow: Workflow, step: Accepted, workspace: WorkspaceRow | undefined): Deed[] {
  const isOver = workflow.definition.states[step.run.state]?.final !== undefined;
  // A place that the run has may be about to be given back: it says each time that it wants it.
  const isWanted = workspace === undefined || workflow.isInPlace;
  return [
    ...(isWanted && needsWorkspace(workflow, step) ? [prepareFor(workflow)] : []),
    ...(workspace === undefined || workflow.isInPlace ? [] : renamingOf(step, workspace)),
    // Judges, checks and people get what was handed over.
    ...(workspace !== undefined && isHandover(workflow, step) ? [snapshotOf(step)] : []),
    ...step.effects,
    ...(isOver ? leftovers(workflow, step, workspace) : []),
  ];
}

/** A run that is over leaves nothing behind, whether or not its definition says so. */
function leftovers(
  workflow: Workflow,
  { run, effects }: Accepted,
  workspace: WorkspaceRow | undefined,
): Deed[] {
  const agents = Object.values(run.agents).filter(isUp);
  const isReleased = effects.some(({ type }) => type === "release-resource");
  return [
    ...agents.map(({ role, slot, attempt }): Deed => ({ type: "stop-agent", role, slot, attempt })),
    // A place may be the run's before anything has begun there.
    ...((workspace === undefined && !workflow.isInPlace) || isReleased ? [] : [releaseFor(workflow)]),
  ];
}

function releaseFor(workflow: Workflow): Deed {
  return { type: "release-resource", resource: resourceOf(workflow) };
}

function prepareFor(workflow: Workflow): Deed {
  return { type: "prepare-resource", resource: resourceOf(workflow) };
}

function resourceOf({ isInPlace }: Workflow): string {
  return isInPlace ? PLACE : "workspace";
}

/** Reserved by a move, or needed by what is done now. */
function needsWorkspace({ definition }: Workflow, { events, effects, run }: Accepted): boolean {
  if (definition.states[run.state]?.final !== undefined) return false;
  return (
    effects.some(isDoneThere) ||
    events.some((event) => event.type === "moved" && (definition.moves[event.rule]?.reserve.length ?? 0) > 0)
  );
}

/** What happens in the workspace. */
function isDoneThere(effect: Accepted["effects"][number]): boolean {
  const { type } = effect;
  return type === "start-agent" || type === "run-check" || (type === "perform" && effect.name === "archive");
}

/** A branch that has been made gets the name that the run has for it now. */
function renamingOf({ events, run }: Accepted, { branch }: WorkspaceRow): Deed[] {
  const isSet = events.some(
    (event) =>
      (event.type === "param-set" && event.name === "branch") ||
      (event.type === "moved" && event.set?.["branch"] !== undefined),
  );
  const wanted = run.params["branch"];
  if (!isSet || typeof wanted !== "string" || wanted === "" || wanted === branch) return [];
  return [{ type: "rename-branch", branch: wanted }];
}

/** Whether the work is given to a judge, also to the next attempt of one, or the run moved to a check, a person or its end. */
function isHandover({ definition }: Workflow, { events, effects, run }: Accepted): boolean {
  if (run.tree === "") return false;
  const isJudged = effects.some(
    (effect) => effect.type === "start-agent" && definition.roles[effect.role]?.access === "read",
  );
  if (isJudged) return true;
  if (!events.some(({ type }) => type === "moved")) return false;
  const { waits, final } = definition.states[run.state] ?? {};
  if (waits === true || final !== undefined) return true;
  return effects.some(({ type }) => type === "run-check" || type === "ask-person");
}

function snapshotOf({ run }: Accepted): Deed {
  return { type: "snapshot", tree: run.tree, state: run.state };
}
