/** `signalbox logs`: what an agent or a check has printed, and prints. */

import { UserError } from "../../../adapters/user-error.ts";
import { closest } from "../../../core/text/closest.ts";
import type { JobRow } from "../../../engine/ports/registry.ts";
import { isFinished, seeRun, withStore, type Seen } from "../../../app/runs/find.ts";
import { EXIT_INTERRUPTED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import type { Emit } from "../../../app/outcome.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { tailOf, wholeLog } from "../../../app/story/log.ts";
import { turnOf } from "../../../app/view/status/processes.ts";

const HELP = "signalbox logs --help";
const EXIT_TERMINATED = 143;
const EXIT_FAILED = 1;
const NUMBER_MAX = 1_000_000;
const POLL_MS = 150;

/** What `--json` gives; with `--follow`, one document for each line: the same with `line` in the place of `text`. */
export type LogsData = {
  readonly run: string;
  readonly kind: "turn" | "check";
  readonly role: string;
  readonly slot: string;
  readonly artifact: string;
  readonly attempt: number;
  readonly turn: number;
  readonly dir: string;
  readonly live: boolean;
  readonly text: string;
};

export const command: Command = {
  usage: "[RUN] [--role R] [--attempt N] [--turn N] [--check ARTIFACT] [--follow]",
  about:
    "Prints what an agent has printed: of the last turn of any agent, unless you say which. With --follow it goes on, from turn to turn, until the run ends or you interrupt it.",
  words: { min: 0, max: 1 },
  options: {
    role: { takes: "ROLE", about: "of this role" },
    attempt: { takes: "N", about: "of this attempt" },
    turn: { takes: "N", about: "of this turn" },
    check: { takes: "ARTIFACT", about: "of the check that makes this artifact" },
    follow: { about: "go on with what is printed from now on", short: "f" },
  },
  examples: [
    "signalbox logs abcd -f",
    "signalbox logs abcd --role reviewer --attempt 2",
    "signalbox logs --check tests",
  ],
  answer: (given, door) =>
    withStore(door, (store) => {
      const seen = seeRun(store, door, given.words[0]);
      const wanted = wantedOf(given, seen);
      if (given.options["follow"] !== undefined) return followed(seen, wanted);
      const job = lastOf(seen, wanted);
      if (job === undefined) throw noLog(seen, wanted);
      const data: LogsData = { ...aboutJob(job), text: wholeLog(job.dir) };
      return {
        exit: EXIT_OK,
        code: "ok",
        message: sayJob(job),
        data: () => data,
        text: () => ended(data.text),
        next: `signalbox logs ${seen.row.id} --follow`,
        talk: `  ${sayJob(job)}\n`,
      } satisfies Answer;
    }),
};

type Wanted = {
  readonly role: string;
  readonly check: string;
  readonly attempt: number;
  readonly turn: number;
};

function wantedOf(given: Given, { workflow, row }: Seen): Wanted {
  const { role = "", check = "" } = given.options;
  const { roles, artifacts } = workflow.definition;
  const count = (name: string): number =>
    numberOption(given, name, { otherwise: 0, min: 1, max: NUMBER_MAX, help: HELP });
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
  return { role, check, attempt: count("attempt"), turn: count("turn") };
}

function lastOf({ store, row }: Seen, wanted: Wanted): JobRow | undefined {
  const jobs = store.jobs({ run: row.id }).filter((job) => isWanted(job, wanted));
  return jobs.toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
}

function isWanted(job: JobRow, { role, check, attempt, turn }: Wanted): boolean {
  if (check !== "") return job.kind === "check" && job.artifact === check;
  if (job.kind !== "turn" || (role !== "" && job.role !== role)) return false;
  return (attempt === 0 || job.attempt === attempt) && (turn === 0 || turnOf(job) === turn);
}

function aboutJob(job: JobRow): Omit<LogsData, "text"> {
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

function noLog({ row }: Seen, { role, check }: Wanted): UserError {
  const who = check === "" ? role || "an agent" : `check ${check}`;
  return new UserError("no-log", `nothing of ${who} was started in run ${row.id}`, {
    next: `signalbox show ${row.id}`,
    exit: EXIT_FAILED,
  });
}

function followed(seen: Seen, wanted: Wanted): Answer {
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `following run ${seen.row.id}`,
    data: () => ({}),
    text: () => "",
    next: `signalbox show ${seen.row.id}`,
    stream: (emit, signal) => follow({ seen, wanted, emit }, signal),
  };
}

/** From turn to turn, until nothing more can come. */
async function follow(on: { seen: Seen; wanted: Wanted; emit: Emit }, signal: AbortSignal): Promise<number> {
  const { seen, wanted, emit } = on;
  const isPinned = wanted.attempt > 0 || wanted.turn > 0;
  let job = lastOf(seen, wanted);
  let tail = job === undefined ? undefined : tailOf(job.dir);
  while (!signal.aborted) {
    // Asked before the log is read: what is written in between is then read, and not lost.
    const isOver = job !== undefined && seen.store.job(job.id)?.status === "over";
    const isEnd = isRunOver(seen);
    for (const line of tail?.take(isOver || isEnd) ?? [])
      if (job !== undefined) emit({ text: `${line}\n`, data: { ...aboutJob(job), line } });
    const latest = isOver || job === undefined ? lastOf(seen, wanted) : job;
    if (latest !== undefined && latest.id !== job?.id) {
      job = latest;
      tail = tailOf(job.dir);
      emit({ text: `--- ${sayJob(job)}\n`, data: { ...aboutJob(job), line: "" } });
    } else if (isEnd || (isOver && isPinned)) return EXIT_OK;
    else await pause(signal);
  }
  return signal.reason === "SIGTERM" ? EXIT_TERMINATED : EXIT_INTERRUPTED;
}

function isRunOver({ store, row }: Seen): boolean {
  const now = store.load(row.id);
  return (
    now === undefined || (isFinished(now.row) && store.jobs({ run: row.id, status: "live" }).length === 0)
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

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
