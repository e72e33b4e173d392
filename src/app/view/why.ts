/** For every move out of the present state: whether it is open, and what opens it. */

import { sayDeadlock } from "../../engine/supervise/deadlocks.ts";
import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { seeRun, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { sayTold, toldTo } from "../story/told.ts";
import { actionsOf, nextForPerson } from "./actions.ts";
import { tasksOf } from "./work/children.ts";
import { sayLanded } from "./decision/merged-elsewhere.ts";
import { processesOf, withUnreadableFiles } from "./look.ts";
import { waysOf } from "./moves.ts";
import { readOnce } from "./read-once.ts";
import { deadlockOf } from "./status/trouble.ts";
import { waitsOf } from "./status/waits.ts";

export async function why(
  { door, store }: Looking,
  { run: word }: InputOf<"why">,
): Promise<Outcome<DataOf<"why">>> {
  const seen = withUnreadableFiles(await seeRun(readOnce(store), door, word));
  const { row, run } = seen;
  const isDeadlocked = (await deadlockOf(seen)) !== undefined;
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
      actions: isDeadlocked ? (await actionsOf(seen)).actions : [],
    },
    {
      next: isDeadlocked
        ? await nextForPerson(seen)
        : `signalbox ${row.halted ? "resume" : "next"} ${run.id}`,
    },
  );
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
