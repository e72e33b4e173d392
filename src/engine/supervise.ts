/**
 * The supervisor: does what is to be done, looks after what lives, and decides nothing.
 *
 * It keeps no state that matters. Killed at any moment, the next one finds everything in the store and in the world.
 */

import type { Works } from "./box.ts";
import { checkOver, restartCheck } from "./check.ts";
import { perform } from "./perform.ts";
import type { DeedRow, JobRow, Outcome } from "./ports.ts";
import { restartTurn, turnOver, wakeIdle } from "./turn.ts";
import { project } from "./project.ts";

export type Pace = {
  /** Between two looks at everything that lives. */
  readonly tickMs: number;
  readonly leaseMs: number;
  /** Deeds that are under way at the same time, of different runs. */
  readonly atOnce: number;
  readonly backoffMs: readonly number[];
};

export const PACE: Pace = { tickMs: 5000, leaseMs: 600_000, atOnce: 8, backoffMs: [1000, 2000, 4000, 8000] };

/** What is due and cannot be begun yet must not keep us spinning. */
const REST_MS = 25;

export type Alarm = {
  /** Until something happened, or the time is over. */
  wait(ms: number): Promise<void>;
  ring(): void;
};

export async function supervise(
  works: Works,
  on: { readonly pace: Pace; readonly alarm: Alarm; readonly isOver: () => boolean },
): Promise<void> {
  const { pace, alarm } = on;
  const fence = works.store.fence();
  const hands = new Hands(alarm);
  const watch = new Watch(works, pace);
  while (!on.isOver()) {
    watch.look(hands);
    act(works, { fence, pace, hands });
    for (const id of works.store.behind())
      if (!hands.isBusyWith(id)) hands.take(id, async () => void (await project(works, id)), fail(works, id));
    if (!hands.isBusy() && !works.store.isBusy(works.clock.now())) break;
    const due = works.store.nextDue() ?? Number.POSITIVE_INFINITY;
    const untilDue = Math.max(due - works.clock.now(), REST_MS);
    await alarm.wait(hands.isFull(pace.atOnce) ? pace.tickMs : Math.min(pace.tickMs, untilDue));
  }
  await hands.rest();
}

/** What is under way, one thing per run: nothing of a run happens at the same time as anything else of it. */
class Hands {
  readonly #alarm: Alarm;
  readonly #busy = new Map<string, Promise<void>>();

  constructor(alarm: Alarm) {
    this.#alarm = alarm;
  }

