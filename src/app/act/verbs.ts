/**
 * A verb of people on a run: accept, send-back, retry, cancel, answer.
 *
 * The definition says what a verb means. All moves of a path are one event: they are taken together, or the run stays where it is. Only
 * a path that also answers a question is more than one event; killed in between, the run asks that question, and the same verb leads on.
 */

import { filtered, firstOf } from "../../engine/lists.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isBlank } from "../../core/text/blank.ts";
import { targetOf } from "../../core/gates/gate.ts";
import { finished } from "../../core/step/refuse.ts";
import { chosenFrom, waysFor, type VerbWay } from "../../core/explain/verbs.ts";
import type { Verb } from "../../core/model/workflow.ts";
import { explainedStatus } from "../../core/gates/status-reason.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Facts } from "../../core/model/event.ts";
import { factsNamed } from "../../engine/supervise/fact.ts";
import { factsOf } from "../../engine/submit/facts.ts";
import { answeredBefore, eventKey, requireWorkspace, runOf, type Acting, type Done } from "../context.ts";
import { deliver, type Delivery, type MergeData } from "../deliver/merge.ts";
import { EXIT_GATE, EXIT_NOT_YOURS, EXIT_OK } from "../exit-codes.ts";
import { isUnknownRun, NEEDS_TEXT } from "../failure.ts";
import type { Outcome } from "../outcome.ts";
import { conflict, refusal } from "../refusal.ts";
import { isFinished, type Seen } from "../runs/find.ts";
import { requireKept, seenOf } from "../runs/load.ts";
import { taskOf } from "../runs/task.ts";
import type { InputOf } from "../schemas.ts";
import { askingTasks, type Asking } from "../view/work/children.ts";
import { actionsOf, nextForPerson } from "../view/actions.ts";
import { questionOf } from "../view/decision/question.ts";
import { MERGED } from "../view/decision/merged-elsewhere.ts";
import { shownWord } from "../view/decision/shown-digest.ts";
import { impliedBack } from "../view/decision/task-choices.ts";
import { firstLine } from "../view/words.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { answerWith } from "./question/answer-with.ts";
import { moveTo } from "./move.ts";
import { requireEntry, whileDeciding } from "./one-decision.ts";
import { lookAgain } from "./question/refresh-question.ts";
import { resumeRun, resumedBefore, type Resumed } from "./run/resume.ts";
import { sayWaived } from "./artifact/waived.ts";
import { whichRunFor } from "./which-run.ts";
import { noteOf, submitWords, wordsText } from "./words.ts";

export type VerbCall = Omit<InputOf<"accept">, "run" | "project" | "either"> & {
  readonly verb: Verb;
  readonly run: string;
};

export type VerbOutcome = Outcome<Acknowledgement | MergeData>;

const SAID: Readonly<
  Record<Verb, { readonly done: string | undefined; readonly not: string; readonly nothing: string }>
> = {
  accept: { done: "accepted", not: "cannot be accepted", nothing: "there is nothing to accept" },
  "send-back": { done: "sent back", not: "cannot be sent back", nothing: "there is nothing to send back" },
  retry: { done: "tried again", not: "cannot be tried again", nothing: "there is nothing to try again" },
  // The state that it leads to says it.
  cancel: { done: undefined, not: "cannot be cancelled", nothing: "no move of a person cancels it" },
  answer: { done: "answered", not: "cannot be answered", nothing: "nothing is asked" },
};

/** What earlier moves of a path are for. */
const PURPOSE: Readonly<Record<Verb, string>> = {
  accept: "to accept it",
  "send-back": "to send it back",
  retry: "to try it again",
  cancel: "to cancel it",
  answer: "to answer it",
};

export function accept(on: Acting, input: InputOf<"accept">): Promise<VerbOutcome> {
  return byVerb(on, "accept", input);
}

export function sendBack(on: Acting, input: InputOf<"send-back">): Promise<VerbOutcome> {
  return byVerb(on, "send-back", input);
}

export function retry(on: Acting, input: InputOf<"retry">): Promise<VerbOutcome> {
  return byVerb(on, "retry", input);
}

async function byVerb(on: Acting, verb: Verb, input: InputOf<"accept">): Promise<VerbOutcome> {
  const { to, shown, entry, delivery } = input;
  const meant = await runAndText(on, input).catch(async (error: unknown) => {
    throw (await whichRunFor(on, { verb, able: SAID[verb].not.replace("cannot", "can") }, error)) ?? error;
  });
  return carryOut(on, { ...meant, verb, to, shown, entry, delivery, key: eventKey(on, input.key) });
}

