/**
 * `workspace.setup`: a command of trusted settings that runs in a workspace before the first agent, and in the checkout of a judge
 * before that judge.
 *
 * It belongs to the deed that needs the folder, which is not done before the command has ended: everything else of the run waits in line
 * behind it. `SIGNALBOX_CACHE` names a folder that all set-up commands of the repository share. It runs once for each folder. Where it
 * fails, a person is told; whoever resumes the run has it run again.
 */

import type { Works } from "../box.ts";
import { cellFor, NO_FILES } from "../cells/cell.ts";
import { filesNamed } from "../../format/settings/argv.ts";
import { environment, MINUTE_MS } from "../agents/launch.ts";
import type { Kept } from "../ports/journal.ts";
import type { JobRow } from "../ports/registry.ts";
import { pinnedSettings } from "../pins/pinned-settings.ts";
import { Later, needsPerson } from "../supervise/later.ts";
import { type Attempt, isSameAttempt } from "../../core/model/run.ts";

const NAME = "setup";

/** What is set up: the workspace of a run, or the checkout of one of its judges. */
export type Site = { readonly run: string; readonly judge?: Attempt };

export async function setUp(works: Works, kept: Kept, of: Site & { readonly path: string }): Promise<void> {
  const { row } = kept;
  const settings = await pinnedSettings(works, kept);
  const { setup: argv } = settings.workspace;
  if (argv.length === 0) return;
  const job = (await current(works, of)) ?? (await begun(works, of, settings.minutes));
  if (job.tree === DONE) return;
  if (works.processes.probe(job.dir).type === "absent") {
    const cache = works.cache(row.repo);
    const env = { ...environment(works, settings), SIGNALBOX_RUN: row.id, SIGNALBOX_CACHE: cache };
    const cell = await cellFor(works, {
      run: row.id,
      settings,
      repo: row.repo,
      kind: "check",
      writable: [of.path, cache],
      readable: [],
      // What else it needs is a matter of `reach`, whoever wrote the command.
      named: { read: filesNamed(argv).filter((file) => file.startsWith(`${row.repo}/`)), write: [] },
      keep: `${job.dir}/cell`,
      files: NO_FILES,
    });
    await works.processes.launch({ id: job.id, dir: job.dir, ...cell, argv, cwd: of.path, env, stdin: "" });
  }
  const process = works.processes.probe(job.dir);
  const isLate = works.clock.now() > job.endsBy;
  const isUnderWay = process.type === "starting" || process.type === "alive" || process.type === "absent";
  if (isUnderWay && !isLate) throw new Later(`${nameOf(of)} is being set up`);
  // Also after an ordinary end: what it left behind must not outlive it.
  await works.processes.kill(job);
  const isDone = process.type === "ended" && process.code === 0;
  await works.store.commit([
    { type: "put-job", job: { ...job, tree: isDone ? DONE : SPENT, killed: isUnderWay ? "timed-out" : "" } },
  ]);
  if (!isDone) throw failed(of, job, isUnderWay ? "took too long" : wordsOf(process));
}

export async function isBeingSetUp(works: Works, of: Site): Promise<boolean> {
  return (await current(works, of)) !== undefined;
}

export async function isSetUp(works: Works, of: Site): Promise<boolean> {
  return (await current(works, of))?.tree === DONE;
}

/** The folder is given back: what was done in it is done no more, and what is under way is ended. */
export async function endSetUp(works: Works, of: Site): Promise<void> {
  await end(
    works,
    (await jobsOf(works, of.run)).filter((job) => isAbout(job, of)),
  );
}

/** The same for all folders of a run. */
export async function endSetUps(works: Works, run: string): Promise<void> {
  await end(works, await jobsOf(works, run));
}

async function end(works: Works, jobs: readonly JobRow[]): Promise<void> {
  for (const job of jobs) {
    if (job.tree === SPENT) continue;
    if (job.tree !== DONE) await works.processes.kill(job);
    await works.store.commit([{ type: "put-job", job: { ...job, tree: SPENT } }]);
  }
}

/** What has become of it stands where a check has the work that it is about. */
const DONE = "done";
const SPENT = "spent";

async function jobsOf({ store }: Works, run: string): Promise<readonly JobRow[]> {
  return (await store.jobs({ run })).filter(({ id }) => id.startsWith(`${run}.${NAME}.`));
}

async function current(works: Works, of: Site): Promise<JobRow | undefined> {
  return (await jobsOf(works, of.run)).find((job) => job.tree !== SPENT && isAbout(job, of));
}

/** The job of a workspace is no agent's. */
const NOBODY = { role: "", slot: "", attempt: 0 };

function isAbout(job: JobRow, { judge = NOBODY }: Site): boolean {
  return isSameAttempt(job, judge);
}

async function begun(works: Works, { run, judge = NOBODY }: Site, minutes: number): Promise<JobRow> {
  const time = (await jobsOf(works, run)).length + 1;
  const now = works.clock.now();
  const { role, slot, attempt } = judge;
  const job: JobRow = {
    id: `${run}.${NAME}.${time}`,
    run,
    kind: "check",
    role,
    slot,
    attempt,
    artifact: NAME,
    tree: "",
    dir: works.desk.make(works.folders(run).checks, `${NAME}.${time}`),
    startedAt: now,
    endsBy: now + minutes * MINUTE_MS,
    stallMs: 0,
    killed: "",
    // Whoever looks after what lives does not look after this: the deed does.
    status: "over",
    seat: "",
  };
  await works.store.commit([{ type: "put-job", job }]);
  return job;
}

function nameOf({ judge }: Site): string {
  return judge === undefined ? "the workspace" : `the checkout of ${judge.role} ${judge.attempt}`;
}

function wordsOf(process: { readonly type: string; readonly code?: number }): string {
  return process.type === "ended" ? `ended with exit code ${process.code ?? -1}` : "was lost";
}

function failed(of: Site, { dir }: JobRow, how: string): Error {
  const where = of.judge === undefined ? "" : ` in ${nameOf(of)}`;
  return needsPerson(`workspace.setup ${how}${where}; its log: ${dir}/out.log`, `look into ${dir}/out.log`);
}
