/**
 * What a person can type now, with what each command does. The only place where actions are made: every screen prints these.
 *
 * Verbs come first, because they mean the same in every workflow. Open moves that no verb covers are `others`; where no verb is
 * open, they are all that there is.
 */

import { chosenFrom, waysFor, type VerbWay } from "../../core/explain/verbs.ts";
import { targetOf } from "../../core/gates/gate.ts";
import type { Run } from "../../core/model/run.ts";
import { VERBS, type Move, type Verb } from "../../core/model/workflow.ts";
import { factsNamed } from "../../engine/supervise/fact.ts";
import type { Park } from "../../engine/ports/parks.ts";
import { harnessIn } from "../../engine/queue/parks.ts";
import { inLine } from "../../engine/queue/position.ts";
import { fillPath } from "../../engine/submit/place.ts";
import { commandIn, typedAbout } from "../commands/for-moves.ts";
import { isFinished, type Seen } from "../runs/find.ts";
import { FAILED, meaningOf, type Choice } from "./decision/choices.ts";
import { choicesOfForeign } from "./decision/foreign-edits.ts";
import { choicesOfLanded, MERGED } from "./decision/merged-elsewhere.ts";
import { isPermission, permissionActions, permissionOf } from "./decision/permission.ts";
import { labelled, questionOf, type QuestionView } from "./decision/question.ts";
import { shownWord } from "./decision/shown-digest.ts";
import { impliedBack } from "./decision/task-choices.ts";
import { movesOfPerson, PERSON } from "./moves.ts";
import type { ActionCall, ActionView, ClosedView, MoveView } from "./run-view.ts";
import { isForPerson as lastsForPerson, parkOf } from "./status/parked.ts";
import { deadlockOf, isStranded, isUntrusted, troubleOf } from "./status/trouble.ts";
import { isAfterDeath } from "./status/waits.ts";
import { askingTask, isWaitingForTasks, tasksOf } from "./work/children.ts";
import { leftOf } from "./work/kept-files.ts";
import { toYou } from "./words.ts";

export type Actions = {
  /** What you can type, the most likely first. */
  readonly actions: readonly ActionView[];
  /** Open moves that no verb covers. */
  readonly others: readonly ActionView[];
  /** Verbs that the workflow has here, and why they do not work now. */
  readonly closed: readonly ClosedView[];
};

export async function actionsOf(seen: Seen): Promise<Actions> {
  const { row } = seen;
  if (isFinished(row)) return { actions: (await leftOf(seen)).choices.map(actionOf), others: [], closed: [] };
  const repairs = await repairsOf(seen);
  const others = await othersOf(seen);
  const asked = permissionOf(seen.run);
  if (asked !== undefined && !(await isHeldUp(seen)))
    return { actions: permissionActions(seen.run.id, asked), others, closed: [] };
  if (!(await isForPerson(seen)))
    return { actions: [...repairs, ...choicesOfLanded(seen).map(actionOf)], others, closed: [] };
  const closed = closedIn(seen);
  const all = [...(await verbsIn(seen)), ...others];
  const isEnd = ({ verb }: ActionView): boolean => verb === "cancel";
  const ends = all.filter(isEnd).slice(0, 1);
  const decisions = all.filter((action) => !isEnd(action) && !others.includes(action));
  const moves = others.filter((action) => !isEnd(action));
  // What went wrong comes first, and keeps nobody from an open move.
  if (await isHeldUp(seen))
    return { actions: [...repairs, ...ends], others: [...decisions, ...moves], closed };
  // A question tells its cause itself.
  const isUntold = repairs.length === 0 && seen.run.question === undefined;
  const logs = isUntold && (await isAfterDeath(seen)) ? [logsOf(seen)] : [];
  if (decisions.length > 0 || repairs.some(({ verb }) => verb !== undefined))
    return { actions: [...repairs, ...decisions, ...logs, ...ends], others: moves, closed };
  return { actions: [...repairs, ...moves, ...(await choicesOfDeadlock(seen)), ...ends], others: [], closed };
}

