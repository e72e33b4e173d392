/** What is pending: in all runs together, and of which runs nothing is. */

import type { Unattended } from "../../../engine/ports/store.ts";
import type { Sql, Work } from "../sql.ts";
import { number, text } from "../row.ts";
import { agentOf, QUEUED } from "./outbox.ts";
import { isLeftToPersonIn } from "./parks.ts";

const AGENT = { run: "agents.run", role: "agents.role", slot: "agents.slot", attempt: "agents.attempt" };

/**
 * A supervisor is needed for every live process, every open deed, and every idle agent whose run has gone on, also while they are parked
 * for a time: it lifts the park. A park that waits for a person needs none.
 */
export function* isBusy(db: Sql): Work<boolean> {
  const row = yield* db.get(
    `SELECT EXISTS (SELECT 1 FROM jobs WHERE status = 'live')
      OR EXISTS (SELECT 1 FROM deeds JOIN runs ON runs.id = run
        WHERE deeds.status IN ('pending', 'claimed') AND (halted = 0 OR type = 'stop-agent')
        AND NOT (due_at = ${QUEUED} AND ${isLeftToPersonIn(agentOf("deeds"))}))
      OR EXISTS (SELECT 1 FROM agents JOIN runs ON runs.id = run
        WHERE agents.status = 'idle' AND runs.entry > agents.entry AND halted = 0 AND attention = ''
        AND NOT ${isLeftToPersonIn(AGENT)}) AS busy`,
  );
  return row?.["busy"] === 1;
}

/** Of a row of `runs`. Agents that stay in their terminals are left to the caller: only the definition says whether they can act. */
export const UNATTENDED = `runs.status = 'running' AND runs.halted = 0 AND runs.attention = ''
  AND NOT EXISTS (SELECT 1 FROM deeds WHERE deeds.run = runs.id AND deeds.status IN ('pending', 'claimed'))
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.run = runs.id AND jobs.status = 'live' AND jobs.seat <> 'resident')
  AND NOT EXISTS (SELECT 1 FROM agents WHERE agents.run = runs.id AND agents.status = 'idle' AND agents.entry < runs.entry)
  AND NOT EXISTS (SELECT 1 FROM graphs WHERE graphs.parent = runs.id AND graphs.entry = runs.entry AND graphs.status = 'open')
  AND NOT EXISTS (SELECT 1 FROM queue WHERE queue.run = runs.id)`;

const RESIDENTS = `SELECT string_agg(role, ' ') FROM jobs
  WHERE jobs.run = runs.id AND jobs.status = 'live' AND jobs.seat = 'resident'`;

export function* unattended(db: Sql, run?: string): Work<readonly Unattended[]> {
  const only = run === undefined ? "" : "AND runs.id = ?";
  const sql = `SELECT id, seq, (${RESIDENTS}) AS residents FROM runs WHERE ${UNATTENDED} ${only} ORDER BY n`;
  return (yield* db.all(sql, ...(run === undefined ? [] : [run]))).map((row) => ({
    run: text(row["id"]),
    seq: number(row["seq"]),
    residents: text(row["residents"] ?? "")
      .split(" ")
      .filter((role) => role !== ""),
  }));
}