/** One word is the run, unless no run is called that and the caller is in one: then it is the text. */
async function runAndText(
  on: Acting,
  { run, project, text, either }: InputOf<"send-back">,
): Promise<Pick<VerbCall, "run" | "text">> {
  const find = async (word: string | undefined): Promise<string> =>
    project === undefined ? runOf(on, word) : taskOf(on, word, project);
  if (either !== true) return { run: await find(run), text };
  try {
    return { run: await find(run), text };
  } catch (error) {
    const here = (await on.box.store.workspaceAt(on.door.cwd))?.run;
    if (here === undefined || !isUnknownRun(error)) throw error;
    return { run: here, text: run };
  }
}

/** Whether the definition gives the verb a meaning where the run is, open or not. */
export function hasVerb({ workflow, run }: Pick<Seen, "workflow" | "run">, verb: Verb): boolean {
  const { open, closed } = waysFor({ workflow, run }, verb);
  return open.length + closed.length > 0;
}

export async function carryOut(on: Acting, call: VerbCall): Promise<VerbOutcome> {
  return whileDeciding(on, call.run, () => decide(on, call));
}

async function decide(on: Acting, call: VerbCall): Promise<VerbOutcome> {
  const { verb, run: id, key, to } = call;
  const known = await keyUsed(on, id, key);
  if (known !== undefined) return acknowledge(await moveTo(on, { ...known, to: "" }));
  const before = await seenOf(on, id);
  requireEntry(before, call.entry);
  const earlier = verb === "retry" ? await resumedBefore(on, before, key) : undefined;
  if (earlier !== undefined) return acknowledge(earlier, SAID.retry.done);
  // Work that was called done without delivering it can still be delivered; what was delivered is not delivered twice.
  const isAsked = verb === "accept" && (to === undefined || to === before.run.state);
  if (isAsked && (await isUndelivered(on, before))) return deliver(on, id, deliveryOf(call));
  if (isFinished(before.row)) throw refusal(finished(before.run));
  const isAsShown = call.shown === undefined || call.shown === shownWord(before.workflow, before.run);
  const resumed =
    verb === "retry" && to === undefined && isAsShown ? await tryAgain(on, before, call) : undefined;
  if (resumed !== undefined) return resumed;
  const seen = await seenOf(on, id);
  const { workflow, run } = seen;
  const { open, closed } = waysFor({ workflow, run, facts: await factsFor(on, seen, verb) }, verb);
  const child = open.length === 0 && verb !== "cancel" ? await onlyAskingTask(seen, verb) : undefined;
  if (child !== undefined) {
    const outcome = await carryOut(on, {
      ...call,
      run: child.seen.run.id,
      entry: undefined,
      key: keyBelow(id, key),
    });
    const told = `task ${child.task} of ${id} waits for you: this went to ${child.seen.run.id}`;
    return { ...outcome, notes: [told, ...outcome.notes] };
  }
  if (call.shown !== undefined && call.shown !== shownWord(workflow, run))
    throw conflict(id, `what ${sayRun(seen)} asks has changed since it was shown as ${call.shown}`);
  const chosen = chosenFrom(open, to);
  const implied = verb === "send-back" ? impliedBack(seen) : undefined;
  const [way = to === undefined || to === implied?.to ? implied : undefined, another] = chosen;
  if (way === undefined && closed.length > 0) await requireWorkspace(on, id);
  // Delivering knows best what keeps it from happening.
  const isDelivering = (workflow.movesFrom[run.state] ?? []).some(
    (move) => move.mark?.deliver === true && (to === undefined || to === targetOf(run, move)),
  );
  if (way === undefined && verb === "accept" && isDelivering) return deliver(on, id, deliveryOf(call));
  if (way === undefined) throw await notOpen(seen, call, { open, closed });
  if (another !== undefined) throw whichWay(seen, call, chosen);
  return walk(on, seen, { ...call, way, text: wordsFor(seen, call, way) });
}

