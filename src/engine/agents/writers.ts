/**
 * Nobody reviews while somebody writes: whoever may only read is started when the turns of those who write are over.
 *
 * A verdict is bound to the tree that it was given: work that goes on meanwhile makes it stale before it is there. An agent that stays in
 * a terminal holds nobody up: it waits there for what it is told.
 */

import type { Works } from "../box.ts";
import { Later } from "../supervise/later.ts";
import { turnOver } from "./turn-end.ts";

/** So often it waits for a turn to end by itself; then it ends it. */
const PATIENCE = 40;

/** Of roles that go on later. Whoever has one turn only is stopped by the definition, or works beside others by its will. */
export async function endWriters(works: Works, run: string, tries: number): Promise<void> {
  const { store, processes } = works;
  const kept = await store.load(run);
  if (kept === undefined) return;
  const { roles } = (await works.workflow(kept.row.definition)).definition;
  const writing = (await store.jobs({ run, status: "live" })).filter(({ kind, role, seat }) => {
    const declared = roles[role];
    if (kind !== "turn" || seat === "resident") return false;
    return declared?.access === "write" && declared.session === "persistent";
  });
  if (writing.length === 0) return;
  if (tries < PATIENCE)
    throw new Later(`${writing.map(({ role }) => role).join(", ")} must end its turn first`);
  for (const job of writing) {
    const killed = { ...job, killed: "killed" } as const;
    await store.commit([{ type: "put-job", job: killed }]);
    await processes.kill(job);
    await turnOver(works, killed, processes.probe(job.dir));
  }
}
