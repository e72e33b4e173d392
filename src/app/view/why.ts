/** For every move out of the present state: whether it is open, and what opens it. */

import { sayDeadlock } from "../../engine/supervise/deadlocks.ts";
import type { Seen } from "../runs/find.ts";
import { sayTold, toldTo } from "../story/told.ts";
import { actionsOf, nextForPerson } from "./actions.ts";
import { tasksOf } from "./work/children.ts";
import { sayLanded } from "./decision/merged-elsewhere.ts";
import { processesOf } from "./look.ts";
import { waysOf } from "./moves.ts";
import type { WhyView } from "./run-view.ts";
import { deadlockOf } from "./status/trouble.ts";
import { waitsOf } from "./status/waits.ts";

export async function whyOf(seen: Seen): Promise<{ readonly view: WhyView; readonly next: string }> {
  const { row, run } = seen;
  const isDeadlocked = (await deadlockOf(seen)) !== undefined;
  return {
    view: {
      run: run.id,
      state: run.state,
      waits: await waitsOf(seen, await processesOf(seen)),
      moves: await waysOf(seen),
      silent: await silentOf(seen),
      notes: [...sayHalted(seen), ...(await sayDeadlocked(seen)), sayLanded(seen)].filter(
        (note) => note !== "",
      ),
      tasks: await tasksOf(seen),
      actions: isDeadlocked ? (await actionsOf(seen)).actions : [],
    },
    next: isDeadlocked ? await nextForPerson(seen) : `signalbox ${row.halted ? "resume" : "next"} ${run.id}`,
  };
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
