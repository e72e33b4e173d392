/** For every move out of the present state: whether it is open, and what opens it. */

import { isGood, standingOf } from "../../core/gates/artifact-status.ts";
import { isOpen } from "../../core/gates/gate.ts";
import { sayDeadlock } from "../../engine/supervise/deadlocks.ts";
import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { isFinished, seeRun, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { sayTold, toldTo } from "../story/told.ts";
import { actionsOf } from "./actions.ts";
import { tasksOf } from "./work/children.ts";
import { sayLanded } from "./decision/merged-elsewhere.ts";
import { processesOf, withUnreadableFiles } from "./look.ts";
import { PERSON, waysOf } from "./moves.ts";
import type { ActionView } from "./run-view.ts";
import { readOnce } from "./read-once.ts";
import { deadlockOf } from "./status/trouble.ts";
import { waitsOf } from "./status/waits.ts";

export async function why(
  { door, store }: Looking,
  { run: word }: InputOf<"why">,
): Promise<Outcome<DataOf<"why">>> {
  const seen = withUnreadableFiles(await seeRun(readOnce(store), door, word));
  const { row, run } = seen;
  const { actions, others } = await actionsOf(seen);
  const typed = isFinished(row) ? [] : actions.length > 0 ? actions : others;
  const moves = await waysOf(seen);
  const open = moves.filter((move) => move.open).length;
  return success(
    `${open} of ${moves.length} moves out of ${run.state} are open`,
    {
      run: run.id,
      state: run.state,
      waits: await waitsOf(seen, await processesOf(seen)),
      moves,
      silent: await silentOf(seen),
      notes: [...sayHalted(seen), ...(await sayDeadlocked(seen)), sayLanded(seen)].filter(
        (note) => note !== "",
      ),
      tasks: await tasksOf(seen),
      actions: [
        ...typed,
        ...waiversIn(seen).filter(({ command }) => !typed.some((one) => one.command === command)),
      ],
    },
    {
      // Whoever wants to know more must not be led to end the run.
      next: actions.find(({ verb }) => verb !== "cancel")?.command ?? `signalbox next ${run.id}`,
    },
  );
}

/** What a person may let pass: it is all that keeps a move of people closed. */
function waiversIn({ workflow, run, row }: Seen): readonly ActionView[] {
  if (isFinished(row)) return [];
  const closed = (workflow.movesFrom[run.state] ?? []).filter(
    (move) =>
      move.by.includes(PERSON) && isOpen({ workflow, run, reserved: move.reserve }, { ...move, need: [] }),
  );
  const names = closed.flatMap(({ need }) => need.filter((name) => !isGood(standingOf(workflow, run, name))));
  return [...new Set(names)].map((name) => ({
    command: `signalbox waive ${run.id} ${name} --reason "..."`,
    sentence: `pass the gate without ${name}`,
  }));
}

/** Whatever is open, the run stays where it is. */
function sayHalted({ row }: Seen): string[] {
  return row.halted ? [`it is stopped: nothing is done for it until signalbox resume ${row.id}`] : [];
}

async function sayDeadlocked(seen: Seen): Promise<string[]> {
  const deadlock = await deadlockOf(seen);
  return deadlock === undefined ? [] : [sayDeadlock(deadlock)];
}

async function silentOf({ store, run }: Seen): Promise<string[]> {
  const messages = await store.messages(run.id);
  return Object.values(run.agents).flatMap((agent) => {
    const said = sayTold(toldTo(messages, agent), Date.now());
    return said === "" ? [] : [`${agent.role} ${said}`];
  });
}
