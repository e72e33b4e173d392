/** What a task has that other runs have not: commands of its own for what a person can do, and questions on its page. */

import { join } from "node:path";
import { readOwn } from "../../../adapters/home/own-file.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import { targetOf, unmet } from "../../../core/gates/gate.ts";
import type { Run } from "../../../core/model/run.ts";
import { isGood } from "../../../core/gates/artifact-status.ts";
import { worth } from "../../../core/gates/status-reason.ts";
import type { Move } from "../../../core/model/workflow.ts";
import { factsNamed } from "../../../engine/supervise/fact.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import { artifactsOf } from "../../../engine/supervise/submit-fact.ts";
import type { Seen } from "../../runs/find.ts";
import type { Choice } from "./choices.ts";
import { sectionOf } from "./findings.ts";

type Of = { readonly workflow: Workflow; readonly run: Run };

const MERGED = "branch-merged";
/** The artifact that holds what an agent wants to know. */
const QUESTIONS = "questions";
const PAGE_BYTES_MAX = 1024 * 1024;
const LINES_MAX = 12;

/** Work that can be called done can be merged, or sent back with words: both do more than the bare move. None outside of projects. */
export async function choicesOfTask({ store, row, run, workflow }: Seen): Promise<Choice[]> {
  if ((await store.projectAt(row.repo)) === undefined) return [];
  const branch = (await store.workspace(run.id))?.branch ?? "";
  const end = branch === "" ? undefined : finishing({ workflow, run });
  if (end === undefined)
    return branch === "" || throughTo({ workflow, run }) === undefined ? [] : [sendBack(run)];
  const back = sendingBack({ workflow, run });
  return [
    {
      command: `signalbox accept ${run.id}`,
      means: `merge ${branch} and finish (${targetOf(run, end)})`,
    },
    ...(back === undefined ? [] : [sendBack(run)]),
  ];
}

function sendBack(run: Run): Choice {
  return {
    command: `signalbox send-back ${run.id} "TEXT"`,
    means: "send it back to the worker with your notes",
  };
}

/** A person can end it well from here, by a merge too: its workflow is about work that is merged. */
function finishing({ workflow, run }: Of): Move | undefined {
  if (artifactsOf(workflow, MERGED).length === 0) return undefined;
  return (workflow.movesFrom[run.state] ?? []).find(
    (move) =>
      isFinishing({ workflow, run }, move) &&
      unmet({ workflow, run, reserved: move.reserve }, move).length === 0,
  );
}

/** A person's move that ends it well, after which it is merged: not one that confirms a merge elsewhere. */
export function isFinishing({ workflow, run }: Of, move: Move): boolean {
  return (
    move.by.includes("human") &&
    move.answer === undefined &&
    workflow.definition.states[targetOf(run, move)]?.final === "done" &&
    factsNamed(workflow, move, MERGED).length === 0
  );
}

/** The person's move that begins a new cycle, which is what a request for changes is. */
export function sendingBack({ workflow, run }: Of): Move | undefined {
  const scopes = new Set(Object.values(workflow.definition.counters).map(({ per }) => per));
  return movesOfPeople({ workflow, run }).find(
    ({ renew, do: actions }) =>
      renew.some((scope) => scopes.has(scope)) && actions.some(({ type }) => type === "tell"),
  );
}

/** The person's move to a state from which the task can be sent back, where it waits and no move sends it back at once. */
export function throughTo({ workflow, run }: Of): Move | undefined {
  const isWaiting = workflow.definition.states[run.state]?.waits === true;
  if (!isWaiting || sendingBack({ workflow, run }) !== undefined) return undefined;
  return movesOfPeople({ workflow, run }).find(
    (move) =>
      unmet({ workflow, run, reserved: move.reserve }, move).length === 0 &&
      sendingBack({ workflow, run: { ...run, state: targetOf(run, move) } }) !== undefined,
  );
}

function movesOfPeople({ workflow, run }: Of): readonly Move[] {
  return (workflow.movesFrom[run.state] ?? []).filter(
    ({ by, answer }) => by.includes("human") && answer === undefined,
  );
}

/** What the page of a run that was set aside asks; empty where nothing is asked. Only for people to read: nothing is decided by it. */
export function askedIn({ workflow, run, root }: Seen): string {
  const declared = workflow.definition.artifacts[QUESTIONS];
  if (!isSetAside({ workflow, run }) || declared?.reader.type !== "section") return "";
  if (!isGood(worth(workflow, run, QUESTIONS).standing)) return "";
  const page = readOwn(join(root, fillPath(run, declared.file, "")), PAGE_BYTES_MAX);
  return page.type === "text" ? under(declared.reader.heading, page.text) : "";
}

/** It waits in a state that somebody who has a question puts it into, and that remembers where it came from. */
export function isSetAside({
  workflow: { definition },
  run,
}: Pick<Of, "workflow"> & { readonly run: Pick<Run, "state"> }): boolean {
  const { moves, states } = definition;
  return states[run.state]?.waits === true && moves.some(({ to, remember }) => remember && to === run.state);
}

function under(heading: string, text: string): string {
  const said = sectionOf(text, heading).trim().split("\n");
  return [...said.slice(0, LINES_MAX), ...(said.length > LINES_MAX ? ["..."] : [])]
    .join("\n")
    .replaceAll("\u001B", "\uFFFD");
}
