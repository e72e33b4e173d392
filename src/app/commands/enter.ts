/**
 * A command that a workflow declares with `in`: a run is begun where it does not exist, or moved on where it waits for the person who
 * calls. What comes next is followed by the caller.
 */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { waysFor } from "../../core/explain/verbs.ts";
import { slotKey } from "../../core/model/run.ts";
import type { DeclaredCommand } from "../../core/model/workflow.ts";
import { placeOf } from "../../engine/submit/place.ts";
import { readFiles } from "../act/run/respawn.ts";
import { resumeRun } from "../act/run/resume.ts";
import { carryOut } from "../act/verbs.ts";
import { runOf, seeThrough, type Acting } from "../context.ts";
import { EXIT_NOT_YOURS, EXIT_OK, EXIT_WAITING } from "../exit-codes.ts";
import type { Given } from "../invocation.ts";
import type { Outcome } from "../outcome.ts";
import { isFinished, type Seen } from "../runs/find.ts";
import { seenOf } from "../runs/load.ts";
import { nameOfRun, nameParam, runNamed } from "../runs/name.ts";
import { repositoryAround } from "../setup/repository.ts";
import { goalPlace } from "../start/goal.ts";
import { startRun } from "../start/run.ts";
import type { OwnCommand } from "./declared.ts";
import { commandIn, stepIn, typedAbout } from "./for-moves.ts";

export type Going = Extract<DeclaredCommand, { readonly in: unknown }>;

/** What `--json` gives, before the run is followed. */
export type GoData = {
  /** The name of the run in its repository; empty where runs of the workflow have none. */
  readonly name: string;
  readonly run: string;
  readonly workflow: string;
  readonly phase: string;
  readonly state: string;
  readonly status: string;
  readonly seq: number;
};

/** What asks for words is the caller's. */
export type Calling = OwnCommand & {
  readonly command: Going;
  readonly given: Given;
  readonly withWords: (act: (text: string | undefined) => Promise<Notes>) => Promise<Notes>;
};

type Notes = { readonly notes: readonly string[] };

/** Where the run was, what was done at once, and from which event on there is something to print. */
export type Entered = {
  readonly data: GoData;
  readonly told: readonly string[];
  readonly from: number;
  readonly since: string;
};

/** Begins the run or takes the step of the command. Where there is none, it says how far the run is. */
export async function enter(on: Acting, of: Calling): Promise<Entered | Outcome<GoData>> {
  requirePerson(on.who);
  const { run: id, ...place } = await meantBy(on, of);
  if (id === undefined) return begin(on, of, place);
  await takeEdits(on, id);
  const seen = await seenOf(on, id);
  const { definition } = seen.workflow;
  const own = definition.commands?.[of.name] ?? of.command;
  const step = "in" in own ? stepIn(definition, own, seen.run.state) : undefined;
  if (step === undefined || isFinished(seen.row)) return nothingToDo(seen, of);
  const { seq } = seen.run;
  const told = step === "follow" ? await tryAgain(on, id) : await take(on, seen, { verb: step, of });
  return { data: dataOf(await seenOf(on, id)), told, from: seq, since: seen.row.updatedAt };
}

/** `run` is undefined where no run has the name. */
type Meant = { readonly run: string | undefined; readonly name: string; readonly repo: string };

async function meantBy(on: Acting, { definition, given: { words } }: Calling): Promise<Meant> {
  const { store } = on.box;
  const [word] = words;
  const { main: repo } = await repositoryAround(store, on.door);
  const isId = word !== undefined && (await store.idsLike(word, 1)).includes(word);
  if (nameParam(definition) === undefined || word === undefined || isId)
    return { run: await runOf(on, word), name: "", repo };
  const { kept } = await runNamed(store, { repo, workflow: definition.name, name: word });
  return { run: kept?.run.id, name: word, repo };
}

