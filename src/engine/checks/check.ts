/** Checks: commands that the engine runs itself. What an agent says about its tests is worth nothing. */

import { isForeign, mendForeign, sayForeign } from "../../core/gates/accepted-artifacts.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { sha256 } from "../../format/sha256.ts";
import type { Works } from "../box.ts";
import { noteAll } from "../notes.ts";
import { argvOf } from "./commands.ts";
import { CODES, codesIn, observe, readerOf, RUNS_MAX, tellRun } from "./result.ts";
import { cellFor, NO_FILES, NOTHING_NAMED } from "../cells/cell.ts";
import { environment, MINUTE_MS } from "../agents/launch.ts";
import { artifactPaths, isInPlace } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import type { Process } from "../ports/process.ts";
import type { JobRow } from "../ports/registry.ts";
import { factsOf } from "../submit/facts.ts";
import { pinnedSettings } from "../pins/pinned-settings.ts";
import { plannedFor, withListsNow, type Planned } from "./command-sources.ts";
import { needsPerson } from "../supervise/later.ts";

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
  const workflow = await works.workflow(row.definition);
  const reader = workflow.definition.artifacts[of.artifact]?.reader;
  const workspace = await works.store.boundWorkspace(row.id);
  if (reader?.type !== "check" || workspace === undefined)
    throw new Error(`there is nothing to check ${of.artifact} in`);
  requireAccepted(workflow, run, of.artifact);
  const settings = await pinnedSettings(works, kept);
  const planned = await plannedFor(works, kept, reader);
  const [, seq = "0", i = "0"] = of.key.split(":");
  const name = `${of.artifact}.${seq}.${i}.${of.time ?? 1}`;
  const id = `${row.id}.check.${name}`;
  await supersede(works, { run: row.id, artifact: of.artifact, id });
  if (planned.objections.length > 0) {
    await refer(works, kept, { artifact: of.artifact, id, planned });
    return `${of.artifact} is not run: ${planned.objections.join("; ")}`;
  }
  const known = await store.job(id);
  const { stamp } = planned;
  const dir =
    known?.dir ?? works.desk.make(works.folders(row.id).checks, stamp === "" ? name : `${name}-${stamp}`);
  if (known === undefined) {
    const now = works.clock.now();
    const tree = await works.workspaces.digest(workspace.path, artifactPaths(workflow, run));
    await store.commit([
      {
        type: "put-job",
        job: {
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
        },
      },
    ]);
  }
  const env = { ...environment(works, settings), SIGNALBOX_RUN: row.id };
  const codes = reader.more === undefined ? [] : [works.desk.write(dir, CODES, "")];
  const cell = await cellFor(works, {
    run: row.id,
    settings,
    repo: row.repo,
    kind: "check",
    writable: [workspace.path, ...codes],
    readable: isInPlace(workspace) ? [`${workspace.path}/.git`] : [],
    named: NOTHING_NAMED,
    keep: `${dir}/cell`,
    files: NO_FILES,
  });
  await processes.launch({
    id,
    dir,
    ...cell,
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
  throw needsPerson(sayForeign(workflow, run, foreign), mendForeign(run, foreign));
}

/** A check that is asked for again answers for the work as it is now: an earlier one that still runs says nothing any more. */
async function supersede(
  works: Works,
  of: { readonly run: string; readonly artifact: string; readonly id: string },
): Promise<void> {
  const live = await works.store.jobs({ run: of.run, status: "live" });
  for (const job of live) {
    if (job.kind !== "check" || job.artifact !== of.artifact || job.id === of.id) continue;
    await works.processes.kill(job);
    await works.store.commit([{ type: "put-job", job: { ...job, killed: "killed", status: "over" } }]);
  }
}

export async function checkOver(works: Works, job: JobRow, process: Process): Promise<void> {
  const { store } = works;
  const known = await store.load(job.run);
  if (known === undefined) throw new Error(`nobody knows the run of job ${job.id}`);
  const kept = (await isFinal(works, known)) ? known : await keptNow(works, known, job.artifact);
  if (await isFinal(works, kept)) {
    // Nobody waits for it any more, and it has nothing to be about.
  } else if (await isLate(works, job)) {
    const text = `a result of ${job.artifact} came after the run had gone on; it does not count`;
    await noteAll(works, { run: job.run, kind: "late" }, [text]);
  } else {
    // First: while it is about a text that is nobody's, this is looked at again and again, and the work takes long to look at.
    const lists = await listsSince(works, kept, job);
    const facts = await factsOf(works, kept, await works.workflow(kept.row.definition));
    const isChanged = facts.tree !== job.tree && job.killed === "";
    const isPassed = process.type === "ended" && process.code === 0;
    const [seq = "", i = "", time = "1"] = job.id.split(".").slice(-3);
    // What it leaves behind itself is there when it begins again; only what goes on changing is in doubt.
    const isInDoubt = (isChanged && (isPassed || (await hasWriter(works, kept)))) || lists !== "same";
    const isRunAgain = (process.type === "lost" || isInDoubt) && Number(time) < RUNS_MAX;
    // What nobody may run is asked about, however often something else was run before.
    if (isRunAgain || lists === "refused") {
      const key = `${job.run}:${seq}:${i}`;
      await startCheck(works, kept, { artifact: job.artifact, key, time: Number(time) + 1 });
    } else {
      await observe(works, kept, { job, process, isInDoubt, tree: facts.tree });
    }
  }
  await store.commit([{ type: "put-job", job: { ...job, status: "over" } }]);
}

async function keptNow(works: Works, kept: Kept, artifact: string): Promise<Kept> {
  const reader = await readerOf(works, kept, artifact);
  return reader === undefined ? kept : withListsNow(works, kept, reader);
}

/** Whether what was run is still what is to be run: it may be another list by now, or nobody vouches for it any more. */
async function listsSince(works: Works, kept: Kept, job: JobRow): Promise<"same" | "other" | "refused"> {
  const reader = await readerOf(works, kept, job.artifact);
  if (reader?.from === undefined) return "same";
  requireAccepted(await works.workflow(kept.row.definition), kept.run, job.artifact);
  const { stamp, objections } = await plannedFor(works, kept, reader);
  if (objections.length > 0) return "refused";
  return basename(job.dir).includes(`-${stamp}-`) ? "same" : "other";
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function refer(
  works: Works,
  about: Kept,
  on: { readonly artifact: string; readonly id: string; readonly planned: Planned },
): Promise<void> {
  const { artifact, id, planned } = on;
  const { row, run } = about;
  const text = `${artifact} is not run: ${planned.objections.join("; ")}`;
  await noteAll(works, { run: row.id, kind: "check" }, [text]);
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
  await tellRun(works, { about, key: `check:${id}`, reading, text: `${text}\n` });
}

/** What is checked goes away, or nobody asks any more. */
export async function endChecks(works: Works, run: string): Promise<void> {
  const { store, processes } = works;
  for (const job of await store.jobs({ run, status: "live" })) {
    if (job.kind !== "check") continue;
    await processes.kill(job);
    await store.commit([{ type: "put-job", job: { ...job, killed: "killed", status: "over" } }]);
  }
}

/** A check that was decided on, by somebody who died before it was started. */
export async function restartCheck(works: Works, job: JobRow): Promise<void> {
  const kept = await works.store.load(job.run);
  const [seq = "", i = "", time = "1"] = job.id.split(".").slice(-3);
  if (kept === undefined) return;
  await startCheck(works, kept, {
    artifact: job.artifact,
    key: `${job.run}:${seq}:${i}`,
    time: Number(time),
  });
}

export async function isFinal(works: Works, { row, run }: Kept): Promise<boolean> {
  return (await works.workflow(row.definition)).definition.states[run.state]?.final !== undefined;
}

/** Whether somebody may be changing the work at this moment. */
async function hasWriter(works: Works, { row }: Kept): Promise<boolean> {
  const { roles } = (await works.workflow(row.definition)).definition;
  const running = await works.store.agents({ run: row.id, status: "running" });
  return running.some(({ role }) => roles[role]?.access === "write");
}

/** Since the check was begun, the run has begun something for which it must be new. */
async function isLate(works: Works, job: JobRow): Promise<boolean> {
  const since = await works.store.events(job.run, job.attempt + 1);
  return since.some(
    ({ event }) => (event.type === "moved" || event.type === "counted") && event.renew.includes(job.artifact),
  );
}
