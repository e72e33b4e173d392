/**
 * A batch of writes, in one transaction.
 *
 * Named places before and after each kind of write let tests end the process there.
 */

import type { BatchAnswer, Write } from "../../engine/ports/commit.ts";
import { failpoint, type Failpoint } from "../failpoint.ts";
import type { Database } from "./database.ts";
import { append } from "./journal/append.ts";
import { attend, define, halt, hide, isDefined, putNote, seqOf, setProjected } from "./journal/journal.ts";
import { nameChild, putGraph, setGraph, settleChild } from "./tables/graphs.ts";
import { acknowledge, isAwaited, putMessage } from "./tables/messages.ts";
import { admit, claim, isRepeatable, retry, settle, takeFence } from "./tables/outbox.ts";
import { leavePlace, takePlace } from "./tables/place.ts";
import * as projects from "./tables/projects.ts";
import * as registry from "./tables/registry.ts";

const WRITTEN: BatchAnswer = { type: "written" };

/** Ends the transaction without writing. */
class Rollback extends Error {
  override readonly name = "Rollback";
  readonly committed: BatchAnswer;

  constructor(committed: BatchAnswer) {
    super(committed.type);
    this.committed = committed;
  }
}

export function commitTo(db: Database, batch: readonly Write[], now: () => number): BatchAnswer {
  const due = batch.filter((write) => isNeeded(db, write));
  if (due.length === 0) return WRITTEN;
  for (const { type } of due) reach(type, "before");
  const work = (): void => {
    for (const write of due) {
      const committed = writeOne(db, write, now);
      if (committed.type !== "written") throw new Rollback(committed);
    }
  };
  try {
    if (due.every((write) => isMadeAgain(db, write))) db.writeSoon(work);
    else db.write(work);
  } catch (error) {
    if (error instanceof Rollback) return error.committed;
    throw error;
  }
  for (const { type } of due) reach(type, "after");
  return WRITTEN;
}

/** What changes nothing must not wait for other writers: agents acknowledge messages with every command. */
function isNeeded(db: Database, write: Write): boolean {
  if (write.type === "define") return !isDefined(db, write.hash);
  return write.type !== "acknowledge" || isAwaited(db, write.agent);
}

/** Whether a power cut may take it back: the engine finds out, and writes it again. */
function isMadeAgain(db: Database, write: Write): boolean {
  switch (write.type) {
    case "expect-run":
    case "projected":
    case "put-readings":
    case "put-projection":
    case "admit":
    // The run that begins with this name is written durably, and all that was written before it.
    case "name-child":
    // Found again by the run that has ended.
    case "settle-child":
      return true;
    case "claim":
      return isRepeatable(db, write.key);
    case "settle":
      return write.outcome.type === "done" && isRepeatable(db, write.key);
    // An agent without a turn can be made again; a power cut ends the process of one that runs; of one that has ended, the run knows.
    case "put-agent":
      return write.agent.status !== "idle" || write.agent.turn === 0;
    // A power cut ends its process, too, and then the turn is begun again. What follows from the end of a job was written before.
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

function writeOne(db: Database, write: Write, now: () => number): BatchAnswer {
  switch (write.type) {
    case "expect-run":
      return unless(seqOf(db, write.run) === write.seq, `run ${write.run} has gone on`);
    case "append":
      return append(db, write.entry);
    case "define":
      return done(define(db, write.hash, write.definition));
    case "note":
      return done(putNote(db, write.note));
    case "halt":
      return done(halt(db, write.run, write.halted));
    case "hide":
      return done(hide(db, write.run, write.hidden));
    case "attend":
      return unless(attend(db, write.run, write), `run ${write.run} needs attention for another reason`);
    case "projected":
      if (seqOf(db, write.run) !== write.seq) return conflict(`run ${write.run} has gone on`);
      return done(setProjected(db, write.run, write.seq));
    case "take-fence":
      return unless(takeFence(db, write.fence), "another supervisor has begun");
    case "claim":
      return unless(claim(db, write, now()), `${write.key} is not free`);
    case "settle":
      return unless(settle(db, write.key, write), `${write.key} is another supervisor's`);
    case "admit":
      return done(admit(db, write.key));
    case "retry":
      return done(retry(db, write.run));
    case "take-place":
      return unlessTaken(takePlace(db, write.run, write.repo));
    case "leave-place":
      return done(leavePlace(db, write.run, write.of));
    case "put-message":
      return done(putMessage(db, write.message));
    case "acknowledge":
      return done(acknowledge(db, write.agent, write.at));
    case "put-graph":
      return done(putGraph(db, write.graph, write.children));
    case "set-graph":
      return done(setGraph(db, write.graph, write.status));
    case "name-child": {
      const run = nameChild(db, write, write.run);
      return unlessTaken(run === write.run ? "" : run);
    }
    case "settle-child":
      return done(settleChild(db, write, write.end));
    case "put-agent":
    case "put-job":
    case "put-workspace":
    case "put-readings":
    case "put-projection":
    case "trust":
    case "put-human-key":
      return done(register(db, write));
    case "put-project":
      return unlessTaken(projects.putProject(db, write.project));
    case "drop-project":
      return unlessTaken(projects.dropProject(db, write.repo));
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

function register(db: Database, write: Registered): void {
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

function conflict(reason: string): BatchAnswer {
  return { type: "conflict", reason };
}

function unless(holds: boolean, reason: string): BatchAnswer {
  return holds ? WRITTEN : conflict(reason);
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
  "put-graph": ["registry", "graph"],
  "set-graph": ["registry", "graph-set"],
  "name-child": ["registry", "child"],
  "settle-child": ["registry", "outcome"],
  "put-project": ["registry", "project"],
  "drop-project": ["registry", "drop-project"],
  enqueue: ["registry", "enqueue"],
  "put-depends": ["registry", "depends"],
};

function reach(type: Write["type"], when: "before" | "after"): void {
  const point = FAILPOINTS[type];
  if (point === undefined) return;
  const name: Failpoint = `${point[0]}.${when}-${point[1]}`;
  failpoint(name);
}
