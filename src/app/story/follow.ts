/**
 * Follows a run until it has ended or waits for somebody: one line for each thing that happens,
 * and for each task that begins or ends.
 *
 * It only looks. Whoever follows can leave at any time, and the run goes on; while somebody follows, a supervisor that died is
 * started again.
 */

import { setTimeout as pause } from "node:timers/promises";
import { slotKey } from "../../core/model/run.ts";
import { acting, runOf, type Acting } from "../context.ts";
import { runMeant, type Seen } from "../runs/find.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_WAITING } from "../exit-codes.ts";
import { success, type Emit, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { seenOf } from "../runs/load.ts";
import { linesOf } from "./lines.ts";
import type { StoryLine } from "../view/run-view.ts";
import { askingTask, isWaitingForTasks } from "../view/work/children.ts";
import { leftOf, NOTHING_LEFT, type Left } from "../view/work/kept-files.ts";
import type { Choice } from "../view/decision/choices.ts";
import { questionOf, type Read } from "../view/decision/question.ts";
import { taskTeller, type Piece, type TaskTeller } from "./task-lines.ts";
import { isForPerson, parkOf } from "../view/status/parked.ts";
import { waitsOf } from "../view/status/waits.ts";
import { actionsOf, nextForPerson } from "../view/actions.ts";
import { decisionOf, processesOf } from "../view/look.ts";
import { aboutOf } from "../view/lists/summary.ts";
import { firstLine, sayClock } from "../view/words.ts";
import { wake } from "../runs/wake.ts";

/** How it ended for whoever followed. */
export type Followed = {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  readonly next: string;
  /** Everything that can be typed now. */
  readonly ways: readonly string[];
  /** The same, with where each leads. */
  readonly choices: readonly Choice[];
  /** Whose ways these are: the run itself, or that of a task that asks. */
  readonly asking: { readonly run: string; readonly state: string };
  /** What the open question is about. */
  readonly reads: readonly Read[];
  /** What the agent asks, or what led to the question. */
  readonly asked: readonly string[];
  /** In git, and as pages for people, where it is over. */
  readonly left: Left;
  readonly state: string;
  readonly status: string;
  readonly seq: number;
};

/** So much of the story is repeated first. */
const LINES = 10;

export async function followRun(
  on: Acting,
  { run: word }: InputOf<"follow">,
): Promise<Outcome<DataOf<"follow">>> {
  const seen = await seenOf(
    on,
    await (word === undefined ? runOf(on, word) : runMeant(on.box.store, on.door, word)),
  );
  const { id: run, state } = seen.run;
  const { lines } = await linesOf(seen, LINES);
  const from = (lines[0]?.seq ?? 1) - 1;
  return {
    ...success(
      `${run} is in ${state}`,
      { run, workflow: seen.row.workflow, state },
      { next: `signalbox show ${run}` },
    ),
    follow: followingFrom(on, run, from),
  };
}

/** For the outcome of a call: the store is opened again, because the call is over by then. */
export function followingFrom(
  { door }: Acting,
  run: string,
  from: number,
): NonNullable<Outcome<unknown>["follow"]> {
  return (emit, signal) => acting(door, (on) => follow(on, { run, from, emit, signal }));
}

const LOOK_MS = 150;
const WAKE_MS = 3000;
/** So many acts may be written between a look at the run and a look at its events. */
const NEWER_MAX = 50;
/** Between two deeds nothing is open for a moment: only what stays so is at rest. */
const QUIET_LOOKS = 4;

export async function follow(
  on: Acting,
  of: {
    readonly run: string;
    readonly from: number;
    readonly emit: Emit;
    readonly signal: AbortSignal;
    /** Whoever follows a run in several parts tells of each task once. */
    readonly tasks?: TaskTeller;
  },
): Promise<Followed> {
  const { run, emit, signal, tasks = taskTeller() } = of;
  let last = of.from;
  let quiet = 0;
  let wokenAt = on.box.clock.mono();
  const tell = (pieces: readonly Piece[]): void => {
    for (const { at, text, data } of inTime(pieces))
      emit({ text: text === "" ? "" : `${sayClock(at)}  ${text}\n`, data });
  };
  for (;;) {
    const seen = await seenOf(on, run);
    tell([...(await linesAfter(seen, last)).map((line) => pieceOf(run, line)), ...(await tasks(seen))]);
    last = seen.run.seq;
    quiet = (await isAtRest(seen)) ? quiet + 1 : 0;
    const end = await endOf(seen, quiet >= QUIET_LOOKS);
    if (end !== undefined) {
      // The end may be a task's doing that came after we had told of all of them.
      tell(await tasks(seen));
      return end;
    }
    if (signal.aborted) return interrupted(seen);
    if (on.box.clock.mono() - wokenAt > WAKE_MS) {
      wokenAt = on.box.clock.mono();
      await wake(on);
    }
    await pause(LOOK_MS, undefined, { signal }).catch(ignoreAbort);
  }
}

/**
 * Events of one act are written together, so that whatever is new begins with an act. What has come since we looked at the run
 * is for the next look: told now, it would be told twice.
 */
async function linesAfter(seen: Seen, last: number): Promise<readonly StoryLine[]> {
  const { run } = seen;
  if (run.seq <= last) return [];
  const { lines } = await linesOf(seen, run.seq - last + NEWER_MAX);
  return lines.filter(({ seq }) => seq > last && seq <= run.seq);
}

function pieceOf(run: string, line: StoryLine): Piece {
  const { seq, at, by, what, followed } = line;
  return { at, text: line.text, data: { run, seq, at, by, what, followed } };
}

function inTime(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Nothing will happen by itself: no deed is open, no process lives, no agent has to go on. */
async function isAtRest({ store, run }: Seen): Promise<boolean> {
  const isDue = (await store.deeds(run.id)).some(
    ({ status }) => status === "pending" || status === "claimed",
  );
  // The deeds of a parked agent stay open, and nothing happens until a person acts.
  if (isForPerson(await parkOf(store, run.id)))
    return (await store.jobs({ run: run.id, status: "live" })).length === 0;
  if (isDue || (await store.jobs({ run: run.id, status: "live" })).length > 0) return false;
  if (await isWaitingForTasks({ store, run })) return false;
  return (await store.agents({ run: run.id })).every(({ status, entry, role, slot, attempt }) => {
    if (run.agents[slotKey(role, slot)]?.attempt !== attempt || status === "ended") return true;
    return status === "idle" && entry >= run.entry;
  });
}

async function endOf(seen: Seen, isQuiet: boolean): Promise<Followed | undefined> {
  const { row, run } = seen;
  // Processes are looked at only where what they say is printed.
  const { kind } = await waitsOf(seen, { agents: [], checks: [] });
  const sentence = async (): Promise<string> => (await waitsOf(seen, await processesOf(seen))).sentence;
  switch (kind) {
    case "over": {
      // What is still to be cleared away is part of it.
      if (!isQuiet) return undefined;
      const isGood = row.status === "done";
      return {
        exit: isGood ? EXIT_OK : EXIT_FAILED,
        code: isGood ? "ok" : row.status,
        message: `${run.id} is ${run.state}`,
        next: await nextForPerson(seen),
        ...whereOf(seen),
        left: await leftOf(seen),
      };
    }
    case "attention":
      return waiting(seen, "needs-attention", await sentence());
    case "stopped":
      return waiting(seen, "halted", await sentence());
    case "person":
    case "crashed": {
      const asking = await askingTask(seen);
      const asked = (await questionOf(asking?.seen ?? seen))?.question;
      const own = await waiting(seen, "waiting-for-person", asked ?? (await sentence()));
      if (asking === undefined) return own;
      // Where it is, is said of the run that is followed; what to type, of its task.
      const { message, state, status, seq } = own;
      return { ...(await waiting(asking.seen, own.code, "")), message, state, status, seq };
    }
    case "agent":
    case "check":
    case "child":
    case "queue":
    case "parked":
      return undefined;
  }
}

/** In the user's words first. */
function nameOf({ workflow, run, row }: Seen): string {
  const summary = firstLine(aboutOf(workflow.definition, run, row), SUMMARY_MAX);
  return summary === "" ? run.id : `"${summary}" (${run.id})`;
}

const SUMMARY_MAX = 60;

async function waiting(seen: Seen, code: string, said: string): Promise<Followed> {
  const { actions } = await actionsOf(seen);
  const choices = actions.map(({ command, sentence, takes }) => ({
    command,
    means: sentence,
    ...(takes === undefined ? {} : { takes }),
  }));
  const ways = choices.map(({ command }) => command);
  return {
    exit: EXIT_WAITING,
    code,
    message: `${nameOf(seen)}: ${said}`,
    next: await nextForPerson(seen, { actions }),
    ...whereOf(seen),
    ways,
    choices,
    reads: (await questionOf(seen))?.reads ?? [],
    asked: (await decisionOf(seen, { findings: [], actions }))?.asked ?? [],
  };
}

function interrupted(seen: Seen): Followed {
  const { id } = seen.run;
  return {
    exit: EXIT_INTERRUPTED,
    code: "interrupted",
    message: `${id} goes on without you, in ${seen.run.state}`,
    next: `signalbox show ${id}`,
    ...whereOf(seen),
  };
}

/** Where it is; nothing is to be typed, unless somebody says otherwise. */
function whereOf({ row, run }: Seen): Omit<Followed, "exit" | "code" | "message" | "next"> {
  const asking = { run: run.id, state: run.state };
  const { state, seq } = run;
  return {
    state,
    status: row.status,
    seq,
    asking,
    ways: [],
    choices: [],
    reads: [],
    asked: [],
    left: NOTHING_LEFT,
  };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
