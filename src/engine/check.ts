/** Checks: commands that the engine runs itself. What an agent says about its tests is worth nothing. */

import { isForeign, mendForeign, sayForeign } from "../core/accepted.ts";
import type { Workflow } from "../core/compile.ts";
import type { Reading } from "../core/event.ts";
import type { Run } from "../core/run.ts";
import { failingOf, type Told } from "../format/failing.ts";
import { sha256 } from "../format/sha256.ts";
import type { Works } from "./box.ts";
import { argvOf, listsOf, type Check } from "./commands.ts";
import { environment, MINUTE_MS } from "./launch.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import type { Kept, Note } from "./ports/journal.ts";
import type { Process } from "./ports/process.ts";
import type { JobRow } from "./ports/registry.ts";
import { noteAll, project } from "./project.ts";
import { factsOf } from "./known.ts";
import { submit } from "./submit.ts";
import { changedLists, plannedFor, withListsNow, type Planned } from "./vouched.ts";

/** A check that was lost with its shim, or whose subject changed under it, is run again so often. */
const RUNS_MAX = 3;

type Wanted = {
  readonly artifact: string;
  /** The deed that asked for it. */
  readonly key: string;
  readonly time?: number;
};

export async function startCheck(works: Works, given: Kept, of: Wanted): Promise<string> {
  const { store, processes } = works;
  const kept = await keptNow(works, given, of.artifact);
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const reader = workflow.definition.artifacts[of.artifact]?.reader;
  const workspace = boundWorkspace(works, row.id);
  if (reader?.type !== "check" || workspace === undefined)
    throw new Error(`there is nothing to check ${of.artifact} in`);
  requireAccepted(workflow, run, of.artifact);
  const settings = await works.settings(row.repo);
  const planned = await plannedFor(works, kept, reader);
  const [, seq = "0", i = "0"] = of.key.split(":");
  const name = `${of.artifact}.${seq}.${i}.${of.time ?? 1}`;
  const id = `${row.id}.check.${name}`;
  await supersede(works, { run: row.id, artifact: of.artifact, id });
  if (planned.objections.length > 0) {
    await refer(works, kept, { artifact: of.artifact, id, planned });
    return `${of.artifact} is not run: ${planned.objections.join("; ")}`;
  }
  const known = store.job(id);
  const { stamp } = planned;
  const dir =
    known?.dir ?? works.desk.make(works.folders(row.id).checks, stamp === "" ? name : `${name}-${stamp}`);
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
    argv: argvOf(planned.commands, reader, codesIn(dir)),
    cwd: workspace.path,
    env,
    stdin: "",
  });
  return `${of.artifact} is checked`;
}

/** About a text that somebody else has written over no result counts, and the run would wait for one that never comes. */
function requireAccepted(workflow: Workflow, run: Run, artifact: string): void {
  const bound = workflow.definition.artifacts[artifact]?.bind ?? [];
  const foreign = bound.find((name) => isForeign(workflow, run, name));
  if (foreign === undefined) return;
  throw Object.assign(new Error(sayForeign(workflow, run, foreign)), { next: mendForeign(run, foreign) });
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
  const known = store.load(job.run);
  if (known === undefined) throw new Error(`nobody knows the run of job ${job.id}`);
  const kept = isFinal(works, known) ? known : await keptNow(works, known, job.artifact);
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
    const lists = await listsSince(works, kept, job);
    const isInDoubt = (isChanged && (isPassed || hasWriter(works, kept))) || lists !== "same";
    const isRunAgain = (process.type === "lost" || isInDoubt) && Number(time) < RUNS_MAX;
    // What nobody may run is asked about, however often something else was run before.
    if (isRunAgain || lists === "refused") {
      const key = `${job.run}:${seq}:${i}`;
      await startCheck(works, kept, { artifact: job.artifact, key, time: Number(time) + 1 });
    } else {
      await observe(works, kept, { job, process, isInDoubt, tree: facts.tree });
    }
  }
  store.putJob({ ...job, status: "over" });
}

async function keptNow(works: Works, kept: Kept, artifact: string): Promise<Kept> {
  const reader = readerOf(works, kept, artifact);
  return reader === undefined ? kept : withListsNow(works, kept, reader);
}

