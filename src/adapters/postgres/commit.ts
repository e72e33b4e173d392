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
import { answerOf, reach, writeAll, WRITTEN } from "../store/members.ts";
import { UnmetExpectation, type Sql, type Work } from "../store/sql.ts";
import type { Connections } from "./connect.ts";
import { persist } from "./failure.ts";
import { drive } from "./session.ts";

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
    const id = randomUUID();
    const answer = await persist({ path, waitMs: WAIT_MS }, () =>
      connections.during(({ sql }) => send(sql, { batch, id, now })),
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
    await connections.during(({ sql }) => drive(sql.run(PRUNE)));
  } catch {
    // The next process that writes prunes as well.
  }
}

type Sending = {
  readonly batch: readonly Write[];
  readonly id: string;
  readonly now: () => number;
};

const NOTE_ID = "INSERT INTO commits (id) VALUES (?) ON CONFLICT DO NOTHING RETURNING 1";

async function send(sql: Sql, sending: Sending): Promise<BatchAnswer> {
  try {
    return await drive(transaction(sql, sending));
  } catch (error) {
    if (!(error instanceof UnmetExpectation)) throw error;
    await drive(sql.run("ROLLBACK"));
    return drive(answerOf(error));
  }
}

function* transaction(sql: Sql, { batch, id, now }: Sending): Work<BatchAnswer> {
  sql.put("BEGIN ISOLATION LEVEL READ COMMITTED");
  // An earlier attempt has the id where it was committed.
  sql.expect(WRITTEN, NOTE_ID, id);
  const answer = yield* writeAll(sql, batch, now);
  const isWritten = answer.type === "written";
  if (isWritten) failpoint("store.before-commit");
  yield* sql.run(isWritten ? "COMMIT" : "ROLLBACK");
  if (isWritten) failpoint("store.after-commit");
  return answer;
}
