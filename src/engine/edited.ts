/**
 * Whoever may only read has changed the work: nobody who may write was alive beside it. What it said of the work as it was given to it does
 * not count any more, because that is bound to the work; but its next attempt is about the work as it is now. So it is told, and kept.
 *
 * It is not taken back: a person may have worked there, too, and nobody can tell the one from the other.
 */

import { slotKey } from "../core/run.ts";
import type { Works } from "./box.ts";
import { isUnderWay } from "./descendants.ts";
import { writersBeside } from "./doubt.ts";
import { boundWorkspace } from "./place.ts";
import type { Kept } from "./ports/journal.ts";
import type { AgentRow } from "./ports/registry.ts";

export const EDITED = "edited";

/** The work as it was given, and as it was left. */
type Edit = { readonly from: string; readonly to: string };

/** Called before the end of the agent is written: whoever is killed in between finds it told. */
export function noteEdited(
  works: Works,
  agent: AgentRow,
  seen: { readonly kept: Kept; readonly tree?: string },
): Edit | undefined {
  const { store, clock } = works;
  const { run, role, attempt } = agent;
  const edit = editBy(works, agent, seen);
  if (edit === undefined) return undefined;
  const change = sayChange(edit);
  // Of several who read at the same time, the first to end is named.
  if (store.notes(run).some(({ kind, text }) => kind === EDITED && text.endsWith(change))) return undefined;
  const text = `${role} ${attempt} may only read, and the work was changed while it was at work, by it or by a person: what it said of the work before that does not count, and a later review is about the changed work: ${change}`;
  store.note({ run, at: new Date(clock.now()).toISOString(), kind: EDITED, text });
  return edit;
}

/** Whatever becomes of the workspace, it can be looked at. */
export async function keepEdit(
  works: Works,
  agent: AgentRow,
  { to, seq }: Edit & { readonly seq: number },
): Promise<void> {
  const { run, role, attempt } = agent;
  const workspace = boundWorkspace(works, run);
  if (workspace === undefined) return;
  const message = `${run}: after ${role} ${attempt}, who may only read`;
  await works.workspaces.snapshot({ path: workspace.path, run, seq, tree: to, message });
}

function editBy(
  works: Works,
  agent: AgentRow,
  { kept, tree: to = "" }: { readonly kept: Kept; readonly tree?: string },
): Edit | undefined {
  const { run, row } = kept;
  const present = run.agents[slotKey(agent.role, agent.slot)];
  const { roles } = works.workflow(row.definition).definition;
  if (roles[agent.role]?.access !== "read" || present?.attempt !== agent.attempt) return undefined;
  const { tree: from } = present;
  if (from === "" || to === "" || from === to || isAccompanied(works, agent)) return undefined;
  return { from, to };
}

/** Somebody else of the run may have changed it: who writes, a check, or a task. */
function isAccompanied(works: Works, agent: AgentRow): boolean {
  const { store } = works;
  const { run, startedAt } = agent;
  return (
    writersBeside(works, agent).length > 0 ||
    store.childrenOf(run).some(isUnderWay) ||
    store
      .jobs({ run })
      .some((job) => job.kind === "check" && (job.status === "live" || job.startedAt >= startedAt))
  );
}

function sayChange({ from, to }: Edit): string {
  const [before, after] = [from, to].map((tree) => tree.split("+", 1)[0]?.slice(0, SHORT) ?? "");
  return before === after
    ? `its branch was moved, with the files of ${before}`
    : `git diff ${before} ${after}`;
}

const SHORT = 12;