async function begin(
  on: Acting,
  { name: own, command, definition, given }: Calling,
  { name, repo }: Omit<Meant, "run">,
): Promise<Entered> {
  const [, goal = ""] = given.words;
  const starting = Object.entries(definition.commands ?? {}).find(([, each]) => "in" in each && each.begin);
  const typed = `signalbox ${starting?.[1].short === true ? "" : `${definition.name} `}${starting?.[0] ?? own} ${name} "What is wanted"`;
  if (!command.begin)
    throw new UserError("unknown-run", `${definition.name} has no run "${name}" in ${repo}`, {
      next: typed,
      exit: EXIT_NOT_YOURS,
    });
  if (goal === "") throw new UserError("no-goal", `${name} is new: say what is wanted`, typed);
  const param = nameParam(definition) ?? "";
  const place = goalPlace(definition);
  const params = [
    ...(place === undefined ? [] : [`${place}=${goal}`]),
    ...(given.lists["param"] ?? []),
    `${param}=${name}`,
  ];
  // Lists of runs show the name; agents are told the goal.
  const { run, told } = (
    await startRun(on, {
      words: [definition.name, `${name}: ${goal}`],
      options: {},
      lists: { ...given.lists, param: params },
      known: [],
    })
  ).done;
  return { data: dataOf(await seenOf(on, run)), told, from: 0, since: "" };
}

/** What a person edited while the run waited is read first: the run may be in another state by that. */
async function takeEdits(on: Acting, id: string): Promise<void> {
  const { workflow, run } = await seenOf(on, id);
  const { waits = false, final } = workflow.definition.states[run.state] ?? {};
  if (final === undefined && waits && (await isEdited(on, id))) await readFiles(on, id);
  await seeThrough(on, id);
}

async function isEdited(on: Acting, id: string): Promise<boolean> {
  const { workflow, run } = await seenOf(on, id);
  const readings = await on.box.artifacts.read(await placeOf(on.box, { run, workflow, id }));
  return readings.some(({ artifact, slot, digest }) => {
    const known = run.held[slotKey(artifact, slot)]?.reading;
    // A verdict is in the journal: rewriting its text changes nothing.
    return known !== undefined && known.verdict === undefined && known.digest !== digest;
  });
}

/** What failed and is not a decision is tried again. */
async function tryAgain(on: Acting, id: string): Promise<readonly string[]> {
  const { retried, respawned } = await resumeRun(on, id);
  return [
    ...(retried.length === 0 ? [] : [`tried again: ${retried.join(", ")}`]),
    ...(respawned.length === 0 ? [] : [`started again: ${respawned.join(", ")}`]),
  ];
}

type Taking = { readonly verb: Exclude<Going["in"][string], "follow">; readonly of: Calling };

/** The verb of the person who calls, where the run waits for it. A question of another verb is for the person to answer. */
async function take(on: Acting, seen: Seen, { verb, of }: Taking): Promise<readonly string[]> {
  const { workflow, run } = seen;
  const { open, closed } = waysFor({ workflow, run }, verb);
  const isWaiting = workflow.definition.states[run.state]?.waits === true;
  if (!isWaiting || open.length + closed.length === 0) return tryAgain(on, run.id);
  return (await of.withWords((text) => carryOut(on, { verb, run: run.id, text }))).notes;
}

export function dataOf({ run, row, workflow: { definition } }: Seen): GoData {
  const phase = definition.states[run.state]?.phase ?? run.state;
  const name = nameOfRun({ row, run }, definition);
  const { state, seq } = run;
  return { name, run: run.id, workflow: row.workflow, phase, state, status: row.status, seq };
}

/** How far the run is, and what fits there. A command that begins runs says so; any other is refused. */
function nothingToDo(seen: Seen, { name, command }: Calling): Outcome<GoData> {
  const { workflow, run, row } = seen;
  const title = workflow.definition.states[run.state]?.title ?? "";
  const called = nameOfRun(seen, workflow.definition) || run.id;
  const message = `${called} is in ${run.state}${title === "" ? "" : `: ${title}`}`;
  const fitting = commandIn(workflow.definition, run.state);
  const next =
    isFinished(row) || fitting === undefined ? `signalbox show ${called}` : typedAbout(seen, fitting);
  if (!command.begin)
    throw new UserError("not-ready", `${name} has nothing to do: ${message}`, { next, exit: EXIT_NOT_YOURS });
  const isWaiting = row.status === "waiting";
  return {
    exit: isWaiting ? EXIT_WAITING : EXIT_OK,
    code: isWaiting ? "waiting-for-person" : "ok",
    message,
    data: dataOf(seen),
    next,
    notes: [],
  };
}
