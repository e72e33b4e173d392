/** Looks after processes: what was reported, and at every tick everything that lives, and files that are behind. */

import { isHalted } from "../halted.ts";
import type { Works } from "../box.ts";
import { checkOver, isFinal, restartCheck } from "../checks/check.ts";
import { askedTime } from "./asked-time.ts";
import type { Hands } from "./in-progress.ts";
import type { JobRow } from "../ports/registry.ts";
import { project } from "../submit/project.ts";
import { reportTurn } from "./turn-report.ts";
import { dropRequests } from "./dropped-requests.ts";
import { restartTurn, suspend, turnOver } from "../agents/turn-end.ts";
import { isExpected } from "../../core/step/move-at-end.ts";
import type { Kept } from "../ports/journal.ts";
import { isSameAttempt } from "../../core/model/run.ts";

/** A shim reports a moment before it is gone. Whoever else reports is not believed for longer. */
const LOOKS_MAX = 40;
const AGAIN_MS = 5;

export class Watch {
  readonly #works: Works;
  readonly #tickMs: number;
  readonly #waits: Waits;
  /** How often each was looked at since. */
  readonly #reported = new Map<string, number>();
  #isInDoubt = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wallAt: number;
  /** The last time that the clock jumped: when, and by how much. */
  #jump = { at: 0, ms: 0 };

  constructor(works: Works, tickMs: number) {
    this.#works = works;
    this.#tickMs = tickMs;
    this.#waits = new Waits(works);
    this.#wallAt = works.clock.now();
  }

