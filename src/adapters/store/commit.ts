/**
 * Commits a batch of writes in one SQLite transaction.
 *
 * A batch that holds only writes which the engine can redo is committed without waiting for the disk. A power cut may take back such a
 * commit, and nothing else: the next durable commit also makes it durable.
 */

import type { BatchAnswer, Write } from "../../engine/ports/commit.ts";
import { finish, type Database } from "./database.ts";
import { isDefined } from "./journal/definitions.ts";
import { answerOf, reach, writeAll, WRITTEN } from "./members.ts";
import { UnmetExpectation } from "./sql.ts";
import { isAwaited } from "./tables/messages.ts";
import { isRepeatable } from "./tables/outbox.ts";

export function commitTo(db: Database, batch: readonly Write[], now: () => number): BatchAnswer {
  const needed = batch.filter((write) => changesSomething(db, write));
  if (needed.length === 0) return WRITTEN;
  reach(needed, "before");
  const work = (): void => {
    const answer = finish(writeAll(db.sql, needed, now));
    if (answer.type !== "written") throw new UnmetExpectation(answer);
  };
  try {
    if (needed.every((write) => canBeRedone(db, write))) db.writeSoon(work);
    else db.write(work);
  } catch (error) {
    if (!(error instanceof UnmetExpectation)) throw error;
    return finish(answerOf(error));
  }
  reach(needed, "after");
  return WRITTEN;
}

/** A write that changes nothing must not wait for the lock of SQLite: every command of an agent acknowledges messages, mostly none. */
function changesSomething({ sql }: Database, write: Write): boolean {
  if (write.type === "define") return !finish(isDefined(sql, write.hash));
  return write.type !== "acknowledge" || finish(isAwaited(sql, write.agent));
}

/** Whether a power cut may take the write back: the engine notices the loss and writes it again. */
function canBeRedone({ sql }: Database, write: Write): boolean {
  switch (write.type) {
    case "expect-run":
    case "expect-term":
    case "projected":
    case "put-readings":
    case "put-projection":
    case "admit":
    // The child run's first event is appended durably afterwards, which makes this write durable too.
    case "name-child":
    // The engine finds the ended child run again, and settles it again.
    case "settle-child":
    // A turn that is not held meets its park again when it is to begin.
    case "hold":
      return true;
    case "claim":
      return finish(isRepeatable(sql, write.key));
    case "settle":
      return write.outcome.type === "done" && finish(isRepeatable(sql, write.key));
    // Durable only when a turn has ended (*idle*). Before its first turn an agent can be created again, a power cut ends a *running* one,
    // and the journal says which agents have *ended*.
    case "put-agent":
      return write.agent.status !== "idle" || write.agent.turn === 0;
    // A power cut also ends the process, and the turn starts again. For a job that is over, the event of its end was appended before.
    case "put-job":
      return write.job.status === "over" || (write.job.kind === "turn" && write.job.killed === "");
    case "append":
    case "define":
    case "note":
    case "halt":
    case "hide":
    case "attend":
    case "take-fence":
    case "retry":
    case "put-workspace":
    case "put-message":
    case "acknowledge":
    case "take-place":
    case "leave-place":
    case "trust":
    case "put-human-key":
    case "park":
    case "lift":
    case "release":
    case "put-graph":
    case "set-graph":
    case "put-project":
    case "drop-project":
    case "enqueue":
    case "dequeue":
    case "refuse":
    case "readmit":
    case "put-depends":
      return false;
  }
}
