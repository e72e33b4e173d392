/** What an agent or a check has printed, and prints. */

import { existsSync } from "node:fs";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { JobRow } from "../../engine/ports/registry.ts";
import type { Looking } from "../declare.ts";
import { EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_TERMINATED } from "../exit-codes.ts";
import { success, type Emit, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { turnOf } from "../../engine/agents/job-id.ts";
import { logLines, shownLog, type LogLines } from "../story/agent-log.ts";
import { tailOf, wholeLog, type Tail } from "../story/log.ts";
import { isFinished, seeRun, type Seen } from "./find.ts";

const HELP = "signalbox logs --help";
const POLL_MS = 150;

export async function logs(
  { door, store }: Looking,
  input: InputOf<"logs">,
): Promise<Outcome<DataOf<"logs">>> {
  const seen = await seeRun(store, door, input.run);
  const wanted = wantedOf(input, seen);
  const job = await lastOf(seen, wanted);
  if (job === undefined) throw noLog(seen, wanted);
  if (!existsSync(job.dir)) throw goneLog(job);
  return success(
    sayJob(job),
    { ...aboutJob(job), text: shownLog(wholeLog(job.dir), logLines(job.dir, wanted)) },
    { next: `signalbox logs ${seen.row.id} --follow`, notes: [sayJob(job)] },
  );
}

/** From turn to turn, until nothing more can come. */
export async function followLogs(
  { door, store }: Looking,
  input: InputOf<"follow-logs">,
): Promise<Outcome<DataOf<"follow-logs">>> {
  const seen = await seeRun(store, door, input.run);
  const wanted = wantedOf(input, seen);
  const { id: run } = seen.row;
  return {
    ...success(`following run ${run}`, { run }, { next: `signalbox show ${run}` }),
    stream: (emit, signal) => follow({ seen, wanted, emit }, signal),
  };
}

type LogWanted = {
  readonly role: string;
  readonly check: string;
  readonly attempt: number;
  readonly turn: number;
  readonly raw: boolean;
};

function wantedOf(input: InputOf<"logs">, { workflow, row }: Seen): LogWanted {
  const { role = "", check = "", attempt = 0, turn = 0, raw = false } = input;
  const { roles, artifacts } = workflow.definition;
  const known = (kind: string, name: string, names: readonly string[]): void => {
    if (name === "" || names.includes(name)) return;
    const near = closest(name, names);
    const hint = near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`;
    throw new UserError("bad-usage", `run ${row.id} has no ${kind} "${name}"${hint}`, HELP);
  };
  known("role", role, Object.keys(roles));
  known(
    "check",
    check,
    Object.keys(artifacts).filter((name) => artifacts[name]?.reader.type === "check"),
  );
  if (role !== "" && check !== "")
    throw new UserError("bad-usage", "--role and --check do not go together", HELP);
  return { role, check, attempt, turn, raw };
}

async function lastOf({ store, row }: Seen, wanted: LogWanted): Promise<JobRow | undefined> {
  const jobs = (await store.jobs({ run: row.id })).filter((job) => isWanted(job, wanted));
  return jobs.toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
}

function isWanted(job: JobRow, { role, check, attempt, turn }: LogWanted): boolean {
  if (check !== "") return job.kind === "check" && job.artifact === check;
  if (job.kind !== "turn" || (role !== "" && job.role !== role)) return false;
  return (attempt === 0 || job.attempt === attempt) && (turn === 0 || turnOf(job) === turn);
}

function aboutJob(job: JobRow): Omit<DataOf<"logs">, "text"> {
  const { run, kind, role, slot, artifact, attempt, dir, status } = job;
  return {
    run,
    kind,
    role,
    slot,
    artifact,
    attempt,
    turn: kind === "turn" ? turnOf(job) : 0,
    dir,
    live: status === "live",
  };
}

function sayJob(job: JobRow): string {
  if (job.kind === "check") return `check ${job.artifact} of run ${job.run}`;
  return `${job.role}${job.slot === "" ? "" : `/${job.slot}`} of run ${job.run}, attempt ${job.attempt}, turn ${turnOf(job)}`;
}

function noLog({ row }: Seen, { role, check }: LogWanted): UserError {
  const who = check === "" ? role || "an agent" : `check ${check}`;
  return new UserError("no-log", `nothing of ${who} was started in run ${row.id}`, {
    next: `signalbox show ${row.id}`,
    exit: EXIT_FAILED,
  });
}

/** Output stays on the machine of the agent, and a person may have removed it. */
function goneLog(job: JobRow): UserError {
  return new UserError(
    "no-log",
    `the output of ${sayJob(job)} is not on this machine: there is no ${job.dir}`,
    {
      next: `signalbox show ${job.run}`,
      exit: EXIT_FAILED,
    },
  );
}

async function follow(
  on: { seen: Seen; wanted: LogWanted; emit: Emit },
  signal: AbortSignal,
): Promise<number> {
  const { seen, wanted, emit } = on;
  const isPinned = wanted.attempt > 0 || wanted.turn > 0;
  let job = await lastOf(seen, wanted);
  let log = job === undefined ? undefined : openLog(job, wanted);
  while (!signal.aborted) {
    // Asked before the log is read: what is written in between is then read, and not lost.
    const isOver = job !== undefined && (await seen.store.job(job.id))?.status === "over";
    const isEnd = await isRunOver(seen);
    for (const line of log === undefined ? [] : newIn(log, isOver || isEnd))
      if (job !== undefined) emit({ text: `${line}\n`, data: { ...aboutJob(job), line } });
    const latest = isOver || job === undefined ? await lastOf(seen, wanted) : job;
    if (latest !== undefined && latest.id !== job?.id) {
      job = latest;
      log = openLog(job, wanted);
      emit({ text: `--- ${sayJob(job)}\n`, data: { ...aboutJob(job), line: "" } });
    } else if (isEnd || (isOver && isPinned)) return EXIT_OK;
    else await pause(signal);
  }
  return signal.reason === "SIGTERM" ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}

type FollowedLog = { readonly tail: Tail; readonly lines: LogLines };

function openLog({ dir }: JobRow, wanted: LogWanted): FollowedLog {
  return { tail: tailOf(dir), lines: logLines(dir, wanted) };
}

function newIn({ tail, lines }: FollowedLog, isOver: boolean): readonly string[] {
  return [...tail.take(isOver).flatMap((line) => lines.take(line)), ...(isOver ? lines.end() : [])];
}

async function isRunOver({ store, row }: Seen): Promise<boolean> {
  const now = await store.load(row.id);
  return (
    now === undefined ||
    (isFinished(now.row) && (await store.jobs({ run: row.id, status: "live" })).length === 0)
  );
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, POLL_MS);
    signal.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
