/** What makes a task of a run: its project, its place in the queue, its dependencies and messages. */

import { whyInLine } from "../../../engine/queue/position.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { TaskContext } from "../run-view.ts";
import { sessionsOf } from "../status/session.ts";

export function taskContextOf(store: Store, id: string): TaskContext {
  const kept = store.load(id);
  const repo = kept?.row.repo ?? "";
  const queued = store.queued(repo).some(({ run }) => run === id);
  return {
    project: store.projectAt(repo)?.name ?? "",
    session: kept === undefined ? "none" : sessionsOf(store)(kept.run),
    queued,
    queuedFor: queued ? whyInLine(store, id).join("; ") || "waits for its turn" : "",
    dependsOn: store.depends(id).map((run) => ({ run, state: store.load(run)?.row.state ?? "" })),
    dependents: [...store.dependents(id)],
    messages: store.messages(id).map(({ run: _run, ...message }) => message),
    hidden: kept?.row.hidden ?? false,
  };
}
