/**
 * Whoever is started after a death is told what was wrong with what was left, also where a person has led the run back there since. Without
 * that, the next attempt makes the same mistake, and the budget is spent on it.
 */

import { endKey, type Workflow } from "../../core/model/compile.ts";
import type { Event, Fault, Incoming } from "../../core/model/event.ts";
import { fillPath } from "../../core/text/fill-path.ts";
import { holds } from "../../core/gates/gate.ts";
import { awaits } from "../../core/explain/review-policy.ts";
import { replay } from "../../core/step/apply.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import { isGood, standingOfSlot } from "../../core/gates/artifact-status.ts";
import { explainedStatusOfSlot } from "../../core/gates/status-reason.ts";
import type { Works } from "../box.ts";
import { clipped } from "../clip.ts";
import { oneLine } from "./launch.ts";
import type { Kept } from "../ports/journal.ts";
import { actOf } from "./prompt-context.ts";

type Author = { readonly role: string; readonly slot: string };

/** More than this nobody mends at once, and a prompt is for the work. */
const FAULTS_MAX = 20;

export async function withFaults(
  { store, workflow }: Pick<Works, "store" | "workflow">,
  on: { readonly kept: Kept; readonly key: string; readonly author: Author },
  prompt: string,
): Promise<string> {
  const { kept, author } = on;
  const known = await workflow(kept.row.definition);
  const failure = await failureBefore(known, store, on);
  if (failure === undefined) return prompt;
  const lines = faultsOf(known, { now: kept.run, at: failure.run }, author);
  if (lines.length === 0) return prompt;
  const more = lines.length - FAULTS_MAX;
  const listed = [...lines.slice(0, FAULTS_MAX), ...(more > 0 ? [`and ${more} more`] : [])];
  const list = listed.map((line) => `- ${clipped(line)}`).join("\n");
  return `${prompt.trimEnd()}\n\n## What was wrong with the last attempt\n\n${sayEnd(failure.death)} What is wrong now:\n\n${list}\n`;
}

/** How it ended, and the run as that left it. */
type Failure = { readonly death: Event; readonly run: Run };

async function failureBefore(
  workflow: Workflow,
  store: Works["store"],
  { kept, key, author }: { readonly kept: Kept; readonly key: string; readonly author: Author },
): Promise<Failure | undefined> {
  const act = await actOf(store, key);
  if (act === undefined) return undefined;
  if (isDeath(act, author)) return { death: act, run: kept.run };
  const isPersons = "by" in act && typeof act.by === "object" && act.by.type === "human";
  if (!isPersons || (kept.run.attempts[author.role] ?? 0) < 2) return undefined;
  const events = (await store.events(kept.row.id)).map(({ event }) => event);
  return lastFailure(workflow, events, { author, state: kept.run.state });
}

/** The last attempt failed in this state. The run has gone on since, and what was left is old by now: what it was worth, it says as it was then. */
function lastFailure(
  workflow: Workflow,
  events: readonly Event[],
  { author, state }: { readonly author: Author; readonly state: string },
): Failure | undefined {
  const { role, slot } = author;
  const end = events.findLastIndex(
    (event) => event.type === "agent-ended" && event.role === role && event.slot === slot,
  );
  const death = events[end];
  const entered = events.slice(0, Math.max(end, 0)).findLast((event) => event.type === "moved");
  if (death === undefined || entered?.to !== state) return undefined;
  const counter = workflow.ends[endKey(role, state)]?.count;
  const isFailure = (event: Event): boolean =>
    (event.type === "counted" && event.counter === counter) ||
    (event.type === "slot-settled" && event.slot === slot && event.outcome === "failed") ||
    (event.type === "agent-crashed" && event.role === role);
  // It has failed if its end led to that before anything else happened.
  const next = events.findIndex((event, index) => index > end && ("at" in event || isFailure(event)));
  const failed = events[next];
  if (failed === undefined || !isFailure(failed)) return undefined;
  return { death, run: replay(workflow, events.slice(0, next + 1)) };
}

/** A person who has a crashed agent started again starts it after a death, too. */
function isDeath(act: Event, { role, slot }: Author): boolean {
  if (act.type === "respawn-asked") return act.role === role;
  return act.type === "agent-ended" && act.role === role && act.slot === slot;
}

function sayEnd(death: Event): string {
  if (death.type !== "agent-ended") return ENDS.exited;
  const { cause, code = 0 } = death;
  return cause === "exited" && code !== 0 ? `It exited with code ${code}, ${STOPPED}` : ENDS[cause];
}

const STOPPED = "so no verdict that it left counts.";
const ENDS: Readonly<Record<Extract<Incoming, { type: "agent-ended" }>["cause"], string>> = {
  exited: "It ended without leaving what counts.",
  killed: `It was ended before it was done, ${STOPPED}`,
  infrastructure: `It was ended before it was done, ${STOPPED}`,
  outdated: "The work changed while it was reviewed, so no verdict about the earlier work counts.",
  "timed-out": `It was ended because its time was over, ${STOPPED}`,
  stalled: `It was ended because it said nothing for too long, ${STOPPED}`,
};

/**
 * Everything that is wrong with what this agent is to write: what it wrote and does not count, and what a move from here waits for. What
 * somebody has mended since is not wrong any more.
 */
export function faultsOf(
  workflow: Workflow,
  { now, at: run }: { readonly now: Run; readonly at: Run },
  { role, slot }: Author,
): readonly string[] {
  const { artifacts } = workflow.definition;
  const moves = (workflow.movesFrom[run.state] ?? []).filter(({ when }) =>
    when.every((condition) => "artifact" in condition || holds(workflow, run, condition)),
  );
  const isAwaited = (name: string): boolean =>
    moves.some((move) => awaits(move, name)) || now.agents[slotKey(role, slot)]?.fan === name;
  // A file that is read in two ways must be right in the one that is waited for.
  const awaited = new Set(
    Object.keys(artifacts).map((name) => (isAwaited(name) ? artifacts[name]?.file : "")),
  );
  return Object.entries(artifacts).flatMap(([name, { by, each, file }]) => {
    if (!by.includes(role) || file === "" || (awaited.has(file) && !isAwaited(name))) return [];
    const of = { artifact: name, slot: each === undefined ? "" : slot };
    const { standing, reason } = explainedStatusOfSlot(workflow, run, of);
    const isWrong =
      standing === "invalid" || ((standing === "missing" || standing === "stale") && isAwaited(name));
    if (!isWrong || isGood(standingOfSlot(workflow, now, of))) return [];
    const faults = run.held[slotKey(of.artifact, of.slot)]?.reading.faults ?? [];
    const texts = faults.length === 0 ? [fillPath(run, reason, of.slot)] : faults.map(sayFault);
    return texts.map((text) => `${name}: ${oneLine(text)}`);
  });
}

function sayFault({ at, reason }: Fault): string {
  return `${at.file}:${at.line}:${at.col}: ${reason}`;
}
