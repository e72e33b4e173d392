/** A change goes on by one of its doors: begun, moved where it waits for the person who calls, and followed until the door's work is done. */

import { repositoryAround } from "../../app/setup/repository.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isForeign } from "../../core/gates/accepted-artifacts.ts";
import { slotKey } from "../../core/model/run.ts";
import { why } from "../../core/explain/why.ts";
import { fillPath, placeOf } from "../../engine/submit/place.ts";
import { bringUpToDate } from "../../engine/submit/project.ts";
import { submit } from "../../engine/submit/submit.ts";
import { talkOf } from "../acted.ts";
import { acting, seeThrough, type Acting } from "../../app/context.ts";
import { answerWith } from "../../app/act/answer-with.ts";
import type { Seen } from "../../app/runs/find.ts";
import { EXIT_NOT_YOURS, EXIT_OK, EXIT_WAITING } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Door } from "../command.ts";
import { startRun } from "../commands/act/run.ts";
import { follow } from "../../app/story/follow.ts";
import { seenOf } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { causeOf } from "../../app/view/decision/cause.ts";
import { taskTeller, type TaskTeller } from "../../app/story/task-lines.ts";
import { crashedIn, respawnRole } from "../../app/act/respawn.ts";
import { atDoor } from "./at-door.ts";
import { commandFor, DOORS, sayPhase, type Doing } from "../../app/change/doors.ts";
import { endOf, sayEnd, type ChangeData } from "./ending.ts";
import { changeNamed, WORKFLOW, type Change } from "../../app/change/which.ts";

/** The answer that takes a halted change on. */
const RESUME = "resume";

/** Where it stood before, what was done at once, and from where on there is something new to tell. */
type Entered = {
  readonly data: ChangeData;
  readonly told: readonly string[];
  readonly from: number;
  readonly since: string;
};

export async function go(doing: Doing, given: Given, door: Door): Promise<Answer> {
  const [name = "", goal = ""] = given.words;
  const entered = await acting(door, (on) => enter(on, doing, { name, goal, given }));
  if ("exit" in entered) return entered;
  return given.options["detach"] === undefined ? followed(entered, { doing, given, door }) : begun(entered);
}

type Wanted = { readonly name: string; readonly goal: string; readonly given: Given };

async function enter(on: Acting, doing: Doing, of: Wanted): Promise<Entered | Answer> {
  requirePerson(on.who);
  const { main: repo } = repositoryAround(on.box.store, on.door);
  const change = changeNamed(on.box.store, repo, of.name);
  if (change.kept === undefined) return begin(on, { doing, change, repo, of });
  const run = change.kept.run.id;
  await lookAround(on, run);
  const data = dataOf(on, of.name, run);
  const rule = DOORS[doing].by[data.phase];
  if (rule === undefined || rule === "refused") throw notReady(doing, data);
  if (rule === "told") return toldOf(data);
  const { run: before, row } = seenOf(on, run);
  const told = [...triedAgain(on, run), ...(await getOn(on, doing, data))];
  return { data, told, from: before.seq, since: row.updatedAt };
}

async function begin(
  on: Acting,
  { doing, change, repo, of }: { doing: Doing; change: Change; repo: string; of: Wanted },
): Promise<Entered> {
  const { name, goal, given } = of;
  if (doing !== "plan")
    throw new UserError("unknown-change", `there is no change "${name}" in ${repo}`, {
      next: `signalbox plan ${name} "What is wanted"`,
      exit: EXIT_NOT_YOURS,
    });
  if (goal === "")
    throw new UserError(
      "no-goal",
      `${name} is a new change: say what is wanted`,
      `signalbox plan ${name} "What is wanted"`,
    );
  const proposal = join("changes", name, "proposal.md");
  if (existsSync(join(repo, proposal)))
    throw new UserError("change-exists", `${proposal} is there, and no run of ours knows it`, {
      next: `mv changes/${name} changes/${name}.old`,
      exit: EXIT_NOT_YOURS,
    });
  // Lists of runs show the name; agents are told the goal.
  const param = [`goal=${goal}`, ...(given.lists["param"] ?? []), `change=${name}`];
  const words = [WORKFLOW, `${name}: ${goal}`];
  const { done } = await startRun(on, {
    words,
    options: { key: change.key },
    lists: { ...given.lists, param },
  });
  return { data: dataOf(on, name, done.run), told: done.told, from: 0, since: "" };
}

/** What people have edited while it waited is taken in first: it may be in another phase by that. */
async function lookAround(on: Acting, id: string): Promise<void> {
  const { workflow, run } = seenOf(on, id);
  const { waits = false, final } = workflow.definition.states[run.state] ?? {};
  if (final === undefined && waits && (await isEdited(on, id)))
    await submit(on.box, {
      run: id,
      by: { type: "engine" },
      event: ({ kept: _kept, ...known }) => ({ type: "observed", ...known }),
    });
  await crashedIn(on, id);
  await seeThrough(on, id);
}

async function isEdited(on: Acting, id: string): Promise<boolean> {
  const { workflow, run } = seenOf(on, id);
  const readings = await on.box.artifacts.read(placeOf(on.box, { run, workflow, id }));
  return readings.some(({ artifact, slot, digest }) => {
    const known = run.held[slotKey(artifact, slot)]?.reading;
    // A verdict stands in the journal: rewriting its text changes nothing.
    return known !== undefined && known.verdict === undefined && known.digest !== digest;
  });
}

