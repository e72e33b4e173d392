/** `signalbox show`: everything about a run that somebody who comes back to it wants to know. */

import type { Literal } from "../../core/value.ts";
import { maxOf } from "../../core/gate.ts";
import { hasPhases, phaseOf } from "../../core/phase.ts";
import { inLine, whyInLine, whyQueued } from "../../engine/line.ts";
import { isInPlace } from "../../engine/place.ts";
import type { Note } from "../../engine/ports/journal.ts";
import type { DeedRow } from "../../engine/ports/outbox.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { isFinished, seeRun, withStore, type Seen } from "../../app/runs/find.ts";
import { aboutOf } from "../../app/view/about.ts";
import { linesOf, type Line } from "../../app/story/lines.ts";
import { causeOf } from "../../app/view/cause.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { sayRun } from "../render/run.ts";
import { artifactsOf, isOtherReading, isSilentFact, type ArtifactView } from "../../app/view/artifacts.ts";
import { askingTask, tasksOf, type Asking, type TaskView } from "../../app/view/children.ts";
import { choicesOfForeign, sayHeldUp } from "../../app/view/foreign-edits.ts";
import { choicesOfLanded, sayLanded } from "../../app/view/landed.ts";
import { leftOf } from "../../app/view/kept-files.ts";
import type { Choice } from "../../app/view/choices.ts";
import { questionOf, type QuestionView } from "../../app/view/question.ts";
import { scheduleOf, type ScheduleView } from "../../app/view/schedule.ts";
import { attentionOf, deadlockOf, isStranded, sayCrashed } from "../../app/view/trouble.ts";
import { tasksShown, type TaskShown } from "../../app/view/tasks.ts";
import { agentsOf, checksOf, type AgentView, type CheckView, type Probe } from "../../app/view/processes.ts";
import { askedIn } from "../../app/view/task-choices.ts";
import { withWhatIsInTheWay } from "../../app/view/place-taken.ts";
import { choicesOfPerson, nextForPerson, PERSON, waysOf } from "../../app/view/moves.ts";

/** What `--json` gives. */
export type ShowData = {
  readonly run: string;
  readonly workflow: string;
  readonly definition: string;
  readonly goal: string;
  readonly state: string;
  readonly title: string;
  readonly stage: string;
  /** Empty where the workflow has none. */
  readonly phase: string;
  /** `running`, `waiting`, `done`, `cancelled`, `failed`. */
  readonly status: string;
  readonly halted: boolean;
  /** It stands in the queue, and goes on by itself. */
  readonly queued: boolean;
  readonly attention: string;
  readonly seq: number;
  readonly entry: number;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly repo: string;
  readonly base: string;
  readonly params: Readonly<Record<string, Literal>>;
  readonly counters: readonly {
    readonly name: string;
    readonly value: number;
    readonly max: number;
    readonly per: string;
  }[];
  /** Every phase of every stage, in their order. */
  readonly schedule: readonly ScheduleView[];
  readonly artifacts: readonly ArtifactView[];
  readonly agents: readonly AgentView[];
  /** Of the last list of each kind that it has started, each with its run. */
  readonly tasks: readonly TaskShown[];
  readonly checks: readonly CheckView[];
  readonly question: QuestionView | null;
  readonly workspace:
    | (Pick<WorkspaceRow, "path" | "branch" | "base" | "status" | "salvage" | "kept"> & {
        readonly inPlace: boolean;
      })
    | null;
  /** What is still to be done in the world. */
  readonly deeds: readonly {
    readonly key: string;
    readonly type: string;
    readonly status: string;
    readonly tries: number;
    readonly note: string;
  }[];
  readonly waitsFor: string;
  /** What stands on its page for people to answer, or why it asks; empty where nothing does. */
  readonly asked: string;
  /** What a person can type while it waits for one, or to look at what it has left. */
  readonly choices: readonly Choice[];
  readonly notes: readonly Note[];
  readonly history: readonly Line[];
};

const LINES = 5;
const LINES_VERBOSE = 20;
const NOTES = 5;

