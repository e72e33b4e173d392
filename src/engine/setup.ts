/**
 * `workspace.setup`: a command of trusted settings that runs in a workspace before the first agent.
 *
 * It belongs to the deed that prepares the workspace, which is not done before it has ended: everything else of the run waits in line
 * behind it, and finds no workspace where it has failed. `SIGNALBOX_CACHE` names a folder that all workspaces of the repository share. It runs once for each preparation. Where it fails, a person is told; whoever resumes the run has it run again.
 */

import type { Works } from "./box.ts";
import { environment, MINUTE_MS } from "./launch.ts";
import type { Kept } from "./ports/journal.ts";
import type { JobRow } from "./ports/registry.ts";
import { Later } from "./later.ts";

const NAME = "setup";

export async function setUp(works: Works, kept: Kept, path: string): Promise<void> {
  const { row } = kept;
  const settings = await works.settings(row.repo);
  const { setup: argv } = settings.workspace;
  if (argv.length === 0) return;
  const job = current(works, row.id) ?? begun(works, row.id, settings.minutes);
  if (job.tree === DONE) return;
  if (works.processes.probe(job.dir).type === "absent") {
    const cache = works.cache(row.repo);
    const env = { ...environment(works, settings), SIGNALBOX_RUN: row.id, SIGNALBOX_CACHE: cache };
    await works.processes.launch({ id: job.id, dir: job.dir, argv, cwd: path, env, stdin: "" });
  }
  const process = works.processes.probe(job.dir);
  const isLate = works.clock.now() > job.endsBy;
  const isUnderWay = process.type === "starting" || process.type === "alive" || process.type === "absent";
  if (isUnderWay && !isLate) throw new Later("the workspace is being set up");
  // Also after an ordinary end: what it left behind must not outlive it.
  await works.processes.kill(job);
  const isDone = process.type === "ended" && process.code === 0;
  works.store.putJob({ ...job, tree: isDone ? DONE : SPENT, killed: isUnderWay ? "timed-out" : "" });
  if (!isDone) throw failed(job, isUnderWay ? "took too long" : wordsOf(process));
}

export function isBeingSetUp(works: Works, run: string): boolean {
  return current(works, run) !== undefined;
}

/** The workspace is given back: what was done in it is done no more, and what is under way is ended. */
export async function endSetUp(works: Works, run: string): Promise<void> {
  for (const job of jobsOf(works, run)) {
    if (job.tree === SPENT) continue;
    if (job.tree !== DONE) await works.processes.kill(job);
    works.store.putJob({ ...job, tree: SPENT });
  }
}

/** What has become of it stands where a check has the work that it is about. */
const DONE = "done";
const SPENT = "spent";

function jobsOf({ store }: Works, run: string): readonly JobRow[] {
  return store.jobs({ run }).filter(({ id }) => id.startsWith(`${run}.${NAME}.`));
}

function current(works: Works, run: string): JobRow | undefined {
  return jobsOf(works, run).find(({ tree }) => tree !== SPENT);
}

function begun(works: Works, run: string, minutes: number): JobRow {
  const time = jobsOf(works, run).length + 1;
  const now = works.clock.now();
  const job: JobRow = {
    id: `${run}.${NAME}.${time}`,
    run,
    kind: "check",
    role: "",
    slot: "",
    attempt: 0,
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
  works.store.putJob(job);
  return job;
}

function wordsOf(process: { readonly type: string; readonly code?: number }): string {
  return process.type === "ended" ? `ended with exit code ${process.code ?? -1}` : "was lost";
}

function failed({ dir }: JobRow, how: string): Error {
  return Object.assign(new Error(`workspace.setup ${how}; its log: ${dir}/out.log`), {
    next: `look into ${dir}/out.log`,
  });
}
