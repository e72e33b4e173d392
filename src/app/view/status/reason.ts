/** Why a run is where it is: what led to its last move, in one sentence. Nothing is decided by it. */

import { maxOf } from "../../../core/gates/gate.ts";
import type { Incoming } from "../../../core/model/event.ts";
import type { Move } from "../../../core/model/workflow.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import type { Seen } from "../../runs/find.ts";
import { reviewsOf } from "../decision/findings.ts";
import type { AgentView } from "../run-view.ts";
import { firstLine, sayActor } from "../words.ts";

/** The last move is among the last of these events. */
const BACK = 60;
const WORDS_MAX = 120;

/** Empty where the last move says nothing but that somebody asked for it. */
export async function reasonFor(seen: Seen, agents: readonly AgentView[]): Promise<string> {
  const events = await seen.store.events(seen.run.id, Math.max(1, seen.run.seq - BACK));
  const at = events.findLastIndex(({ event }) => event.type === "moved");
  const moved = events[at]?.event;
  const move = moved?.type === "moved" ? seen.workflow.definition.moves[moved.rule] : undefined;
  if (move === undefined) return "";
  if (!move.by.includes("engine")) return sayAsker(events.slice(0, at + 1));
  const dead = deathIn(events.slice(0, at));
  return dead === undefined ? sayConditions(seen, move) : sayDeath(dead, agents);
}

/** An agent or a person that asked for the move may have said why. */
function sayAsker(events: readonly Recorded[]): string {
  const asked = events.findLast(({ event }) => event.type === "move-asked");
  if (asked?.event.type !== "move-asked") return "";
  const note = firstLine(asked.event.note ?? "", WORDS_MAX);
  return note === "" ? "" : `${sayActor(asked.by)} says "${note}"`;
}

type Ended = Extract<Incoming, { type: "agent-ended" }>;

/** The agent whose end was counted right before. */
function deathIn(events: readonly Recorded[]): Ended | undefined {
  const from = events.findLastIndex(({ event }) => event.type === "agent-ended");
  const ended = events[from]?.event;
  if (ended?.type !== "agent-ended") return undefined;
  const isCounted = events.slice(from + 1).some(({ event }) => event.type === "counted");
  const isOther = events.slice(from + 1).some(({ event }) => event.type === "submitted");
  return isCounted && !isOther ? ended : undefined;
}

function sayDeath({ role, cause, code }: Ended, agents: readonly AgentView[]): string {
  const output = agents.find((agent) => agent.role === role)?.output ?? "";
  const last = output === "" ? "" : `; its last output: ${firstLine(output, WORDS_MAX)}`;
  const how = code === undefined ? cause : `exit code ${code}`;
  return `the ${role} stopped too often without submitting anything (${how}${last})`;
}

/** Reviews that asked for changes, and counters that are used up. */
async function sayConditions(seen: Seen, { when }: Move): Promise<string> {
  const { workflow, run } = seen;
  const spent = when.flatMap((condition) =>
    condition.type === "counter" && condition.is === "spent" ? [condition.counter] : [],
  );
  const names = new Set(when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])));
  const finding = (await reviewsOf(seen)).find(({ artifact }) => names.has(artifact));
  const rounds = spent.map((name) => `${maxOf(workflow, run, name)} of ${maxOf(workflow, run, name)}`);
  if (finding === undefined) return spent.map((name) => `${name} is used up`).join(", ");
  const words = firstLine(finding.text[0] ?? "", WORDS_MAX);
  if (finding.verdict !== "needs_fix") return "";
  const said = words === "" ? "" : `: "${words}"`;
  return rounds.length === 0
    ? `the ${finding.by} asked for changes${said}`
    : `${rounds[0] ?? ""} reviews failed${said}`;
}
