/** Rows of the journal as what the engine knows, and back. */

import type { Actor } from "../../../core/model/event.ts";
import type { Question, Recorded, RunRow } from "../../../engine/ports/journal.ts";
import { digestOfRun, sealOf } from "./chain.ts";
import type { KeptRow, Row } from "../sql.ts";
import { BadRecord, isEvent, isProof, number, parsed, text } from "../row.ts";

function runRow(row: Row): RunRow {
  return {
    id: text(row["id"]),
    workflow: text(row["workflow"]),
    goal: text(row["goal"]),
    repo: text(row["repo"]),
    base: text(row["base"]),
    definition: text(row["definition"]),
    state: text(row["state"]),
    status: text(row["status"]),
    entry: number(row["entry"]),
    seq: number(row["seq"]),
    head: text(row["head"]),
    startedAt: text(row["started_at"]),
    updatedAt: text(row["updated_at"]),
    attention: text(row["attention"]),
    halted: row["halted"] !== 0,
    projected: number(row["projected"]),
    hidden: row["hidden"] === 1,
  };
}

/** A row that was read together with its snapshot. Throws BadRecord when the two are not what was written. */
export function sealedRow(row: Row): { readonly row: RunRow; readonly snapshot: string } {
  const whole = runRow(row);
  if (row["json"] === null || row["json"] === undefined) throw new BadRecord("its snapshot is missing");
  const [snapshot, seal] = [text(row["json"]), text(row["seal"] ?? "")];
  const isWhole = seal === sealOf(snapshot) && digestOfRun(whole, seal) === row["digest"];
  if (!isWhole) throw new BadRecord("its row and its snapshot do not agree");
  return { row: whole, snapshot };
}

/** Of a row of a run with the marks of its snapshot. */
export function keptRow(row: Row): KeptRow {
  const [workflow, goal] = [text(row["workflow"]), text(row["goal"])];
  return {
    birth: { workflow, goal, repo: text(row["repo"]), base: text(row["base"]) },
    status: text(row["status"]),
    shot: number(row["shot"]),
    seal: text(row["seal"]),
    digest: text(row["digest"]),
  };
}

export function recorded(row: Row): Recorded {
  const proof = text(row["proof"]);
  return {
    run: text(row["run"]),
    seq: number(row["seq"]),
    at: text(row["at"]),
    by: actorOf(text(row["actor"]), text(row["slot"]), number(row["attempt"])),
    definition: text(row["definition"]),
    tree: text(row["tree"]),
    key: text(row["key"]),
    event: parsed(text(row["body"]), isEvent),
    ...(proof === "" ? {} : { proof: parsed(proof, isProof) }),
    prev: text(row["prev"]),
    hash: text(row["hash"]),
  };
}

export function actorText(by: Actor): string {
  switch (by.type) {
    case "human":
      return by.name === undefined ? "human" : `human/${by.name}`;
    case "engine":
      return "engine";
    case "agent":
      return `agent/${by.role}`;
  }
}

function actorOf(actor: string, slot: string, attempt: number): Actor {
  const cut = actor.indexOf("/");
  const [type, name] = cut < 0 ? [actor] : [actor.slice(0, cut), actor.slice(cut + 1)];
  if (type === "human") return name === undefined ? { type } : { type, name };
  if (type === "engine") return { type };
  if (type === "agent" && name !== undefined) return { type, role: name, slot, attempt };
  throw new BadRecord(`nobody is called ${actor}`);
}

export function question(row: Row): Question {
  return {
    run: text(row["run"]),
    id: text(row["id"]),
    ask: text(row["ask"]),
    openedAt: text(row["opened_at"]),
    repeats: number(row["repeats"]),
    answer: text(row["answer"]),
    text: text(row["text"]),
    by: text(row["by"]),
    closedAt: text(row["closed_at"]),
  };
}
