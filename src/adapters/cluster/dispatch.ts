/**
 * Effects as DBOS workflows: one for each try, in the queue of the machine that the run is placed on.
 *
 * The id of a workflow is the key of its effect; a later try adds the number of tries before it. A workflow may end without a claim,
 * for example because a person stopped the run: the effect is due again later, under an id that no workflow has. DBOS keeps workflows
 * of a process that was killed; the next process moves them to its own queue.
 */

import { setTimeout as pause } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { Dispatcher } from "../../engine/supervise/supervise.ts";
import { persist } from "../postgres/failure.ts";

/** Raised when a new version would carry out a workflow of the old one differently. */
const VERSION = "1";
const WAIT_MS = 120_000;
const POLL_MS = 100;
const LAUNCHES_MAX = 30;
const AGAIN_MS = 1000;
const QUIET_MS = 10_000;
const LISTED_MAX = 10_000;
const RETRIES = { retriesAllowed: true, maxAttempts: 5, intervalSeconds: 1 };
const OPEN: ReadonlySet<string> = new Set(["ENQUEUED", "PENDING", "DELAYED"]);

export type DispatchOptions = {
  readonly url: string;
  readonly machine: string;
  /** Unique for each process. */
  readonly executor: string;
  /** DBOS makes its tables when it is launched: two processes at once would be in each other's way. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Waits until effects of a run can be carried out here: a workflow of another machine may be faster than its run. */
  readonly ready: (run: string) => Promise<void>;
  /** What DBOS has to say, which is not for people's screens. */
  readonly log: (line: string) => void;
};

export type DbosDispatcher = Dispatcher & {
  /** Moves workflows of a machine that nobody carries out any more to this one. */
  adopt(machine: string): Promise<void>;
  close(): Promise<void>;
};

export function dbosDispatcher({
  url,
  machine,
  executor,
  alone,
  ready,
  log,
}: DispatchOptions): DbosDispatcher {
  const queueName = queueOf(machine);
  const insist = <T>(ask: () => Promise<T>): Promise<T> => persist({ path: "DBOS", waitMs: WAIT_MS }, ask);
  /** Effects with a workflow in this process. */
  const underWay = new Set<string>();
  /** How many workflows of each try ended here without a claim. */
  const inVain = new Map<string, number>();
  const adopt = async (from: string): Promise<void> => {
    const left = await insist(() =>
      DBOS.listWorkflows({
        queueName: queueOf(from),
        status: ["PENDING", "ENQUEUED"],
        limit: LISTED_MAX,
        loadInput: false,
        loadOutput: false,
      }),
    );
    const ids = left.filter(({ executorId }) => executorId !== executor).map(({ workflowID }) => workflowID);
    if (ids.length > 0) await insist(() => DBOS.resumeWorkflows(ids, { queueName }));
  };
  let effect: ((key: string, run: string) => Promise<void>) | undefined;
  return {
    async begin(carryOut) {
      effect = DBOS.registerWorkflow(
        async (key: string, run: string) => {
          try {
            const work = async (): Promise<void> => {
              await ready(run);
              await carryOut(key, run);
            };
            await DBOS.runStep(work, { name: "carry out", ...RETRIES });
          } finally {
            underWay.delete(key);
          }
        },
        { name: "effect" },
      );
      DBOS.setConfig({
        name: "signalbox",
        systemDatabaseUrl: url,
        applicationVersion: VERSION,
        executorID: executor,
        listenQueues: [queueName],
        logger: quiet(log),
      });
      await alone(launch);
      await insist(() => DBOS.registerQueue(queueName, { minPollingIntervalMs: POLL_MS }));
      await adopt(machine);
    },
    async dispatch({ key, run, tries }) {
      if (effect === undefined || underWay.has(key)) return;
      underWay.add(key);
      const first = tries === 0 ? key : `${key}/${tries}`;
      const before = inVain.get(first) ?? 0;
      inVain.set(first, before + 1);
      const workflowID = before === 0 ? first : `${first}+${executor}.${before}`;
      const start = DBOS.startWorkflow(effect, { workflowID, queueName });
      const handle = await insist(() => start(key, run));
      const status = (await insist(() => handle.getStatus()))?.status ?? "";
      // An earlier process has ended it.
      if (!OPEN.has(status)) underWay.delete(key);
    },
    adopt,
    close: () => DBOS.shutdown(),
  };
}

/** The database may go away meanwhile: what DBOS throws then says nothing that could be relied on. */
async function launch(): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await DBOS.launch();
    } catch (error) {
      if (tries === LAUNCHES_MAX) throw error;
      await DBOS.shutdown().catch(() => undefined);
      await pause(AGAIN_MS);
    }
  }
}

function queueOf(machine: string): string {
  return `machine-${machine}`;
}

function quiet(log: (line: string) => void): NonNullable<Parameters<typeof DBOS.setConfig>[0]["logger"]> {
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = (entry: unknown): void => {
    const now = performance.now();
    // Several loops of it ask many times a second while the database is away.
    if (now - saidAt < QUIET_MS) return;
    saidAt = now;
    log(`DBOS: ${entry instanceof Error ? entry.message : String(entry)}`);
  };
  return { info: () => undefined, debug: () => undefined, warn: say, error: say };
}
