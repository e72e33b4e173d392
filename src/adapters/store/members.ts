/**
 * The members of a batch, written one after the other inside of a transaction.
 *
 * Named places before and after each kind of write let tests end the process there.
 */

import type { BatchAnswer, Write } from "../../engine/ports/commit.ts";
import { failpoint, type Failpoint } from "../failpoint.ts";
import { append } from "./journal/append.ts";
import { define } from "./journal/definitions.ts";
import { attend, expectRun, halt, hide, putNote, setProjected } from "./journal/journal.ts";
import type { Sql, UnmetExpectation, Work } from "./sql.ts";
import { nameChild, putGraph, setGraph, settleChild } from "./tables/graphs.ts";
import { acknowledge, putMessage } from "./tables/messages.ts";
import { admit, claim, retry, settle, takeFence } from "./tables/outbox.ts";
import * as parks from "./tables/parks.ts";
import { leavePlace, takePlace } from "./tables/place.ts";
import * as projects from "./tables/projects.ts";
import * as registry from "./tables/registry.ts";

/** Why a batch of a worker is refused whose machine another one has taken over. */
export const NOT_IN_TERM = "this worker is not in its term";

export const WRITTEN: BatchAnswer = { type: "written" };

/** The transaction is rolled back where the answer is not `written`. */
export function* writeAll(db: Sql, batch: readonly Write[], now: () => number): Work<BatchAnswer> {
  for (const write of batch) {
    const answer = yield* writeOne(db, write, now);
    if (answer.type !== "written") return answer;
  }
  return WRITTEN;
}

/** Only PostgreSQL has machines. The row stays as it is until the transaction ends. */
const TERM = "SELECT 1 FROM machines WHERE id = ? AND term = ? FOR SHARE";

function* writeOne(db: Sql, write: Write, now: () => number): Work<BatchAnswer> {
  switch (write.type) {
    case "expect-run":
      return done(expectRun(db, write, conflict(`run ${write.run} has gone on`)));
    case "expect-term":
      return done(db.expect(conflict(NOT_IN_TERM), TERM, write.machine, write.term));
    case "append":
      return yield* append(db, write.entry);
    case "define":
      return done(define(db, write.hash, write.definition));
    case "note":
      return done(putNote(db, write.note));
    case "halt":
      return done(halt(db, write.run, write.halted));
    case "hide":
      return done(hide(db, write.run, write.hidden));
    case "attend":
      return done(attend(db, write, conflict(`run ${write.run} shows another attention`)));
    case "projected":
      return done(setProjected(db, write, conflict(`run ${write.run} has gone on`)));
    case "take-fence":
      return done(takeFence(db, write.fence, conflict("another supervisor has begun")));
    case "claim":
      return done(claim(db, write, { now: now(), otherwise: conflict(`${write.key} is not free`) }));
    case "settle":
      return done(settle(db, write, conflict(`${write.key} is another supervisor's`)));
    case "admit":
      return done(admit(db, write.key));
    case "retry":
      return done(retry(db, write.run));
    case "take-place":
      return unlessTaken(yield* takePlace(db, write.run, write.repo));
    case "leave-place":
      return done(leavePlace(db, write.run, write.of));
    case "put-message":
      return done(putMessage(db, write.message));
    case "acknowledge":
      return done(acknowledge(db, write.agent, write.at));
    case "park":
      return done(parks.putPark(db, write.park));
    case "hold":
      return done(parks.hold(db, write.turn, conflict(`${write.turn.key} does not hold any more`)));
    case "lift":
      return done(parks.lift(db, write));
    case "release":
      return done(parks.release(db, write.agent));
    case "put-graph":
      return done(yield* putGraph(db, write.graph, write.children));
    case "set-graph":
      return done(setGraph(db, write.graph, write.status));
    case "name-child": {
      const run = yield* nameChild(db, write, write.run);
      return unlessTaken(run === write.run ? "" : run);
    }
    case "settle-child":
      return done(yield* settleChild(db, write, write.end));
    case "put-agent":
    case "put-job":
    case "put-workspace":
    case "put-readings":
    case "put-projection":
    case "trust":
    case "put-human-key":
      return done(register(db, write));
    case "put-project":
      return unlessTaken(yield* projects.putProject(db, write.project));
    case "drop-project":
      return unlessTaken(yield* projects.dropProject(db, write.repo));
    case "enqueue":
      return done(projects.enqueue(db, write.run, write.repo));
    case "dequeue":
      return done(projects.dequeue(db, write.run));
    case "refuse":
      return done(projects.refuse(db, write, write.refusal));
    case "readmit":
      return done(projects.readmit(db, write.run));
    case "put-depends":
      return done(projects.putDepends(db, write.run, write.on));
  }
}

type Registered = Extract<
  Write,
  {
    type:
      | "put-agent"
      | "put-job"
      | "put-workspace"
      | "put-readings"
      | "put-projection"
      | "trust"
      | "put-human-key";
  }
>;

function register(db: Sql, write: Registered): void {
  switch (write.type) {
    case "put-agent":
      return registry.putAgent(db, write.agent);
    case "put-job":
      return registry.putJob(db, write.job);
    case "put-workspace":
      return registry.putWorkspace(db, write.workspace);
    case "put-readings":
      return registry.putReadings(db, write, write.readings);
    case "put-projection":
      return registry.putProjection(db, write);
    case "trust":
      return registry.putTrust(db, write.repo, write.trust);
    case "put-human-key":
      return registry.putHumanKey(db, write.key);
  }
}

function done(_written: void): BatchAnswer {
  return WRITTEN;
}

export function* answerOf({ otherwise }: UnmetExpectation): Work<BatchAnswer> {
  return typeof otherwise === "function" ? yield* otherwise() : otherwise;
}

function conflict(reason: string): BatchAnswer {
  return { type: "conflict", reason };
}

function unlessTaken(by: string): BatchAnswer {
  return by === "" ? WRITTEN : { type: "taken", by };
}

/** `area/name` of the failpoints of a kind of write; none for caches. */
const FAILPOINTS: Partial<Record<Write["type"], readonly [area: string, name: string]>> = {
  append: ["journal", "append"],
  claim: ["outbox", "claim"],
  settle: ["outbox", "settle"],
  "put-agent": ["registry", "agent"],
  "put-job": ["registry", "job"],
  "put-workspace": ["registry", "workspace"],
  "leave-place": ["registry", "leave-place"],
  trust: ["registry", "trust"],
  "put-human-key": ["registry", "human-key"],
  "put-message": ["registry", "message"],
  park: ["registry", "park"],
  lift: ["registry", "lift"],
  "put-graph": ["registry", "graph"],
  "set-graph": ["registry", "graph-set"],
  "name-child": ["registry", "child"],
  "settle-child": ["registry", "outcome"],
  "put-project": ["registry", "project"],
  "drop-project": ["registry", "drop-project"],
  enqueue: ["registry", "enqueue"],
  "put-depends": ["registry", "depends"],
};

export function reach(batch: readonly Write[], when: "before" | "after"): void {
  for (const { type } of batch) {
    const point = FAILPOINTS[type];
    if (point === undefined) continue;
    const name: Failpoint = `${point[0]}.${when}-${point[1]}`;
    failpoint(name);
  }
}
