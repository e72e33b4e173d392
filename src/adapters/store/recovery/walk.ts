/** Goes through the events of one run and believes nothing: how far the chain holds, and the run that it makes. */

import { apply } from "../../../core/step/apply.ts";
import type { Event } from "../../../core/model/event.ts";
import { NO_RUN, type Run } from "../../../core/model/run.ts";
import type { Deed } from "../../../engine/effects/deed.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import type { RecordCheck } from "../../../engine/ports/histories.ts";
import type { Birth, Recorded } from "../../../engine/ports/journal.ts";
import { UserError } from "../../user-error.ts";
import { hashOf, valuesOf, type Link } from "../journal/chain.ts";
import { definitionIn } from "../journal/definitions.ts";
import type { Row, Sql, Work } from "../sql.ts";
import { recorded } from "../journal/records.ts";
import { BadRecord, isBirth, isDeeds, number, parsed, text } from "../row.ts";

/** The first record that is not what was written; `seq` 0 stands for the run's row. */
export type Bad = { readonly seq: number; readonly reason: string };

/** A run as its history makes it, at the end of a whole entry. */
export type Whole = {
  readonly run: Run;
  readonly head: string;
  readonly status: string;
  readonly birth: Birth;
};

export type Walked = { readonly whole: Whole | undefined; readonly bad: Bad | undefined };

export type Visitor = {
  /** Asked of every record, for a proof that is missing is wrong as well. */
  readonly check?: RecordCheck | undefined;
  /** Called for the events of whole entries only, in their order. */
  readonly visit?: (step: Step) => Work<void> | undefined;
};

export type Step = {
  readonly seq: number;
  readonly at: string;
  readonly event: Event;
  readonly key: string;
  readonly deeds: readonly Deed[];
};

export function* walk(db: Sql, id: string, visitor: Visitor = {}): Work<Walked> {
  let run = NO_RUN;
  let head = "";
  let birth: Birth | undefined;
  let whole: Whole | undefined;
  let waiting: Step[] = [];
  let at = 1;
  let definition: Definition | undefined;
  const go = function* (row: Row): Work<void> {
    const { link, hash, record } = read(row, { seq: at, prev: head });
    if (at === 1) birth = parsed(link.birth, isBirth);
    if (visitor.check !== undefined) definition ??= yield* definitionIn(db, record.definition);
    const fault = visitor.check?.(record, definition);
    if (fault !== undefined) throw new BadRecord(fault);
    run = apply(run, record.event);
    if (run.id !== id || run.definition !== link.definition) throw new BadRecord("it belongs to another run");
    head = hash;
    const deeds = link.deeds === "" ? [] : parsed(link.deeds, isDeeds);
    waiting.push({ seq: at, at: link.at, event: record.event, key: link.key, deeds });
    if (link.status !== "" && birth !== undefined) {
      whole = { run, head, status: link.status, birth };
      for (const step of waiting) {
        const visiting = visitor.visit?.(step);
        if (visiting !== undefined) yield* visiting;
      }
      waiting = [];
    }
    at += 1;
  };
  try {
    yield* db.each(go, "SELECT * FROM events WHERE run = ? ORDER BY seq", id);
  } catch (error) {
    if (!(error instanceof BadRecord) && !(error instanceof UserError)) throw error;
    return { whole, bad: { seq: at, reason: error.message } };
  }
  if (whole === undefined) return { whole, bad: { seq: 1, reason: "it is missing" } };
  return { whole, bad: waiting.length === 0 ? undefined : { seq: at, reason: "it is missing" } };
}

type Expected = { readonly seq: number; readonly prev: string };

/** A record, if it is what was written and follows from the one before. */
export function read(row: Row, { seq, prev }: Expected): { link: Link; hash: string; record: Recorded } {
  if (row["seq"] !== seq) throw new BadRecord("it is missing");
  const link = linkOf(row);
  const hash = hashOf(valuesOf(link));
  if (hash !== row["hash"]) throw new BadRecord("its hash is not that of its content");
  if (link.prev !== prev) throw new BadRecord("it does not follow from the record before it");
  const record = recorded(row);
  if (record.event.type !== link.type) throw new BadRecord("it is an event of another type");
  return { link, hash, record };
}

function linkOf(row: Row): Link {
  return {
    run: text(row["run"]),
    seq: number(row["seq"]),
    at: text(row["at"]),
    type: text(row["type"]),
    actor: text(row["actor"]),
    slot: text(row["slot"]),
    attempt: number(row["attempt"]),
    definition: text(row["definition"]),
    tree: text(row["tree"]),
    key: text(row["key"]),
    body: text(row["body"]),
    proof: text(row["proof"]),
    birth: text(row["birth"]),
    answer: text(row["answer"]),
    deeds: text(row["deeds"]),
    status: text(row["status"]),
    prev: text(row["prev"]),
  };
}
