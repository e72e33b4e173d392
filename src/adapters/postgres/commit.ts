/**
 * A batch of writes in one transaction of PostgreSQL.
 *
 * Every batch has an id, which the transaction writes down. Where the connection is lost while the server commits, nobody knows whether it
 * did: the batch is sent again, and waits for what is left of the first transaction. It finds its id, and then it was written, or it does not,
 * and then it is written now. So every batch is safe to repeat, whatever is in it.
 */

import { randomUUID } from "node:crypto";
import type { BatchAnswer, Write } from "../../engine/ports/commit.ts";
import { failpoint } from "../failpoint.ts";
import { reach, writeAll, WRITTEN } from "../store/members.ts";
import type { Connections } from "./connect.ts";
import { persist } from "./failure.ts";
import { drive, type Session } from "./session.ts";

/** Far longer than a batch is tried for. */
const PRUNE = "DELETE FROM commits WHERE at < now() - interval '5 minutes'";
const PRUNE_EVERY = 500;
const WAIT_MS = 30_000;

export function commitsTo(
  connections: Connections,
  now: () => number,
): (batch: readonly Write[]) => Promise<BatchAnswer> {
  const { path } = connections;
  // Definitions are large, never change and are never deleted: each is sent once.
  const defined = new Set<string>();
  let count = 0;
  return async (members) => {
    const batch = members.filter((write) => write.type !== "define" || !defined.has(write.hash));
    if (batch.length === 0) return WRITTEN;
    reach(batch, "before");
    const sending: Sending = { batch, id: randomUUID(), now, isUnsure: false };
    const answer = await persist({ path, waitMs: WAIT_MS }, () =>
      connections.during((session) => send(session, sending)),
    );
    // Most commands write once or twice: the first batch of every process prunes, too.
    if (count % PRUNE_EVERY === 0) await prune(connections);
    count += 1;
    if (answer.type !== "written") return answer;
    for (const write of batch) if (write.type === "define") defined.add(write.hash);
    reach(batch, "after");
    return answer;
  };
}

/** The batch is written, whatever becomes of this. */
async function prune(connections: Connections): Promise<void> {
  try {
    await connections.during((session) => session.send(PRUNE));
  } catch {
    // The next process that writes prunes as well.
  }
}

type Sending = {
  readonly batch: readonly Write[];
  readonly id: string;
  readonly now: () => number;
  /** An earlier attempt may have been committed. */
  isUnsure: boolean;
};

async function send(session: Session, sending: Sending): Promise<BatchAnswer> {
  void session.send("BEGIN ISOLATION LEVEL READ COMMITTED");
  const noted = session.send("INSERT INTO commits (id) VALUES ($1) ON CONFLICT DO NOTHING", [sending.id]);
  if (sending.isUnsure && (await noted).count === 0) {
    await session.end("ROLLBACK");
    return WRITTEN;
  }
  const answer = await drive(writeAll(session.sql, sending.batch, sending.now));
  if (answer.type !== "written") {
    await session.end("ROLLBACK");
    return answer;
  }
  failpoint("store.before-commit");
  sending.isUnsure = true;
  await session.end("COMMIT");
  failpoint("store.after-commit");
  return WRITTEN;
}
