/** Checks: commands that the engine runs itself. What an agent says about its tests is worth nothing. */

import type { Reading } from "../core/event.ts";
import { failingOf, type Told } from "../format/failing.ts";
import type { Works } from "./box.ts";
import { argvOf, commandsOf, listsOf } from "./commands.ts";
import { environment, MINUTE_MS } from "./launch.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import type { Kept, Note } from "./ports/journal.ts";
import type { Process } from "./ports/process.ts";
import type { JobRow } from "./ports/registry.ts";
import { noteAll, project } from "./project.ts";
import { factsOf, submit } from "./submit.ts";

/** A check that was lost with its shim, or whose subject changed under it, is run again so often. */
const RUNS_MAX = 3;

type Wanted = {
  readonly artifact: string;
  /** The deed that asked for it. */
  readonly key: string;
  readonly time?: number;
};

export async function startCheck(works: Works, kept: Kept, of: Wanted): Promise<string> {
  const { store, processes } = works;
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const reader = workflow.definition.artifacts[of.artifact]?.reader;
  const workspace = boundWorkspace(works, row.id);
  if (reader?.type !== "check" || workspace === undefined)
    throw new Error(`there is nothing to check ${of.artifact} in`);
  const settings = await works.settings(row.repo);
  const commands = commandsOf(run, reader, settings.checks);
  const [, seq = "0", i = "0"] = of.key.split(":");
  const name = `${of.artifact}.${seq}.${i}.${of.time ?? 1}`;
  const id = `${row.id}.check.${name}`;
  await supersede(works, { run: row.id, artifact: of.artifact, id });
  const known = store.job(id);
  const dir = known?.dir ?? works.desk.make(works.folders(row.id).checks, name);
  if (known === undefined) {
    const now = works.clock.now();
    const tree = await works.workspaces.digest(workspace.path, artifactPaths(workflow, run));
    store.putJob({
      id,
      run: row.id,
      kind: "check",
      role: "",
      slot: "",
      attempt: Number(seq),
      artifact: of.artifact,
      tree,
      dir,
      startedAt: now,
      endsBy: now + settings.minutes * MINUTE_MS,
      stallMs: settings.stallMinutes * MINUTE_MS,
      killed: "",
      status: "live",
      seat: "",
    });
  }
  const env = { ...environment(works, settings), SIGNALBOX_RUN: row.id };
  await processes.launch({
    id,
    dir,
    argv: argvOf(commands, reader, codesIn(dir)),
    cwd: workspace.path,
    env,
    stdin: "",
  });
  return `${of.artifact} is checked`;
}

/** A check that is asked for again answers for the work as it is now: an earlier one that still runs says nothing any more. */
async function supersede(
  works: Works,
  of: { readonly run: string; readonly artifact: string; readonly id: string },
): Promise<void> {
  const live = works.store.jobs({ run: of.run, status: "live" });
  for (const job of live) {
    if (job.kind !== "check" || job.artifact !== of.artifact || job.id === of.id) continue;
    await works.processes.kill(job);
    works.store.putJob({ ...job, killed: "killed", status: "over" });
  }
}

export async function checkOver(works: Works, job: JobRow, process: Process): Promise<void> {
  const { store } = works;
  const kept = store.load(job.run);
  if (kept === undefined) throw new Error(`nobody knows the run of job ${job.id}`);
  if (isFinal(works, kept)) {
    // Nobody waits for it any more, and it has nothing to be about.
  } else if (isLate(works, job)) {
    tell(works, job, {
      kind: "late",
      text: `a result of ${job.artifact} came after the run had gone on; it does not count`,
    });
  } else {
    const facts = await factsOf(works, kept, works.workflow(kept.row.definition));
    const isChanged = facts.tree !== job.tree && job.killed === "";
    const isPassed = process.type === "ended" && process.code === 0;
    const [seq = "", i = "", time = "1"] = job.id.split(".").slice(-3);
    // What it leaves behind itself is there when it begins again; only what goes on changing is in doubt.
    const isInDoubt = isChanged && (isPassed || hasWriter(works, kept));
    if ((process.type === "lost" || isInDoubt) && Number(time) < RUNS_MAX) {
      const key = `${job.run}:${seq}:${i}`;
      await startCheck(works, kept, { artifact: job.artifact, key, time: Number(time) + 1 });
    } else {
      await observe(works, kept, { job, process, isInDoubt, tree: facts.tree });
    }
  }
  store.putJob({ ...job, status: "over" });
}

/** What is checked goes away, or nobody asks any more. */
export async function endChecks(works: Works, run: string): Promise<void> {
  const { store, processes } = works;
  for (const job of store.jobs({ run, status: "live" })) {
    if (job.kind !== "check") continue;
    await processes.kill(job);
    store.putJob({ ...job, killed: "killed", status: "over" });
  }
}

