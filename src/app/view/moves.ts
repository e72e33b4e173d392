/** What somebody can do with a run now, each as the command to type. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import { why, type Why } from "../../core/explain/why.ts";
import type { Move } from "../../core/model/workflow.ts";
import { fillPath } from "../../engine/submit/place.ts";
import { isFinished, type Seen } from "../runs/find.ts";
import { doorsOf } from "../change/door-of.ts";
import { artifactsOf } from "./work/artifacts.ts";
import { workSeenAt } from "./work/work-seen.ts";
import { askingTask, isWaitingForTasks, tasksOf } from "./work/children.ts";
import { meaningOf, type Choice } from "./decision/choices.ts";
import { choicesOfTask, sendingBack } from "./decision/task-choices.ts";
import { answerCommand, choicesOf, labelled, questionOf } from "./decision/question.ts";
import { choicesOfForeign } from "./decision/foreign-edits.ts";
import type { MoveView } from "./run-view.ts";
import { deadlockOf, isStranded, troubleOf } from "./status/trouble.ts";

export type { MoveView };

/** The name that moves know people by. */
export const PERSON = "human";

/** What goes on comes before what goes back, and ending the run early comes last. */
export function waysOf(seen: Seen): MoveView[] {
  return rankedWays(seen)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ way }) => way);
}