/** If several tasks of a run wait for a person, the person must say which one is meant. */
export async function onlyAskingTask(seen: Seen, verb: Verb): Promise<Asking | undefined> {
  const waiting = await askingTasks(seen);
  const all = await filtered(waiting, (each) => isMeant(each.seen, verb));
  if (all.length < 2) return all[0] ?? waiting[0];
  const names = all.map(({ task, seen: { run } }) => `${task} (${run.id})`).join(", ");
  throw new UserError("which-decision", `${all.length} tasks of ${seen.run.id} wait for you: ${names}`, {
    next: all.map((each) => `signalbox ${verb} ${each.seen.run.id}`).join(", or: "),
    exit: EXIT_GATE,
  });
}

/** A run can be cancelled also where git cannot read its work. */
async function factsFor({ box }: Acting, seen: Seen, verb: Verb): Promise<Facts> {
  try {
    return await factsOf(box, seen, seen.workflow);
  } catch (error) {
    if (verb === "cancel" && error instanceof UserError) return {};
    throw error;
  }
}

async function isMeant(seen: Seen, verb: Verb): Promise<boolean> {
  return hasVerb(seen, verb) || (verb === "answer" && (await questionOf(seen)) !== undefined);
}

/**
 * The run that has acknowledged this key, and the key there: the run itself, or a task of it that an earlier call went to, also one
 * that has ended since. A key that was used on a task itself is another key.
 */
export async function keyUsed(
  on: Acting,
  id: string,
  key: string | undefined,
): Promise<{ readonly run: string; readonly key: string } | undefined> {
  if (key === undefined) return undefined;
  const below = keyBelow(id, key);
  const places = [
    { run: id, key },
    ...(await allBelow(on.box.store, id)).map((run) => ({ run, key: below })),
  ];
  return firstOf(places, async (place) => (await answeredBefore(on, place.run, place.key)) !== undefined);
}

export function keyBelow(id: string, key: string): string;
export function keyBelow(id: string, key: string | undefined): string | undefined;
export function keyBelow(id: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${id}/${key}`;
}

async function allBelow(store: Store, id: string): Promise<readonly string[]> {
  const own = (await store.childrenOf(id)).flatMap(({ run }) => (run === "" ? [] : [run]));
  return (await Promise.all(own.map(async (run) => [run, ...(await allBelow(store, run))]))).flat();
}

async function isUndelivered({ box }: Acting, { workflow: { definition }, run }: Seen): Promise<boolean> {
  const marks = [...definition.moves.map(({ mark }) => mark), ...(definition.verbs ?? [])];
  return (
    definition.states[run.state]?.final === "done" &&
    marks.some((mark) => mark?.deliver === true) &&
    ((await box.store.workspace(run.id))?.branch ?? "") !== ""
  );
}

/**
 * What holds the run up and is not a decision comes before the verb of the definition. Where the run waits for a person who can have
 * it tried again, an agent that has crashed there is not what holds it up.
 */
async function tryAgain(
  on: Acting,
  seen: Seen,
  { text = "", key }: VerbCall,
): Promise<VerbOutcome | undefined> {
  const { workflow, run, row } = seen;
  const isForPerson = workflow.definition.states[run.state]?.waits === true;
  if (
    isForPerson &&
    !row.halted &&
    row.attention === "" &&
    waysFor({ workflow, run }, "retry").open.length > 0
  )
    return undefined;
  const resumed = await resumeRun(on, run.id, { key });
  const { state, seq } = (await requireKept(on, run.id)).run;
  const did = sayResumed(resumed, state === run.state ? "" : state);
  if (did === "") return undefined;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${sayRun(seen)}: ${did}`,
    data: { run: run.id, from: run.state, to: state, seq },
    next: await nextForPerson(await seenOf(on, run.id)),
    notes: isBlank(text) ? [] : ["your words were not passed on: nobody is told anything by this"],
  };
}

function sayResumed({ unhalted, retried, respawned }: Resumed, to: string): string {
  return [
    ...(unhalted ? ["it goes on"] : []),
    ...(retried.length === 0 ? [] : [`tried again: ${retried.join(", ")}`]),
    ...(respawned.length === 0 ? [] : [`started again: ${respawned.join(", ")}`]),
    ...(to === "" ? [] : [`it is in ${to} now`]),
  ].join("; ");
}