/** Something went wrong, or a person stopped it. */
async function isHeldUp({ store, row }: Seen): Promise<boolean> {
  return row.halted || (await troubleOf(store, row)) !== "" || lastsForPerson(await parkOf(store, row.id));
}

/** The one next command for a person. A caller that knows the actions passes them, because they take a while to work out. */
export async function nextForPerson(seen: Seen, known?: Pick<Actions, "actions">): Promise<string> {
  const { row } = seen;
  const actions = isFinished(row) ? [] : (known ?? (await actionsOf(seen))).actions;
  // Whoever wanted something else must not be led to end the run.
  const first = actions.find(({ verb }) => verb !== "cancel");
  if (first !== undefined) return first.command;
  if (isFinished(row)) return `signalbox history ${row.id}`;
  if (await isForPerson(seen)) return `signalbox why ${row.id}`;
  if ((await inLine(seen.store)).has(row.id)) return `signalbox follow ${row.id}`;
  return (await isWaitingForTasks(seen)) ? nextOfTasks(seen) : `signalbox logs ${row.id} -f`;
}

/** While its tasks are under way, there is nothing to see in the run itself. */
async function nextOfTasks(seen: Seen): Promise<string> {
  const asking = await askingTask(seen);
  if (asking !== undefined) return nextForPerson(asking.seen);
  const busy = (await tasksOf(seen)).find(({ status }) => status === "running");
  return busy === undefined ? `signalbox show ${seen.row.id}` : `signalbox logs ${busy.run} -f`;
}

/** A choice in the words of an action. */
function actionOf({ command, means, takes }: Choice): ActionView {
  return { command, sentence: toYou(means), ...(takes === undefined ? {} : { takes }) };
}

/** A run in the queue starts by itself; what went wrong or was stopped is a person's. */
async function isForPerson(seen: Seen): Promise<boolean> {
  const { store, row, run } = seen;
  if ((await isHeldUp(seen)) || isStranded(seen) || (await deadlockOf(seen)) !== undefined) return true;
  return row.status === "waiting" && !(await inLine(store)).has(run.id);
}

/** What holds the run up and is no decision: a changed text, something that failed, a stop, a crash. */
async function repairsOf(seen: Seen): Promise<readonly ActionView[]> {
  const { store, row, run } = seen;
  const foreign = row.halted ? [] : await choicesOfForeign(seen);
  if (foreign.length > 0) return foreign.map(actionOf);
  const trouble = await troubleOf(store, row);
  if (trouble !== "") return [repairOf(seen, trouble)];
  if (row.halted) return [{ command: `signalbox resume ${run.id}`, sentence: "let it go on" }];
  const park = await parkOf(store, run.id);
  if (park !== undefined) return [retryOf(run, park)];
  if (!isStranded(seen) || hasRetry(seen)) return [];
  const roles = Object.values(run.agents).flatMap(({ status, role }) => (status === "crashed" ? [role] : []));
  return [
    {
      command: `signalbox retry ${run.id}`,
      sentence: `start the ${[...new Set(roles)].join(" and the ")} again`,
      verb: "retry",
      call: callOf(run, "retry", { words: "none" }),
    },
    logsOf(seen),
  ];
}

/** A park of a harness ends for all its runs. */
export function retryOf(run: Run, park: Park): ActionView {
  const { until, next } = park;
  const all = harnessIn(park) === "" ? "try it again" : `try ${harnessIn(park)} again, for all its runs`;
  return {
    command: `signalbox retry ${run.id}`,
    sentence:
      until === 0 ? (next === "" ? all : `${all}, after you did this: ${next}`) : `${all}, before its time`,
    verb: "retry",
    call: callOf(run, "retry", { words: "none" }),
  };
}

function logsOf({ run }: Seen): ActionView {
  return { command: `signalbox logs ${run.id}`, sentence: "print what the agent printed" };
}