  async look(hands: Hands): Promise<void> {
    const { store, processes, clock } = this.#works;
    for (const id of processes.reported()) this.#reported.set(id, 0);
    const again = new Map<string, number>();
    for (const [id, looks] of this.#reported) {
      const job = await store.job(id);
      // While something else of its run is under way, it is looked at again.
      if (job !== undefined && hands.isBusyWith(job.run)) continue;
      this.#reported.delete(id);
      if (job?.status !== "live" || !(await this.#isAliveStill(job, hands)) || looks >= LOOKS_MAX) continue;
      again.set(id, looks + 1);
    }
    for (const [id, looks] of again) this.#reported.set(id, looks);
    this.#isInDoubt = again.size > 0;
    for (const job of await store.haltedJobs())
      if (!hands.isBusyWith(job.run)) hands.take(job.run, () => suspend(this.#works, job));
    const now = clock.mono();
    if (now - this.#lookedAt < this.#tickMs) return;
    const jobs = await store.jobs({ status: "live" });
    await this.#forgiveSleep(jobs, now);
    this.#lookedAt = now;
    // Not when it was reported: the last words of who is about to end are still to be read.
    for (const job of jobs) await this.#isAliveStill(job, hands, () => processes.rotate(job.dir));
    for (const id of await store.behind())
      if (!hands.isBusyWith(id)) hands.take(id, async () => void (await project(this.#works, id)));
  }

  /** How long it may be until the next look. */
  get restMs(): number {
    return this.#isInDoubt ? AGAIN_MS : this.#tickMs;
  }

  /** While the machine slept, nobody worked and nobody stalled: the limits move along with the clock. */
  async #forgiveSleep(jobs: readonly JobRow[], mono: number): Promise<void> {
    const wall = this.#works.clock.now();
    // In whole milliseconds, as all times that are kept.
    const jump = Math.round(wall - this.#wallAt - (mono - this.#lookedAt));
    this.#wallAt = wall;
    if (!Number.isFinite(jump) || Math.abs(jump) < this.#tickMs) return;
    this.#jump = { at: wall, ms: jump };
    for (const job of jobs) {
      const endsBy = job.endsBy === 0 ? 0 : job.endsBy + jump;
      await this.#works.store.commit([
        { type: "put-job", job: { ...job, endsBy, startedAt: job.startedAt + jump } },
      ]);
    }
  }

  /** One that cannot be looked at is shown with its run, and the others are looked at. */
  async #isAliveStill(job: JobRow, hands: Hands, tend?: () => void): Promise<boolean> {
    if (hands.isBusyWith(job.run)) return false;
    try {
      const isAlive = await this.#see(job, hands);
      if (isAlive) tend?.();
      return isAlive;
    } catch (error) {
      hands.take(job.run, () => Promise.reject(error));
      return false;
    }
  }

  async #see(job: JobRow, hands: Hands): Promise<boolean> {
    const process = this.#works.processes.probe(job.dir);
    const limit = process.type === "alive" ? await this.#limitOf(job, process.outputAt) : "";
    if (process.type === "starting" || (process.type === "alive" && limit === "")) return true;
    if (process.type === "absent") hands.take(job.run, () => restart(this.#works, job));
    else hands.take(job.run, () => over(this.#works, job, limit));
    return false;
  }

  async #limitOf(job: JobRow, outputAt: number): Promise<JobRow["killed"]> {
    const now = this.#works.clock.now();
    if (job.kind === "check" && (await isUnasked(this.#works, job))) return "killed";
    const begunAt = await this.#begunAt(job);
    if (begunAt === undefined) return "";
    const seen = { now, begunAt, heardAt: Math.max(this.#moved(outputAt), begunAt) };
    const limit = limitReached(job, seen);
    if (limit === "" || job.kind === "check") return limit;
    const asked = await askedTime(this.#works.store, job);
    if (asked.isOpen) return "";
    const heardAt = Math.max(seen.heardAt, this.#moved(asked.until));
    return limitReached(job, { ...seen, begunAt: begunAt + asked.ms, heardAt });
  }

  /** From when on its limits count; undefined where they do not. Rows move along with the clock by themselves. */
  async #begunAt(job: JobRow): Promise<number | undefined> {
    if (job.seat !== "resident") return job.startedAt;
    const since = await this.#waits.since(job);
    return since === undefined ? undefined : Math.max(this.#moved(since), job.startedAt);
  }

  /** What was before the jump is so long ago by the new clock, too. */
  #moved(time: number): number {
    const { at, ms } = this.#jump;
    return time < at ? time + ms : time;
  }
}

type LimitTimes = { readonly now: number; readonly begunAt: number; readonly heardAt: number };

function limitReached(job: JobRow, { now, begunAt, heardAt }: LimitTimes): JobRow["killed"] {
  // The row has the limit as the end of what began with the process.
  if (job.endsBy !== 0 && now - begunAt > job.endsBy - job.startedAt) return "timed-out";
  return job.stallMs !== 0 && now - heardAt > job.stallMs ? "stalled" : "";
}

/** Its run is over. */
async function isUnasked(works: Works, { run }: JobRow): Promise<boolean> {
  const kept = await works.store.load(run);
  return kept !== undefined && (await isFinal(works, kept));
}

async function restart(works: Works, job: JobRow): Promise<void> {
  if ((await works.store.job(job.id))?.status !== "live" || (await isHalted(works.store, job.run))) return;
  if (job.kind === "turn") await restartTurn(works, job);
  else await restartCheck(works, job);
}

/** A process has ended, or must end now. */
async function over(works: Works, seen: JobRow, limit: JobRow["killed"]): Promise<void> {
  const { store, processes } = works;
  // Something else of this run may have dealt with it while we waited for our turn.
  const job = await store.job(seen.id);
  if (job === undefined || job.status === "over") return;
  const killed = job.killed === "" ? limit : job.killed;
  if (killed !== job.killed) await store.commit([{ type: "put-job", job: { ...job, killed } }]);
  const process = processes.probe(job.dir);
  // Also after an ordinary end: what it left behind in its group must not outlive it.
  await processes.kill(job);
  const end = process.type === "alive" ? processes.probe(job.dir) : process;
  const ended = { ...job, killed };
  if (job.kind === "turn") await dropRequests(works, job);
  // Whoever suspended it died before saying so: the agent is idle already.
  if (killed === "halted") {
    if (job.kind === "turn") await reportTurn(works, ended);
    await store.commit([{ type: "put-job", job: { ...ended, status: "over" } }]);
    return;
  }
  if (job.kind === "turn") await turnOver(works, ended, end);
  else await checkOver(works, ended, end);
}

/** So many events are read at a time, backwards. */
const STRETCH = 64;

/**
 * Since when a run waits for an agent that stays in its terminal.
 *
 * Such an agent lives through states in which others are at work, and sits still there as it should: its limits count from the moment
 * in which the run came to wait for it, or in which it was last told something.
 */
class Waits {
  readonly #works: Pick<Works, "store" | "workflow">;
  /** By run: the entry that was last looked at, and when the run came there. */
  readonly #entered = new Map<string, { readonly entry: number; readonly at: number }>();

  constructor(works: Pick<Works, "store" | "workflow">) {
    this.#works = works;
  }

  /** In milliseconds since 1970; undefined where the run waits for others. */
  async since(job: JobRow): Promise<number | undefined> {
    const { store } = this.#works;
    const { run, role } = job;
    const kept = await store.load(run);
    if (kept === undefined || !isExpected(await this.#works.workflow(kept.row.definition), kept.run, role)) {
      this.#entered.delete(run);
      return undefined;
    }
    const told = (await store.messages(run)).filter((row) => isSameAttempt(row, job)).map(({ at }) => at);
    return Math.max(await this.#enteredAt(kept), ...told);
  }

  async #enteredAt({ row: { id }, run: { entry, seq } }: Kept): Promise<number> {
    const known = this.#entered.get(id);
    if (known?.entry === entry) return known.at;
    const at = await this.#lastMove(id, seq);
    this.#entered.set(id, { entry, at });
    return at;
  }

  async #lastMove(run: string, seq: number): Promise<number> {
    for (let end = seq; end > 0; end -= STRETCH) {
      const from = Math.max(1, end - STRETCH + 1);
      const events = await this.#works.store.events(run, from, end - from + 1);
      const moved = events.findLast(({ event }) => event.type === "moved");
      if (moved !== undefined) return Date.parse(moved.at);
    }
    return 0;
  }
}