/** Without words that are required the verb is refused before anything happens; a door can ask the person and call again. */
function wordsFor(seen: Seen, { verb, text = "" }: VerbCall, way: VerbWay): string {
  if (!isBlank(text)) {
    if (way.text === "none" && way.kind !== "answer")
      throw new UserError("bad-usage", `no words go with this`, sayCommand(seen, verb, way));
    return text.trim();
  }
  if (way.text !== "required") return verb === "retry" && way.into !== undefined ? whatFailed(seen, way) : "";
  const what = verb === "accept" ? "why you accept it" : verb === "answer" ? "the answer" : "what to change";
  throw new UserError(
    NEEDS_TEXT,
    `${sayRun(seen)} is in ${seen.run.state}: say ${what}. Nothing was done.`,
    sayCommand(seen, verb, way),
  );
}

/** What the agent is told where the person only wants it tried again. */
function whatFailed({ workflow, run }: Seen, { waives }: VerbWay): string {
  const reasons = waives
    .map((name) => explainedStatus(workflow, run, name).reason)
    .filter((reason) => reason !== "");
  const counted = Object.entries(run.counters).filter(([, times]) => times > 0);
  return [
    "Try again.",
    ...reasons.map((reason) => `What stopped it: ${reason}.`),
    ...(counted.length === 0
      ? []
      : [`Counted: ${counted.map(([name, times]) => `${name} ${times}`).join(", ")}.`]),
  ].join("\n");
}

type Walking = VerbCall & { readonly way: VerbWay; readonly text: string };

async function walk(on: Acting, seen: Seen, call: Walking): Promise<VerbOutcome> {
  const { verb, way, text, key } = call;
  const { id, state: from } = seen.run;
  if (way.deliver === true) return delivered(on, seen, call);
  const into = text === "" ? undefined : way.into;
  // Words that cannot be written are refused before the run moves.
  if (into !== undefined) await requireWorkspace(on, id);
  const acts = actsOf(way);
  const words = into === undefined ? [] : [wordsText(on, seen, { into, text })];
  const told: string[] = [];
  let last: Done | undefined;
  const wordsMove = acts.find(({ type }) => type === "move");
  if (wordsMove === undefined) last = await submitWords(on, id, { words, key });
  for (const [index, act] of acts.entries()) {
    const isLast = index === acts.length - 1;
    const ownKey = key === undefined || isLast ? key : `${key}/${index + 1}`;
    const note = isLast ? noteOf(text, into) : PURPOSE[verb];
    last =
      act.type === "move"
        ? await moveTo(on, {
            ...act,
            run: id,
            ...(last === undefined ? { entry: seen.run.entry } : { from: last.to }),
            note,
            key: ownKey,
            // The agent that is told about the last move finds them.
            ...(act === wordsMove ? { texts: words } : {}),
          })
        : await answer(on, {
            seen: last === undefined ? seen : await seenOf(on, id),
            value: act.answer,
            text: isLast ? text : "",
            key: ownKey,
          });
    told.push(...last.told);
    if (!isLast && act.type === "move" && last.to !== act.to)
      throw conflict(id, `${sayRun(seen)} went on to ${last.to} by itself`);
  }
  const { state, seq } = (await requireKept(on, id)).run;
  const done = last ?? { run: id, from, to: state, seq, told: [], accepted: undefined };
  // What a path only passes through on its way back is not what the person answers for.
  const passed = verb === "accept" ? [] : way.waives.map((name) => sayWaived(seen.workflow, seen.run, name));
  const notes = [...new Set(told)].filter((line) => way.kind !== "path" || !passed.includes(line));
  return acknowledge({ ...done, from, told: notes }, SAID[verb].done);
}

type Act =
  | { readonly type: "move"; readonly through: readonly string[]; readonly to: string }
  | { readonly type: "answer"; readonly answer: string };

/** Consecutive moves are one act. */
function actsOf({ steps }: VerbWay): readonly Act[] {
  const acts: Act[] = [];
  for (const step of steps) {
    const last = acts.at(-1);
    if (step.type === "answer") acts.push(step);
    else if (last?.type === "move")
      acts.splice(-1, 1, { type: "move", through: [...last.through, last.to], to: step.to });
    else acts.push({ type: "move", through: [], to: step.to });
  }
  return acts;
}

/** Refused where what the question shows has changed since. */
async function answer(
  on: Acting,
  { seen, value, text, key }: { seen: Seen; value: string; text: string; key: string | undefined },
): Promise<Done> {
  const changed = await lookAgain(on, seen);
  if (changed !== "")
    throw new UserError("stale", changed, { next: `signalbox show ${seen.run.id}`, exit: EXIT_GATE });
  return answerWith(on, { seen, value, key, text: text === "" ? undefined : text });
}