/** A message about trouble may end with the command that repairs it. */
function repairOf({ run, row }: Seen, trouble: string): ActionView {
  if (isUntrusted(trouble))
    return {
      command: "signalbox trust",
      sentence: `look at what ${row.repo}/.signalbox runs, and allow it: the run goes on then`,
    };
  const said = /^(?:[^]*[\s:(])?(signalbox [^;]+)$/.exec(trouble)?.[1] ?? "";
  const retry = `signalbox retry ${run.id}`;
  if (said === "" || said === `signalbox resume ${run.id}`)
    return {
      command: retry,
      sentence: "try it again",
      verb: "retry",
      call: callOf(run, "retry", { words: "none" }),
    };
  return { command: said, sentence: "repair it" };
}

/** The definition says what trying again means here: a crashed agent is not what holds the run up. */
function hasRetry({ workflow, run }: Seen): boolean {
  const isWaiting = workflow.definition.states[run.state]?.waits === true;
  return isWaiting && waysFor({ workflow, run }, "retry").open.length > 0;
}

/** One action for each answer of an open question, and for each way of each verb beside it. */
async function verbsIn(seen: Seen): Promise<readonly ActionView[]> {
  const question = await questionOf(seen);
  const answers = question === undefined ? [] : await optionsOf(seen, question);
  const moves = openWays(seen).filter(({ way }) => way.kind !== "answer");
  return [
    ...answers,
    ...(await Promise.all(moves.map((each) => actionOfWay(seen, { ...each, option: undefined })))),
  ];
}

/** Every answer that counts now, in the order of the question: by its verb where it has one. */
export async function optionsOf(seen: Seen, question: QuestionView): Promise<readonly ActionView[]> {
  const { options } = question;
  if (isPermission(question)) return permissionActions(seen.run.id, question);
  const ways = openWays(seen).filter(({ way }) => way.kind === "answer");
  return Promise.all(
    options.map(async (option) => {
      const meant = ways.find(({ way }) => way.name === option.value);
      return meant === undefined ? answerAction(seen, option) : actionOfWay(seen, { ...meant, option });
    }),
  );
}

/** What is nearest to open is said last by the definition. That the work was merged elsewhere is nothing that a person waits for. */
function closedIn(seen: Seen): readonly ClosedView[] {
  const { workflow, run } = seen;
  const observed = (workflow.movesFrom[run.state] ?? []).filter(
    (move) => factsNamed(workflow, move, MERGED).length > 0,
  );
  return VERBS.flatMap((verb) => {
    const { open, closed } = waysFor(seen, verb);
    const last = open.length > 0 ? undefined : closed.at(-1);
    const isOnly = closed.filter(({ name }) => name === last?.name).length === 1;
    const nearest = isOnly && observed.some((move) => targetOf(run, move) === last?.name) ? undefined : last;
    return nearest === undefined ? [] : [{ verb, reason: nearest.reason }];
  });
}

function openWays(seen: Seen): readonly Omit<OfferedWay, "option">[] {
  return VERBS.flatMap((verb) => {
    const all = chosenFrom(waysFor(seen, verb).open);
    // Whichever way ends it, the command is the same.
    const chosen = verb === "cancel" ? all.slice(0, 1) : all;
    return chosen.map((way) => ({ verb, way, isOne: chosen.length === 1 }));
  }).toSorted((a, b) => riskOf(seen, a) - riskOf(seen, b));
}

/**
 * To accept what no review passed comes after everything else, but for ending the run. Where no review failed either, there is
 * nothing to send back: trying again comes first.
 */
function riskOf({ run }: Seen, { verb, way }: Omit<OfferedWay, "option">): number {
  if (verb === "cancel") return 3;
  if (verb === "accept" && way.waives.some((name) => !isPassed(run, name))) return 2;
  return verb === "send-back" && way.waives.length > 0 && failedIn(run, way).length === 0 ? 1 : 0;
}

function isPassed({ held }: Seen["run"], name: string): boolean {
  const { reading } = held[name] ?? {};
  return reading?.found === true && !FAILED.has(reading.verdict ?? "");
}

function failedIn({ held }: Seen["run"], { waives }: VerbWay): readonly string[] {
  return waives.filter((name) => FAILED.has(held[name]?.reading.verdict ?? ""));
}

type OfferedWay = {
  readonly verb: Verb;
  readonly way: VerbWay;
  /** The verb means nothing else here. */
  readonly isOne: boolean;
  readonly option: QuestionView["options"][number] | undefined;
};

async function actionOfWay(seen: Seen, { verb, way, isOne, option }: OfferedWay): Promise<ActionView> {
  // A program that answers must name the option, so that its words are not taken for one.
  if (verb === "answer" && option !== undefined) return answerAction(seen, option);
  const { workflow, run } = seen;
  const sentence = toYou(
    option === undefined ? await sayWay(seen, verb, way) : labelled(option.label, option.means),
  );
  if (verb === "cancel") return cancelAction(run, sentence, way.text);
  const shown = option === undefined ? "" : shownWord(workflow, run);
  const declared =
    option === undefined && isOne ? commandIn(workflow.definition, run.state, verb) : undefined;
  const command = [
    declared === undefined ? `signalbox ${verb} ${run.id}` : typedAbout(seen, declared),
    ...(way.text === "required" ? ['"TEXT"'] : []),
    ...(isOne ? [] : [`--to ${way.name}`]),
    ...(shown === "" ? [] : [`--shown ${shown}`]),
  ].join(" ");
  return {
    command,
    sentence,
    ...(way.text === "optional" ? { takes: '["TEXT"]' } : {}),
    verb,
    call: callOf(run, verb, {
      words: way.text,
      ...(isOne ? {} : { to: way.name }),
      ...(shown === "" ? {} : { shown }),
    }),
  };
}

function cancelAction(run: Run, sentence: string, words: ActionCall["words"] = "optional"): ActionView {
  return {
    command: `signalbox cancel ${run.id}`,
    sentence,
    verb: "cancel",
    call: callOf(run, "cancel", { words }),
  };
}

function answerAction(
  { workflow, run }: Seen,
  { command, value, label, means, text }: QuestionView["options"][number],
): ActionView {
  const shown = shownWord(workflow, run);
  return {
    command,
    sentence: toYou(labelled(label, means)),
    ...(text === "optional" ? { takes: "[--text TEXT]" } : {}),
    call: callOf(run, "answer", { words: text, value, ...(shown === "" ? {} : { shown }) }),
  };
}

/** A decision is about the state that the person saw: after another visit of a state it is refused. */
function callOf(
  { id, entry, question }: Run,
  use: Verb,
  { words, ...more }: Pick<ActionCall, "words"> & { readonly [field in "value" | "to" | "shown"]?: string },
): ActionCall {
  const about = question === undefined ? id : `${id}/${question.id}`;
  return { use, input: { ...(use === "answer" ? { decision: about } : { run: id }), entry, ...more }, words };
}

/** What a verb does here, in the words of people. */
async function sayWay(seen: Seen, verb: Verb, way: VerbWay): Promise<string> {
  const { workflow, run } = seen;
  const move = lastMove(seen, way);
  const told =
    move?.do.flatMap((action) =>
      action.type === "tell" || action.type === "start" ? [action.role] : [],
    )[0] ?? "";
  const whom = told === "" ? "" : ` the ${told}`;
  const failed = verb === "accept" ? failedIn(run, way) : [];
  const waiving = failed.length === 0 ? "" : `; you answer for the failed ${failed.join(" and ")}`;
  switch (verb) {
    case "answer":
      return `answer${whom}, who goes on in ${way.to}`;
    case "send-back":
      return told === ""
        ? `send it back with your notes: ${way.to}`
        : `send it back to${whom} with your notes`;
    case "retry":
      return told === "" ? `try again: ${way.to}` : `try again:${whom} learns what failed`;
    case "accept":
      if (way.deliver === true) return `${await sayDelivery(seen, way)}${waiving}`;
      if (isBeginning(seen, move)) return `start it: ${named(seen, way.to)}`;
      return move === undefined ? `on to ${named(seen, way.to)}` : meaningOf(workflow, run, move).words;
    case "cancel":
      return "end it early";
  }
}

/** Nothing of it has run, and a person's move reserves what it needs. */
function isBeginning({ run }: Seen, move: Move | undefined): boolean {
  return move !== undefined && move.reserve.length > 0 && Object.keys(run.attempts).length === 0;
}

async function sayDelivery({ store, run }: Seen, { to }: VerbWay): Promise<string> {
  const branch = (await store.workspace(run.id))?.branch ?? "";
  return branch === "" ? `merge it and finish (${to})` : `merge ${branch} and finish (${to})`;
}

function named({ workflow }: Seen, state: string): string {
  const title = workflow.definition.states[state]?.title ?? "";
  return title === "" ? state : `${state} (${title})`;
}

/** The move that a way ends with. */
function lastMove({ workflow, run }: Seen, { steps, to }: VerbWay): Move | undefined {
  const before = steps.at(-2);
  const from = before?.type === "move" ? before.to : run.state;
  return (workflow.movesFrom[from] ?? []).find(
    (move) => move.by.includes(PERSON) && move.answer === undefined && targetOf(run, move) === to,
  );
}

/** Open moves of people that no verb covers; the commands that a workflow has for them come first. */
async function othersOf(seen: Seen): Promise<readonly ActionView[]> {
  const ways = VERBS.flatMap((verb) => waysFor(seen, verb).open);
  const isMerging = ways.some(({ deliver }) => deliver === true);
  const isCovered = ({ to }: MoveView): boolean =>
    ways.some((way) => way.kind === "move" && way.to === to && way.deliver !== true);
  const open = (await movesOfPerson(seen)).filter((move) => move.answer === "" && !isCovered(move));
  const back = impliedBack(seen);
  const way = open.some(({ to }) => to === back?.to) ? back : undefined;
  const moves = open.filter(({ to }) => to !== way?.to);
  const early = ["cancelled", "failed"].flatMap((end) => moves.filter(({ to }) => finalOf(seen, to) === end));
  const sayMove = ({ command, means, to }: MoveView): ActionView => ({
    command,
    sentence: isMerging && finalOf(seen, to) === "done" ? UNMERGED : toYou(means),
  });
  return [
    ...(way === undefined
      ? []
      : [await actionOfWay(seen, { verb: "send-back", way, isOne: true, option: undefined })]),
    ...moves.filter((move) => !early.includes(move)).map(sayMove),
    ...early.map((move, at) => (at === 0 ? cancelling(seen, move) : sayMove(move))),
  ];
}

/** A workflow need not mark what cancels a run: the verb finds the move. */
function cancelling({ run }: Seen, { means }: MoveView): ActionView {
  return cancelAction(run, toYou(means));
}

/** Beside the command that merges, the bare move must say what it leaves out. */
const UNMERGED = "mark it done WITHOUT merging (the branch stays)";

function finalOf({ workflow }: Seen, state: string): string | undefined {
  return workflow.definition.states[state]?.final;
}

/** What opens a move for a person while nobody else can act. */
async function choicesOfDeadlock(seen: Seen): Promise<readonly ActionView[]> {
  const deadlock = await deadlockOf(seen);
  if (deadlock === undefined) return [];
  const { run, workflow } = seen;
  const fileOf = (name: string): string =>
    fillPath(run, workflow.definition.artifacts[name]?.file ?? "", "*") || name;
  return [
    ...deadlock.submittable.map((name) => ({
      command: `signalbox submit ${run.id} ${name}`,
      sentence: `submit ${fileOf(name)} yourself`,
    })),
    ...deadlock.restorable.map((name) => ({
      command: `signalbox retry ${run.id}`,
      sentence: `after you have restored ${fileOf(name)} as it was accepted`,
    })),
    ...deadlock.waivable.map((name) => ({
      command: `signalbox waive ${run.id} ${name} --reason "..."`,
      sentence: `pass the gate without ${name}`,
    })),
  ];
}