/** Whether what was run is still what is to be run: it may be another list by now, or nobody vouches for it any more. */
async function listsSince(works: Works, kept: Kept, job: JobRow): Promise<"same" | "other" | "refused"> {
  const reader = readerOf(works, kept, job.artifact);
  if (reader?.from === undefined) return "same";
  requireAccepted(works.workflow(kept.row.definition), kept.run, job.artifact);
  const { stamp, objections } = await plannedFor(works, kept, reader);
  if (objections.length > 0) return "refused";
  return basename(job.dir).includes(`-${stamp}-`) ? "same" : "other";
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function readerOf(works: Works, { row }: Pick<Kept, "row">, artifact: string): Check | undefined {
  const reader = works.workflow(row.definition).definition.artifacts[artifact]?.reader;
  return reader?.type === "check" ? reader : undefined;
}

/** What nobody may run is for a person to say. */
async function refer(
  works: Works,
  about: Kept,
  on: { readonly artifact: string; readonly id: string; readonly planned: Planned },
): Promise<void> {
  const { artifact, id, planned } = on;
  const { row, run } = about;
  const workflow = works.workflow(row.definition);
  const text = `${artifact} is not run: ${planned.objections.join("; ")}`;
  works.store.note({ run: row.id, at: new Date(works.clock.now()).toISOString(), kind: "check", text });
  if ((workflow.definition.artifacts[artifact]?.file ?? "") !== "") {
    const place = placeOf(works, { run, workflow, id: row.id });
    noteAll(works, row.id, await works.artifacts.put(place, { artifact, slot: "", text: `${text}\n` }));
  }
  const reading: Reading = {
    artifact,
    slot: "",
    found: true,
    digest: `${sha256(text)}:${id}`,
    faults: [],
    verdict: "needs_human",
    fields: { exit_code: -1, tree: run.tree, ended: "not run", manual: planned.manual },
    lists: { commands: planned.commands, exit_codes: [] },
  };
  await tellRun(works, { about, key: `check:${id}`, reading });
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
  about: Kept,
  on: {
    readonly job: JobRow;
    readonly process: Process;
    readonly isInDoubt: boolean;
    /** The work at its end. */
    readonly tree: string | undefined;
  },
): Promise<void> {
  const { job, process, isInDoubt } = on;
  const { row, run } = about;
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
  const reader = readerOf(works, about, job.artifact);
  const { lists, manual } = await commandsRun(works, about, job);
  const seen = readingOf(job, { code, digest: output.digest, isInDoubt, told });
  const fields = reader?.from === undefined ? seen.fields : { ...seen.fields, manual };
  const reading = { ...seen, fields, lists };
  const tree = on.tree === undefined ? {} : { tree: on.tree };
  await tellRun(works, { about, key: `check:${job.id}`, reading, ...tree });
}

async function tellRun(
  works: Works,
  of: { readonly about: Kept; readonly key: string; readonly reading: Reading; readonly tree?: string },
): Promise<void> {
  const { about, key, reading } = of;
  const run = about.row.id;
  await submit(works, {
    run,
    by: { type: "engine" },
    key,
    ...(of.tree === undefined ? {} : { tree: of.tree }),
    event: ({ at, readings = [], tree, reserved, kept }) => {
      requireSameLists(works, about, { artifact: reading.artifact, readings, now: kept.run });
      return {
        type: "observed",
        at,
        readings: [...readings.filter(({ artifact }) => artifact !== reading.artifact), reading],
        ...(tree === undefined ? {} : { tree }),
        ...(reserved === undefined ? {} : { reserved }),
      };
    },
  });
  await project(works, run);
}

/** A result would be taken for one about lists that were changed at this very moment. Whoever tries again finds them. */
function requireSameLists(
  works: Works,
  about: Kept,
  on: { readonly artifact: string; readonly readings: readonly Reading[]; readonly now: Run },
): void {
  const reader = readerOf(works, about, on.artifact);
  const held = Object.values(on.now.held).map(({ reading }) => reading);
  const [changed] = reader === undefined ? [] : changedLists(about.run, reader, [...held, ...on.readings]);
  if (changed !== undefined)
    throw new Error(`${changed.artifact} was changed while the result of ${on.artifact} was taken in`);
}

async function commandsRun(
  works: Works,
  kept: Kept,
  job: JobRow,
): Promise<{ readonly lists: Reading["lists"]; readonly manual: number }> {
  const reader = readerOf(works, kept, job.artifact);
  if (reader?.more === undefined) return { lists: {}, manual: 0 };
  const { commands, manual } = await plannedFor(works, kept, reader);
  return { lists: listsOf(commands, reader, works.desk.output(codesIn(job.dir)).text), manual };
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
