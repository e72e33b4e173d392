/** The supervisor of one machine of several: over the shared database, for runs that are placed on this machine. It does not exit by itself. */

import { dbosDispatcher } from "../../adapters/cluster/dispatch.ts";
import { endStrangers, machineAt } from "../../adapters/cluster/machine.ts";
import { openCluster } from "../../adapters/cluster/cluster.ts";
import { Placing } from "../../adapters/cluster/placing.ts";
import { MachineLock } from "../../adapters/cluster/machine-lock.ts";
import { workerStore } from "../../adapters/cluster/worker-store.ts";
import { openWorkerWorks } from "../../adapters/cluster/works.ts";
import { openPostgres } from "../../adapters/postgres/open.ts";
import { listen, type Listening } from "../../adapters/supervisor/listen.ts";
import { takeSupervisorLock } from "../../adapters/supervisor/lock.ts";
import { watchPokes } from "../../adapters/supervisor/poke.ts";
import { UserError } from "../../adapters/user-error.ts";
import { alarmClock } from "../../adapters/works/alarm.ts";
import { selfCommand, writeLauncher } from "../../adapters/works/launcher.ts";
import { sweep } from "../../adapters/works/sweep.ts";
import { PACE, supervise } from "../../engine/supervise/supervise.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import { saveEnvironment } from "../runs/environment.ts";
import { requireHome } from "../runs/find.ts";
import { earsOf, hearAgain } from "../../adapters/sandbox/ears.ts";
import { serving, servingCell } from "../serve.ts";
import { requireNoAgent } from "../supervise.ts";

export type WorkerOptions = {
  /** `postgres://user@host/database`. */
  readonly database: string;
  readonly slots: number;
  readonly takeOverSeconds: number;
};

/** Other machines write to the same database and cannot wake this one. */
const LOOK_MS = 250;
/** An effect of a process that lost its connection for good: the claim is looked at again after this time. */
const LEASE_MS = 60_000;
const EXIT_FENCED = EXIT_CONFLICT;
const EXIT_FAILED = 1;

/** Gives why it ended, in words. */
export async function work(door: Invocation, of: WorkerOptions): Promise<string> {
  const own = requireHome(door);
  requireNoAgent(door, own);
  const machine = machineAt(own.root);
  try {
    return await workOn(machine, door, of);
  } catch (error) {
    if (error instanceof UserError) throw error;
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    // Connections of DBOS would keep a process that does nothing any more.
    process.exit(EXIT_FAILED);
  }
}

function log(line: string): void {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

async function workOn(
  { home, id, name }: ReturnType<typeof machineAt>,
  door: Invocation,
  of: WorkerOptions,
): Promise<string> {
  const lock = takeSupervisorLock(home);
  if (lock === undefined)
    throw new UserError("worker-runs", `another worker uses ${home.root}`, {
      next: "SIGNALBOX_HOME=FOLDER signalbox worker ...",
      exit: EXIT_CONFLICT,
    });
  const env = { ...door.env, SIGNALBOX_HOME: home.root, SIGNALBOX_DATABASE: of.database };
  saveEnvironment(home, door.env);
  const held = new MachineLock(of.database, id);
  await held.hold();
  const [cluster, shared] = await Promise.all([openCluster(of.database), openPostgres(of.database)]);
  let term = await cluster.enrol({ id, name });
  const alarm = alarmClock();
  const ring = (): void => alarm.ring();
  const dispatcher = dbosDispatcher({
    url: of.database,
    machine: id,
    executor: `${id}-${term}`,
    alone: (begin) => cluster.alone("dbos", begin),
    ready: (run) => placing.untilHere(run),
    log,
  });
  const placing = new Placing({
    home,
    cluster,
    lock: held,
    store: shared,
    machine: id,
    slots: of.slots,
    takeOverMs: of.takeOverSeconds * 1000,
    log,
    onTakenOver: async (taken) => {
      term = taken.term;
      await dispatcher.adopt(taken.from.id);
    },
  });
  const store = workerStore(shared, {
    machine: id,
    slots: of.slots,
    term: () => term,
    owns: placing.isHere,
    onFenced(reason) {
      log(`${reason}: another machine has taken over its runs, so it ends`);
      // At once: whatever this process has begun must write nothing more.
      process.exit(EXIT_FENCED);
    },
  });
  writeLauncher(home);
  sweep(home, Date.now());
  const ears = earsOf(home, (job) => servingCell({ home, box: works, env, ring }, job));
  const works = openWorkerWorks({ git: { home, env }, store, cluster, log, ring, ears });
  const watch = watchPokes(home, ring);
  let isOver = false;
  const end = (): void => {
    isOver = true;
    ring();
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  let listening: Listening | undefined;
  const placed = placing.observer(works);
  try {
    await placing.refresh();
    await endStrangers(home, works.processes, placing.owns);
    await hearAgain(home, store, ears);
    const [, program] = selfCommand();
    listening = await listen(
      home,
      serving({ home, box: works, env, programs: [program], ring, isWorker: true }),
    );
    log(`the worker ${name} is at work: ${of.slots} slots, term ${term}`);
    await supervise(works, {
      pace: { ...PACE, tickMs: LOOK_MS, leaseMs: LEASE_MS },
      alarm,
      isOver: () => isOver,
      dispatcher,
      observers: [placed],
    });
  } finally {
    await Promise.all([listening?.close(), ears.end()]);
    watch.close();
  }
  await dispatcher.close();
  await held.close();
  await Promise.all([cluster.close(), shared.close()]);
  lock.release();
  return "done";
}