/** In the order of the workflow. */
function rankedWays(seen: Seen): { readonly rank: number; readonly way: MoveView }[] {
  const { workflow, run } = seen;
  const moves = workflow.movesFrom[run.state] ?? [];
  const seenAt = moves.some((move) => dependsOnWork(workflow, move)) ? workSeenAt(seen) : "";
  const all = why(workflow, run);
  const doors = doorsOf(seen, all);
  return all.flatMap((each, index) => {
    const move = moves[index];
    if (move === undefined) return [];
    const { rank, words } = meaningOf(workflow, run, move);
    const asOf = each.open && dependsOnWork(workflow, move) ? seenAt : "";
    const way = wayOf({ workflow, run }, each, words);
    const command = doors[index] || withWords(way, move);
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

/** Where somebody is told of the move, they are told what was said with it: what a person sends back without a word helps nobody. */
function withWords({ command, by }: Pick<MoveView, "command" | "by">, move: Move): string {
  const isTold =
    move.do.some(({ type }) => type === "tell") && by.includes(PERSON) && move.answer === undefined;
  return isTold && command !== "" ? `${command} --note "..."` : command;
}

/** Something that it needs is about the work as it is. */
function dependsOnWork({ definition }: Workflow, { need, when }: Move): boolean {
  const named = when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : []));
  return [...need, ...named].some((name) => definition.artifacts[name]?.bind.includes("tree") === true);
}

function commandFor(workflow: Workflow, run: Run, { to, by, answer }: Why): string {
  if (answer !== undefined) return answerCommand(workflow, run, answer);
  return by.every((name) => name === "engine") ? "" : `signalbox move ${run.id} ${to}`;
}

/** The one next command for a person. */
export function nextForPerson(seen: Seen): string {
  const { store, row, run } = seen;
  const trouble = troubleOf(store, row);
  const [look] = isFinished(row) || row.halted ? [] : choicesOfForeign(seen);
  if (look !== undefined) return look.command;
  const mend = commandIn(trouble);
  if (mend !== "") return mend;
  if (isFinished(row)) return `signalbox history ${row.id}`;
  if (row.halted || trouble !== "" || isStranded(seen)) return `signalbox resume ${row.id}`;
  if (run.question !== undefined) return `signalbox answer ${run.id} VALUE`;
  if (row.status === "waiting" || deadlockOf(seen) !== undefined)
    return choicesOfPerson(seen)[0]?.command ?? `signalbox why ${row.id}`;
  return isWaitingForTasks(seen) ? nextOfTasks(seen) : `signalbox logs ${row.id} -f`;
}

/** While its tasks are under way, there is nothing to see in the run itself. */
function nextOfTasks(seen: Seen): string {
  const asking = askingTask(seen);
  if (asking !== undefined) return nextForPerson(asking.seen);
  const busy = tasksOf(seen).find(({ status }) => status === "running");
  return busy === undefined ? `signalbox show ${seen.row.id}` : `signalbox logs ${busy.run} -f`;
}

/** What a person may ask for now. */
function movesOfPerson(seen: Seen): MoveView[] {
  return waysOf(seen).filter((way) => way.open && way.by.includes(PERSON) && way.command !== "");
}

/** Everything that a person can type now, and where each leads. */
export function choicesOfPerson(seen: Seen): Choice[] {
  const question = questionOf(seen);
  const more = choicesOfTask(seen);
  // The bare way back says nothing that the request for changes does not.
  const back = more.length === 0 ? undefined : sendingBack(seen)?.to;
  const moves = movesOfPerson(seen).filter(({ answer, to }) => answer === "" && to !== back);
  const early = moves.filter((way) => isEarlyEnd(seen, way));
  const on = moves.filter((way) => !early.includes(way));
  const isMergeable = more.some(({ command }) => command.startsWith("signalbox task merge "));
  return [
    ...choicesOfForeign(seen),
    ...(question === undefined ? [] : choicesOf(question)),
    ...more,
    ...on.map(({ command, means, to }) => ({
      command,
      means: isMergeable && isGoodEnd(seen, to) ? UNMERGED : means,
    })),
    ...choicesOfDeadlock(seen),
    ...early.map(({ command, means }) => ({ command, means })),
  ];
}

/** Beside the command that merges, the bare move must say what it leaves out. */
const UNMERGED = "mark it done WITHOUT merging (the branch stays)";

function isGoodEnd({ workflow }: Seen, to: string): boolean {
  return workflow.definition.states[to]?.final === "done";
}

function isEarlyEnd({ workflow }: Seen, { to }: MoveView): boolean {
  const final = workflow.definition.states[to]?.final;
  return final === "cancelled" || final === "failed";
}

/** What opens a move for a person while nobody else can act. */
function choicesOfDeadlock(seen: Seen): readonly Choice[] {
  const deadlock = deadlockOf(seen);
  if (deadlock === undefined) return [];
  const { run, workflow } = seen;
  const fileOf = (name: string): string =>
    fillPath(run, workflow.definition.artifacts[name]?.file ?? "", "*") || name;
  return [
    ...deadlock.submittable.map((name) => ({
      command: `signalbox submit ${run.id} ${name}`,
      means: `submit ${fileOf(name)} yourself`,
    })),
    ...deadlock.restorable.map((name) => ({
      command: `signalbox resume ${run.id}`,
      means: `after you have restored ${fileOf(name)} as it was accepted`,
    })),
    ...deadlock.waivable.map((name) => ({
      command: `signalbox waive ${run.id} ${name} --reason "..."`,
      means: `pass the gate without ${name}`,
    })),
  ];
}

/** The one next command for an agent: an open move of its role, or what it still has to write for one. */
export function nextForRole(seen: Seen, role: string): string {
  const mine = rankedWays(seen).flatMap(({ way }) => (way.by.includes(role) ? [way] : []));
  const open = mine.find((way) => way.open);
  if (open !== undefined) return open.command;
  const missing = artifactsOf(seen).filter(({ by, good }) => by.includes(role) && !good);
  const needed = missing.find((each) => each.wanted);
  if (needed !== undefined) return `signalbox submit ${seen.row.id} ${needed.artifact}`;
  return mine.length > 0 ? `signalbox why ${seen.row.id}` : "";
}

/** What is said about a run that needs attention ends with the command that mends it; others may stand before it. */
function commandIn(attention: string): string {
  return /^(?:[^]*[\s:(])?(signalbox [^;]+)$/.exec(attention)?.[1] ?? "";
}
