/** What makes a task of a run: its project, its place in the queue, its dependencies and messages. */

import { whyInLine } from "../../../engine/queue/position.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { TaskContext } from "../run-view.ts";
import { sessionsOf } from "../status/session.ts";

export async function taskContextOf(store: Store, id: string): Promise<TaskContext> {
  const kept = await store.load(id);
  const repo = kept?.row.repo ?? "";
  const queued = (await store.queued(repo)).some(({ run }) => run === id);
  return {
    project: (await store.projectAt(repo))?.name ?? "",
    session: kept === undefined ? "none" : (await sessionsOf(store))(kept.run),
    queued,
    queuedFor: queued ? (await whyInLine(store, id)).join("; ") || "waits for its turn" : "",
    dependsOn: await Promise.all(
      (await store.depends(id)).map(async (run) => ({
        run,
        state: (await store.load(run))?.row.state ?? "",
      })),
    ),
    dependents: [...(await store.dependents(id))],
    messages: (await store.messages(id)).map(({ run: _run, ...message }) => message),
    hidden: kept?.row.hidden ?? false,
  };
}
