/**
 * How many agents of a project work at the same time.
 *
 * A process for one turn is at work while it lives. An agent that stays in its terminal is at work while its run waits for it: during
 * a review, or while a person is asked, it costs nothing. Nothing is refused: what needs an agent more waits until one has ended.
 */

import { filtered } from "../lists.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { isExpected } from "../../core/step/move-at-end.ts";
import type { Box } from "../box.ts";
import type { LiveTurn, RunAttempt } from "../ports/registry.ts";
import { AGENTS, projectNameOf } from "./project-name.ts";
import { Later } from "../supervise/later.ts";

export type Slots = {
  /** At most so many agents work at the same time. */
  readonly limit: number;
  readonly atWork: number;
  /** Agents that are to begin a turn as soon as they may. */
  readonly coming: number;
};

type On = Pick<Box, "workflow"> & {
  readonly store: Pick<Box["store"], "liveTurns" | "comingTurns" | "projectAt">;
};

export async function slotsOf({ store, workflow }: On, repo: string): Promise<Slots> {
  const working = await filtered(await store.liveTurns(repo), async (turn) =>
    isAtWork(await workflow(turn.definition), turn),
  );
  const atWork = new Set(working.map(nameOf));
  const coming = new Set((await store.comingTurns(repo)).map(nameOf).filter((name) => !atWork.has(name)));
  const limit = (await store.projectAt(repo))?.agents ?? AGENTS;
  return { limit, atWork: atWork.size, coming: coming.size };
}

/** Whether a run that has not begun may begin: those that are under way come first. */
export function isSlotLeft({ limit, atWork, coming }: Slots): boolean {
  return atWork + coming < limit;
}

/** Throws where as many agents are at work as may be. An agent that has a turn goes on with it, or with its next one. */
export async function requireSlot(on: On, repo: string, agent: RunAttempt): Promise<void> {
  const { store, workflow } = on;
  const turns = await store.liveTurns(repo);
  const own = turns.find((turn) => nameOf(turn) === nameOf(agent));
  if (own !== undefined && own.seat !== "resident") return;
  const others = await filtered(
    turns,
    async (turn) => turn !== own && isAtWork(await workflow(turn.definition), turn),
  );
  const limit = (await store.projectAt(repo))?.agents ?? AGENTS;
  const atWork = new Set(others.map(nameOf)).size;
  if (atWork >= limit) throw new NoSlot(await sayFull(store, repo, { limit, atWork, coming: 0 }));
}

/** As many agents are at work as may be: the deed is done when one of them has ended. */
export class NoSlot extends Later {}

/** Why nobody more may begin, and what to type. */
export async function sayFull(
  store: Pick<Box["store"], "projectAt">,
  repo: string,
  { limit, atWork, coming }: Slots,
): Promise<string> {
  const soon = atWork >= limit ? "" : ` and ${coming} about to start`;
  const project = (await store.projectAt(repo))?.name ?? projectNameOf(repo);
  return `${atWork} of ${limit} agents at work${soon} (raise with: signalbox project update ${project} --agents ${limit * 2})`;
}

function isAtWork(workflow: Workflow, turn: LiveTurn): boolean {
  return turn.seat !== "resident" || (!turn.isQueued && isExpected(workflow, turn, turn.role));
}

function nameOf({ run, role, slot, attempt }: RunAttempt): string {
  return JSON.stringify([run, role, slot, attempt]);
}