function deliveryOf({ text = "", key, delivery = {} }: VerbCall): Delivery {
  const note = noteOf(text);
  return {
    ...delivery,
    ...(note === undefined ? {} : { note }),
    ...(key === undefined ? {} : { key }),
  };
}

async function delivered(on: Acting, seen: Seen, call: Walking): Promise<VerbOutcome> {
  const { verb, way } = call;
  const { id, state: from } = seen.run;
  const states = way.steps.flatMap((step) => (step.type === "move" ? [step.to] : []));
  const outcome = await deliver(on, id, {
    ...deliveryOf(call),
    ...(states.length < 2 ? {} : { through: states.slice(0, -1), command: sayCommand(seen, verb, way) }),
  });
  const waived = way.waives.map((name) => sayWaived(seen.workflow, seen.run, name));
  return { ...outcome, data: { ...outcome.data, from }, notes: [...new Set([...waived, ...outcome.notes])] };
}

type Found = ReturnType<typeof waysFor>;

/** What is open instead, and what to type for it. */
async function notOpen(seen: Seen, { verb, to, run }: VerbCall, { open, closed }: Found): Promise<UserError> {
  const { not } = SAID[verb];
  const isState = to !== undefined && Object.hasOwn(seen.workflow.definition.states, to);
  if (to !== undefined && open.length > 0 && isState)
    return new UserError(
      "gate-not-met",
      `${sayRun(seen)} is in ${seen.run.state}: ${verb} does not lead to ${to}`,
      {
        next: `signalbox show ${run}`,
        exit: EXIT_GATE,
      },
    );
  if (to !== undefined && open.length > 0)
    return new UserError("bad-usage", `"${to}" is not one of ${open.map(({ name }) => name).join(", ")}`, {
      next: open.map((way) => `${sayCommand(seen, verb, way)} --to ${way.name}`).join(", or: "),
    });
  // Marked moves come first: what a path lacks is nearer to what the person wants.
  const first = closed.at(-1);
  const isOnly = closed.filter(({ name }) => name === first?.name).length === 1;
  if (first === undefined || (isOnly && isObserved(seen, first.name))) return nothingFor(seen, verb);
  return new UserError("gate-not-met", `${sayRun(seen)} ${not} now: ${first.reason}`, {
    next: await othersThan(seen, verb),
    exit: EXIT_GATE,
  });
}

/** Nobody accepts a run by waiting until its work is merged by other means. */
function isObserved({ workflow, run }: Seen, name: string): boolean {
  return (workflow.movesFrom[run.state] ?? []).some(
    (move) => targetOf(run, move) === name && factsNamed(workflow, move, MERGED).length > 0,
  );
}

/** The verb means nothing here; with the commands that do. */
export async function nothingFor(seen: Seen, verb: Verb): Promise<UserError> {
  const { run } = seen;
  return new UserError("not-in-map", `${sayRun(seen)} is in ${run.state}, and ${SAID[verb].nothing}`, {
    next: await othersThan(seen, verb),
    exit: EXIT_NOT_YOURS,
  });
}

/** What `show` offers, too, but never cancel: nobody who wanted something else must be led to end the run. */
async function othersThan(seen: Seen, verb: Verb): Promise<string> {
  const actions = (await actionsOf(seen)).actions.filter(
    (action) => action.verb !== verb && action.verb !== "cancel",
  );
  return actions.map(({ command }) => command).join(", or: ") || nextForPerson(seen, { actions });
}

function whichWay(seen: Seen, { verb }: VerbCall, ways: readonly VerbWay[]): UserError {
  const names = ways.map(({ name, label }) => (label === "" ? name : `${name} (${label})`));
  return new UserError("which-way", `${verb} may mean ${names.join(", or ")}: say which with --to`, {
    next: ways.map((way) => `${sayCommand(seen, verb, way)} --to ${way.name}`).join(", or: "),
    exit: EXIT_GATE,
  });
}

function sayCommand({ run }: Seen, verb: Verb, { text }: VerbWay): string {
  return `signalbox ${verb} ${run.id}${text === "required" ? ` "TEXT"` : ""}`;
}

/** The person's own words first. */
function sayRun({ row, run }: Seen): string {
  const goal = firstLine(row.goal);
  return goal === "" ? run.id : `"${goal}" (${run.id})`;
}