  take(run: string, work: () => Promise<void>, failed: (error: unknown) => void): void {
    const done = (this.#busy.get(run) ?? Promise.resolve())
      .then(work)
      .catch(failed)
      .finally(() => {
        if (this.#busy.get(run) === done) this.#busy.delete(run);
        this.#alarm.ring();
      });
    this.#busy.set(run, done);
  }

  isBusyWith(run: string): boolean {
    return this.#busy.has(run);
  }

  isBusy(): boolean {
    return this.#busy.size > 0;
  }

  isFull(max: number): boolean {
    return this.#busy.size >= max;
  }

  async rest(): Promise<void> {
    await Promise.all(this.#busy.values());
  }
}

function act(works: Works, on: { readonly fence: number; readonly pace: Pace; readonly hands: Hands }): void {
  const { store, clock } = works;
  const { fence, pace, hands } = on;
  for (const { key, run } of store.due(clock.now(), pace.atOnce * 4)) {
    if (hands.isFull(pace.atOnce)) return;
    if (hands.isBusyWith(run)) continue;
    const row = store.claim(key, fence, clock.now() + pace.leaseMs);
    if (row === undefined) continue;
    hands.take(run, () => carryOut(works, row, { fence, pace }), fail(works, run));
  }
  for (const agent of store.idleMoved()) {
    if (hands.isBusyWith(agent.run) || hands.isFull(pace.atOnce)) continue;
    hands.take(agent.run, () => wakeIdle(works, agent), fail(works, agent.run));
  }
}

async function carryOut(
  works: Works,
  row: DeedRow,
  on: { readonly fence: number; readonly pace: Pace },
): Promise<void> {
  const { store, clock } = works;
  let outcome: Outcome;
  try {
    outcome = { type: "done", note: await perform(works, row) };
  } catch (error) {
    outcome = afterFailure(error, row, { now: clock.now(), backoffMs: on.pace.backoffMs });
    works.log(`${row.key} ${row.deed.type}: ${outcome.note}`);
  }
  store.settle(row.key, on.fence, outcome);
}

/** What a person can mend is shown at once; everything else is tried again, and then shown. */
function afterFailure(
  error: unknown,
  { run, tries, deed }: DeedRow,
  on: { readonly now: number; readonly backoffMs: readonly number[] },
): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const note = `${deed.type}: ${message}`;
  const isTheirs = error instanceof Error && "next" in error && typeof error.next === "string";
  const wait = on.backoffMs[tries - 1];
  if (!isTheirs && wait !== undefined) return { type: "again", note, dueAt: on.now + wait };
  const mend = isTheirs ? `${String(error.next)}, then: ` : "";
  return { type: "attention", note, next: `${mend}signalbox resume ${run}` };
}

function fail(works: Works, run: string): (error: unknown) => void {
  return (error) => {
    works.log(`${run}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  };
}

/** Looks after processes: what was reported, and at every tick everything that lives. */
class Watch {
  readonly #works: Works;
  readonly #pace: Pace;
  readonly #reported = new Set<string>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wallAt: number;

  constructor(works: Works, pace: Pace) {
    this.#works = works;
    this.#pace = pace;
    this.#wallAt = works.clock.now();
  }

  look(hands: Hands): void {
    const { store, processes, clock } = this.#works;
    for (const id of processes.reported()) this.#reported.add(id);
    for (const id of this.#reported) {
      const job = store.job(id);
      // While something else of its run is under way, it is looked at again.
      if (job !== undefined && hands.isBusyWith(job.run)) continue;
      this.#reported.delete(id);
      if (job !== undefined && job.status === "live") this.#see(job, hands);
    }
    const now = clock.mono();
    if (now - this.#lookedAt < this.#pace.tickMs) return;
    const jobs = store.jobs({ status: "live" });
    this.#forgiveSleep(jobs, now);
    this.#lookedAt = now;
    for (const job of jobs) this.#see(job, hands);
  }

  /** While the machine slept, nobody worked and nobody stalled: the limits move along with the clock. */
  #forgiveSleep(jobs: readonly JobRow[], mono: number): void {
    const wall = this.#works.clock.now();
    const jump = wall - this.#wallAt - (mono - this.#lookedAt);
    this.#wallAt = wall;
    if (!Number.isFinite(jump) || Math.abs(jump) < this.#pace.tickMs) return;
    for (const job of jobs) {
      const endsBy = job.endsBy === 0 ? 0 : job.endsBy + jump;
      this.#works.store.putJob({ ...job, endsBy, startedAt: job.startedAt + jump });
    }
  }

  #see(job: JobRow, hands: Hands): void {
    if (hands.isBusyWith(job.run)) return;
    const process = this.#works.processes.probe(job.dir);
    const limit = process.type === "alive" ? this.#limitOf(job, process.outputAt) : "";
    if (process.type === "alive" && limit === "") {
      this.#works.processes.rotate(job.dir);
      return;
    }
    if (process.type === "starting") return;
    if (process.type === "absent") {
      hands.take(job.run, () => restart(this.#works, job), fail(this.#works, job.run));
      return;
    }
    hands.take(job.run, () => over(this.#works, job, limit), fail(this.#works, job.run));
  }

  #limitOf(job: JobRow, outputAt: number): JobRow["killed"] {
    const now = this.#works.clock.now();
    if (job.kind === "turn" && this.#works.store.isHalted(job.run)) return "halted";
    if (job.endsBy !== 0 && now > job.endsBy) return "timed-out";
    const heardAt = Math.max(outputAt, job.startedAt);
    return job.stallMs !== 0 && now - heardAt > job.stallMs ? "stalled" : "";
  }
}

async function restart(works: Works, job: JobRow): Promise<void> {
  if (works.store.job(job.id)?.status !== "live" || works.store.isHalted(job.run)) return;
  if (job.kind === "turn") await restartTurn(works, job);
  else await restartCheck(works, job);
}

/** A process has ended, or must end now. */
async function over(works: Works, seen: JobRow, limit: JobRow["killed"]): Promise<void> {
  const { store, processes } = works;
  // Something else of this run may have dealt with it while we waited for our turn.
  const job = store.job(seen.id);
  if (job === undefined || job.status === "over") return;
  const killed = job.killed === "" ? limit : job.killed;
  if (killed !== job.killed) store.putJob({ ...job, killed });
  const process = processes.probe(job.dir);
  // Also after an ordinary end: what it left behind in its group must not outlive it.
  await processes.kill(job);
  const end = process.type === "alive" ? processes.probe(job.dir) : process;
  const ended = { ...job, killed };
  if (job.kind === "turn") await turnOver(works, ended, end);
  else await checkOver(works, ended, end);
}