export const command: Command = {
  usage: "[RUN] [--verbose]",
  about:
    "Shows a run: where it is, what it waits for, its counters, schedule, artifacts, agents, question and workspace, and the one next command.\nWithout RUN it is the run of the workspace that you are in, or SIGNALBOX_RUN. `status` is another name for this.",
  words: { min: 0, max: 1 },
  options: {
    verbose: {
      about:
        "also earlier attempts, parameters, counters at 0, what a phase still owes, artifacts that nobody asks for now, facts that do not hold, other readings of the same file, all notes and more history",
      short: "v",
    },
  },
  examples: ["signalbox show", "signalbox show abcd", "signalbox show abcd --verbose --json"],
  answer: ({ words, options }, door) =>
    withStore(door, async (store) => {
      const seen = withWhatIsInTheWay(seeRun(store, door, words[0]));
      const verbose = options["verbose"] !== undefined;
      const { probe } = hasProcesses(seen) ? await import("../../app/view/probe.ts") : { probe: unlooked };
      const data = dataOf(seen, probe, verbose);
      const next = nextForPerson(seen);
      const left = leftOf(seen).rows;
      const { paint, cwd, width } = door;
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${data.run} is ${data.state}: ${data.waitsFor}`,
        data: () => data,
        text: () => sayRun(data, { verbose, paint, now: Date.now(), cwd, width, left }),
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};

/** Looking for processes takes more code than everything else here. */
function hasProcesses({ store, run: { id: run } }: Seen): boolean {
  return (
    store.agents({ run, status: "running" }).length > 0 || store.jobs({ run, status: "live" }).length > 0
  );
}

const unlooked: Probe = () => {
  throw new Error("nothing was to be looked at");
};

function dataOf(seen: Seen, probe: Probe, verbose: boolean): ShowData {
  const { row, run, workflow, store } = seen;
  const { definition } = workflow;
  const state = definition.states[run.state];
  const workspace = store.workspace(run.id);
  const agents = agentsOf(seen, probe, verbose);
  const tasks = tasksOf(seen);
  const open = store.deeds(run.id).filter(({ status }) => status !== "done");
  const notes = store.notes(run.id);
  const artifacts = artifactsOf(seen);
  return {
    run: run.id,
    workflow: row.workflow,
    definition: row.definition,
    goal: aboutOf(definition, run, row),
    state: run.state,
    title: state?.title ?? "",
    stage: state?.stage ?? "",
    phase: hasPhases(definition) ? phaseOf(definition, run.state) : "",
    status: row.status,
    halted: row.halted,
    queued: inLine(store).has(run.id),
    attention: attentionOf(seen),
    seq: run.seq,
    entry: run.entry,
    startedAt: row.startedAt,
    updatedAt: row.updatedAt,
    repo: row.repo,
    base: row.base,
    params: run.params,
    counters: Object.entries(definition.counters).map(([name, { per }]) => ({
      name,
      value: run.counters[name] ?? 0,
      max: maxOf(workflow, run, name),
      per,
    })),
    schedule: scheduleOf(seen, artifacts),
    artifacts: artifacts.filter(
      (artifact) => verbose || !(isSilentFact(seen, artifact) || isOtherReading(seen, artifact)),
    ),
    agents,
    tasks: tasksShown(seen),
    checks: checksOf(seen, probe),
    question: questionOf(seen) ?? null,
    workspace: workspace === undefined ? null : workspaceView(workspace),
    deeds: open.map(deedView),
    waitsFor: [waitsFor(seen, { agents, tasks, deeds: open }), sayLanded(seen)].filter(Boolean).join("; "),
    asked: run.question === undefined ? askedIn(seen) : causeOf(seen).join("\n"),
    choices:
      isAsked(seen) || deadlockOf(seen) !== undefined
        ? choicesOfPerson(seen)
        : [...heldUp(seen), ...choicesOfLanded(seen), ...leftOf(seen).choices],
    notes: verbose ? notes : notes.slice(-NOTES),
    history: linesOf(seen, verbose ? LINES_VERBOSE : LINES).lines,
  };
}

function workspaceView({
  repo,
  path,
  branch,
  base,
  status,
  salvage,
  kept,
}: WorkspaceRow): NonNullable<ShowData["workspace"]> {
  return { path, branch, base, status, salvage, kept, inPlace: isInPlace({ path, repo }) };
}

function deedView({ key, deed, status, tries, note }: DeedRow): ShowData["deeds"][number] {
  return { key, type: deed.type, status, tries, note };
}

/** It waits for a person, and not for somebody who mends or resumes it. */
function isAsked(seen: Seen): boolean {
  const { row } = seen;
  return row.status === "waiting" && row.attention === "" && !row.halted && !isStranded(seen);
}

/** What a person can do about a text that somebody else has changed. */
function heldUp(seen: Seen): readonly Choice[] {
  return isFinished(seen.row) || seen.row.halted ? [] : choicesOfForeign(seen);
}

/** With what its agent wants to know. */
function sayAsking({ task, seen }: Asking): string {
  const [, said = ""] = causeOf(seen);
  const title = seen.workflow.definition.states[seen.run.state]?.title ?? "";
  const what = [title, said.replace(/^summary: /, "")].filter((words) => words !== "").join(": ");
  return `task ${task} asks${what === "" ? "" : `: ${what}`}`;
}

/** In words, what has to happen before the run goes on. */
function waitsFor(
  seen: Seen,
  on: { agents: readonly AgentView[]; tasks: readonly TaskView[]; deeds: readonly DeedRow[] },
): string {
  const { row, run } = seen;
  if (isFinished(row)) return "nothing: it is over";
  const foreign = sayHeldUp(seen);
  if (row.attention !== "")
    return `a person${foreign === "" ? ", to look at what went wrong" : `: ${foreign}`}`;
  const busy = busyIn(on.agents);
  if (row.halted) {
    const ending = seen.store.isHeld(run.id) && busy.length > 0 ? `${busy.join(" and ")}; then ` : "";
    return `${ending}a person, to resume it`;
  }
  if (run.question !== undefined) return `a person's answer to ${run.question.id}`;
  if (isStranded(seen)) return `a person: ${sayCrashed(seen)}`;
  const queued = whyInLine(seen.store, run.id);
  if (queued.length > 0)
    return queued
      .map((each) =>
        /^\d/.test(each)
          ? `queued: ${each}`
          : each.replace(/^waits for /, "").replace(/^could /, "a person: it could "),
      )
      .join("; ");
  const slot = whyQueued(seen.store, run.id);
  if (slot.length > 0) return slot.join("; ");
  const ways = waysOf(seen);
  const mine = ways.filter(({ by, open }) => open && by.includes(PERSON)).map(({ to }) => to);
  if (row.status === "waiting")
    return mine.length === 0 ? "a person" : `a person, who may move it to ${[...new Set(mine)].join(" or ")}`;
  if (deadlockOf(seen) !== undefined) return "a person, because nothing is running that could move it";
  const due = on.deeds.filter(({ status }) => status !== "attention");
  if (due.length > 0)
    return `${due.length === 1 ? "one thing" : `${due.length} things`} to be done: ${[...new Set(due.map(({ deed }) => deed.type))].join(", ")}`;
  if (busy.length > 0) return busy.join(" and ");
  const asking = askingTask(seen);
  if (asking !== undefined) return `a person: ${sayAsking(asking)} (signalbox show ${asking.seen.run.id})`;
  const left = on.tasks.filter(({ status }) => ["open", "running", "waiting"].includes(status)).length;
  if (left > 0) return left === 1 ? "one task" : `${left} tasks`;
  const first = ways[0];
  return first === undefined ? "nothing that could happen" : first.smallest;
}

/** Each role once. Earlier attempts are there to be looked at, and nobody waits for them. */
function busyIn(agents: readonly AgentView[]): readonly string[] {
  const busy = agents.filter(
    ({ status, process }) => status !== "stopping" && status !== "superseded" && process !== "idle",
  );
  return [...new Set(busy.map(({ role }) => role))].map((role) => {
    const times = busy.filter((agent) => agent.role === role).length;
    return times === 1 ? role : `${times} ${role}s`;
  });
}