/** Where the engine could not do its part, somebody has put right what was in its way, or is told once more. */
function triedAgain({ box: { store } }: Acting, id: string): readonly string[] {
  return store.retry(id).length === 0 ? [] : ["what could not be done is tried again"];
}

/** Where it waits for the person who calls, that person's move; elsewhere it goes on by itself. */
async function getOn(on: Acting, doing: Doing, { change, run: id }: ChangeData): Promise<readonly string[]> {
  const seen = seenOf(on, id);
  const { workflow, run } = seen;
  const { states } = workflow.definition;
  const crashed = Object.values(run.agents).find(({ status }) => status === "crashed");
  if (crashed !== undefined) return (await respawnRole(on, { run: id, role: crashed.role })).told;
  if (states[run.state]?.waits !== true) return [];
  if (run.question !== undefined)
    return doing === "reopen" ? (await answerWith(on, { seen, value: RESUME })).told : [];
  const ways = why(workflow, run).filter(
    ({ to, by, answer }) =>
      by.includes("human") &&
      answer === undefined &&
      states[to]?.final === undefined &&
      (states[to]?.phase ?? to) === DOORS[doing].into,
  );
  const way = ways.find(({ open }) => open) ?? ways[0];
  if (way === undefined) return [];
  const theirs = takenAsTheirs(seen);
  try {
    return [...theirs, ...(await moveTo(on, { run: id, to: way.to })).told];
  } catch (error) {
    throw error instanceof UserError ? atDoor(error, doing, { change, move: `${id} ${way.to}` }) : error;
  }
}

/** With a person's move, documents that were changed since they were accepted become that person's: nobody takes them without knowing. */
function takenAsTheirs({ workflow, run }: Seen): readonly string[] {
  return Object.entries(workflow.definition.artifacts)
    .filter(([name, { by }]) => by.includes("human") && isForeign(workflow, run, name))
    .map(([name, { file }]) => {
      const from = run.held[name]?.accepted?.by ?? "";
      const since =
        from === "" ? "" : `, changed since it was accepted from ${from === "human" ? "you" : from}`;
      return `taken as yours: ${fillPath(run, file)}${since}`;
    });
}

function dataOf(on: Acting, change: string, id: string): ChangeData {
  const { run, row, workflow } = seenOf(on, id);
  const phase = workflow.definition.states[run.state]?.phase ?? run.state;
  return { change, run: id, phase, state: run.state, status: row.status, ways: [] };
}

function notReady(doing: Doing, { change, phase }: ChangeData): UserError {
  return new UserError(
    "change-not-ready",
    `ChangeNotReady: ${change} ${sayPhase(phase)} (${phase}), so that ${doing} has nothing to do`,
    {
      next: commandFor(phase, change),
      exit: EXIT_NOT_YOURS,
    },
  );
}

/** Beyond what was asked for: that is information. That it was rejected is not. */
function toldOf(data: ChangeData): Answer {
  const message = `${data.change} ${sayPhase(data.phase)} (${data.phase})`;
  const next = data.phase === "archived" ? "" : commandFor(data.phase, data.change);
  const isRejected = data.phase === "rejected";
  return {
    exit: isRejected ? EXIT_WAITING : EXIT_OK,
    code: isRejected ? "rejected" : "ok",
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf([], next),
  };
}

function begun({ data, told: words }: Entered): Answer {
  const next = `signalbox show ${data.run}`;
  const message = `${data.change} (${data.run}) goes on in ${data.state}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${data.run}\n`,
    next,
    talk: talkOf(words, next),
  };
}

function followed(
  entered: Entered,
  { doing, given: { options }, door }: { doing: Doing; given: Given; door: Door },
): Answer {
  const [isJson, isQuiet] = [options["json"] !== undefined, options["quiet"] !== undefined];
  return {
    ...begun(entered),
    // Told before whatever comes of it.
    text: () =>
      isQuiet ? "" : `${entered.data.change} is run ${entered.data.run}\n${talkOf(entered.told, "")}`,
    talk: "",
    stream: (emit, signal) =>
      acting(door, async (on) => {
        const each = isJson || isQuiet ? (): void => undefined : emit;
        const { run, change } = entered.data;
        const tell = taskTeller();
        // What tasks did before was told by the door that was used then.
        const tasks: TaskTeller = (seen) => tell(seen).filter(({ at }) => at > entered.since);
        const end = await follow(on, { run, from: entered.from, emit: each, signal, tasks });
        // What is typed next is to read its files: they may be behind for a moment.
        await bringUpToDate(on.box, run);
        const data = { ...dataOf(on, change, run), ways: end.ways };
        const { exit, code, message, next, choices } = endOf(doing, data, end);
        const document = {
          ok: exit === EXIT_OK,
          code,
          message,
          ...data,
          ways: choices.map((one) => one.command),
          next,
        };
        const cause = exit === EXIT_OK ? [] : causeOf(seenOf(on, end.asking.run));
        const lines = sayEnd({ ...end, message, choices, next, cause }, door);
        emit({ text: isQuiet ? "" : lines, data: document });
        return exit;
      }),
  };
}
