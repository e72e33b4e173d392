/** The moves out of the present state: open or closed, why, and the command for each. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import { why, type Why } from "../../core/explain/why.ts";
import { artifactsIn } from "../../core/model/status.ts";
import type { Move } from "../../core/model/workflow.ts";
import { fillPath } from "../../engine/submit/place.ts";
import type { Seen } from "../runs/find.ts";
import { commandsForWays } from "../commands/for-moves.ts";
import { artifactsOf, workSeenAt } from "./work/artifacts.ts";
import { meaningOf } from "./decision/choices.ts";
import { answerCommand, labelled } from "./decision/question.ts";
import type { MoveView } from "./run-view.ts";

export type { MoveView };

/** The name that moves know people by. */
export const PERSON = "human";

/** What goes on comes before what goes back, and ending the run early comes last. */
export async function waysOf(seen: Seen): Promise<MoveView[]> {
  return (await rankedWays(seen)).toSorted((a, b) => a.rank - b.rank).map(({ way }) => way);
}

/** In the order of the workflow. */
async function rankedWays(seen: Seen): Promise<{ readonly rank: number; readonly way: MoveView }[]> {
  const { workflow, run } = seen;
  const moves = workflow.movesFrom[run.state] ?? [];
  const seenAt = moves.some((move) => dependsOnWork(workflow, move)) ? await workSeenAt(seen) : "";
  const all = why(workflow, run);
  const declared = commandsForWays(seen, all);
  return all.flatMap((each, index) => {
    const move = moves[index];
    if (move === undefined) return [];
    const { rank, words } = meaningOf(workflow, run, move);
    const asOf = each.open && dependsOnWork(workflow, move) ? seenAt : "";
    const way = wayOf({ workflow, run }, each, words);
    const command = declared[index] || withWords(way, move);
    return [{ rank, way: { ...way, command, asOf } }];
  });
}

function wayOf(
  { workflow, run }: Pick<Seen, "workflow" | "run">,
  each: Why,
  words: string,
): Omit<MoveView, "asOf"> {
  const [option = ""] = (each.answer ?? "").split("/");
  const label = workflow.definition.asks[run.question?.ask ?? ""]?.options[option]?.label ?? "";
  return {
    to: each.to,
    by: each.by,
    answer: each.answer ?? "",
    open: each.open,
    reasons: each.reasons.map(({ code, message, mend, at }) => ({
      code,
      message: fillPath(run, message, "*"),
      mend,
      ...(at === undefined ? {} : { at }),
    })),
    smallest: each.smallest,
    command: commandFor(workflow, run, each),
    means: labelled(label, words),
  };
}

/** A move that tells an agent also passes on the person's text: work that is sent back without a text does not help the agent. */
function withWords({ command, by }: Pick<MoveView, "command" | "by">, move: Move): string {
  const isTold =
    move.do.some(({ type }) => type === "tell") && by.includes(PERSON) && move.answer === undefined;
  return isTold && command !== "" ? `${command} --note "..."` : command;
}

/** Something that it needs is about the work as it is. */
function dependsOnWork({ definition }: Workflow, move: Move): boolean {
  return artifactsIn(move).some((name) => definition.artifacts[name]?.bind.includes("tree") === true);
}

function commandFor(workflow: Workflow, run: Run, { to, by, answer }: Why): string {
  if (answer !== undefined) return answerCommand(workflow, run, answer);
  return by.every((name) => name === "engine") ? "" : `signalbox move ${run.id} ${to}`;
}

/** What a person may ask for now. */
export async function movesOfPerson(seen: Seen): Promise<MoveView[]> {
  return (await waysOf(seen)).filter((way) => way.open && way.by.includes(PERSON) && way.command !== "");
}

/** The one next command for an agent: an open move of its role, or what it still has to write for one. */
export async function nextForRole(seen: Seen, role: string): Promise<string> {
  const mine = (await rankedWays(seen)).flatMap(({ way }) => (way.by.includes(role) ? [way] : []));
  const open = mine.find((way) => way.open);
  if (open !== undefined) return open.command;
  const missing = (await artifactsOf(seen)).filter(({ by, good }) => by.includes(role) && !good);
  const needed = missing.find((each) => each.wanted);
  if (needed !== undefined) return `signalbox submit ${seen.row.id} ${needed.artifact}`;
  return mine.length > 0 ? `signalbox why ${seen.row.id}` : "";
}