/** A check that was decided on, by somebody who died before it was started. */
export async function restartCheck(works: Works, job: JobRow): Promise<void> {
  const kept = works.store.load(job.run);
  const [seq = "", i = "", time = "1"] = job.id.split(".").slice(-3);
  if (kept === undefined) return;
  await startCheck(works, kept, {
    artifact: job.artifact,
    key: `${job.run}:${seq}:${i}`,
    time: Number(time),
  });
}

async function observe(
  works: Works,
  { row, run }: Kept,
  on: {
    readonly job: JobRow;
    readonly process: Process;
    readonly isInDoubt: boolean;
    /** The work at its end. */
    readonly tree: string | undefined;
  },
): Promise<void> {
  const { job, process, isInDoubt } = on;
  const workflow = works.workflow(row.definition);
  const output = works.desk.output(`${job.dir}/out.log`);
  const file = workflow.definition.artifacts[job.artifact]?.file ?? "";
  const place = placeOf(works, { run, workflow, id: row.id });
  const doubt = `${job.artifact} was run ${RUNS_MAX} times, and each time the work was another one afterwards: it does not pass until nobody works meanwhile and git ignores what it writes`;
  if (isInDoubt) tell(works, job, { kind: "check", text: doubt });
  const text = isInDoubt ? `${output.text}\n${doubt}\n` : output.text;
  if (file !== "")
    noteAll(works, row.id, await works.artifacts.put(place, { artifact: job.artifact, slot: "", text }));
  const code = process.type === "ended" && job.killed === "" ? process.code : -1;
  const told = code > 0 && !isInDoubt ? await whereFailed(works, job, output.text) : CUT_SHORT;
  const lists = await commandLists(works, { row, run }, job);
  const reading = { ...readingOf(job, { code, digest: output.digest, isInDoubt, told }), lists };
  await submit(works, {
    run: job.run,
    by: { type: "engine" },
    key: `check:${job.id}`,
    ...(on.tree === undefined ? {} : { tree: on.tree }),
    event: ({ at, readings = [], tree, reserved }) => ({
      type: "observed",
      at,
      readings: [...readings.filter(({ artifact }) => artifact !== job.artifact), reading],
      ...(tree === undefined ? {} : { tree }),
      ...(reserved === undefined ? {} : { reserved }),
    }),
  });
  await project(works, job.run);
}

async function commandLists(
  works: Works,
  { row, run }: Pick<Kept, "row" | "run">,
  job: JobRow,
): Promise<Reading["lists"]> {
  const reader = works.workflow(row.definition).definition.artifacts[job.artifact]?.reader;
  if (reader?.type !== "check" || reader.more === undefined) return {};
  const { checks } = await works.settings(row.repo);
  return listsOf(commandsOf(run, reader, checks), reader, works.desk.output(codesIn(job.dir)).text);
}

/** Where the commands of a check leave how each of them ended. */
function codesIn(dir: string): string {
  return `${dir}/codes`;
}

const CUT_SHORT: Told = { failing: "unknown", rule: "cut-short" };

/** Only files of the work that was checked count. */
async function whereFailed(works: Works, job: JobRow, text: string): Promise<Told> {
  const root = boundWorkspace(works, job.run)?.path;
  if (root === undefined) return CUT_SHORT;
  return failingOf({ text, root, files: await works.workspaces.files(root, job.tree) });
}

function tell(works: Works, job: JobRow, what: Pick<Note, "kind" | "text">): void {
  works.store.note({ run: job.run, at: new Date(works.clock.now()).toISOString(), ...what });
}

export function isFinal(works: Works, { row, run }: Kept): boolean {
  return works.workflow(row.definition).definition.states[run.state]?.final !== undefined;
}

/** Whether somebody may be changing the work at this moment. */
function hasWriter(works: Works, { row }: Kept): boolean {
  const { roles } = works.workflow(row.definition).definition;
  const running = works.store.agents({ run: row.id, status: "running" });
  return running.some(({ role }) => roles[role]?.access === "write");
}

/** Since the check was begun, the run has begun something for which it must be new. */
function isLate(works: Works, job: JobRow): boolean {
  const since = works.store.events(job.run, job.attempt + 1);
  return since.some(
    ({ event }) => (event.type === "moved" || event.type === "counted") && event.renew.includes(job.artifact),
  );
}

/**
 * Every execution is a new one, though its output may be the same: the id is part of the digest. Only exit code 0 passes, and
 * only for the work that was checked.
 */
function readingOf(
  job: JobRow,
  of: { readonly code: number; readonly digest: string; readonly isInDoubt: boolean; readonly told: Told },
): Reading {
  const { code, digest, isInDoubt, told } = of;
  const isPassed = code === 0 && !isInDoubt;
  const ended = job.killed === "" ? "exited" : job.killed;
  return {
    artifact: job.artifact,
    slot: "",
    found: true,
    digest: `${digest}:${job.id}`,
    faults: [],
    verdict: isPassed ? "pass" : "needs_fix",
    fields: {
      exit_code: code,
      tree: job.tree,
      ended: isInDoubt ? "in doubt" : ended,
      ...(isPassed ? {} : told),
    },
    lists: {},
  };
}
