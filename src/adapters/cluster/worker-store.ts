/**
 * The store as a worker sees it: of what is to be done, only what belongs to runs that are placed on its machine.
 *
 * Every batch begins with the term of the worker. A worker that is not in its term any more writes nothing, and `onFenced` ends it.
 */

import type { BatchAnswer, Write } from "../../engine/ports/commit.ts";
import type { Store } from "../../engine/ports/store.ts";
import { NOT_IN_TERM } from "../store/members.ts";
import { NoSlot } from "../../engine/queue/slots.ts";

export type WorkerView = {
  readonly machine: string;
  /** At most so many agents work on this machine. */
  readonly slots: number;
  readonly term: () => number;
  /** Whether the run is placed here, with everything that it needs. */
  readonly owns: (run: string) => Promise<boolean>;
  readonly onFenced: (reason: string) => never;
};

const ALL = 100_000;

export function workerStore(store: Store, view: WorkerView): Store {
  const { owns } = view;
  const own = async <Row extends { readonly run: string }>(
    rows: Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => {
    const all = await rows;
    const isOwn = await Promise.all(all.map(({ run }) => owns(run)));
    return all.filter((_, place) => isOwn[place] === true);
  };
  return {
    ...store,
    commit: commits(store, view),
    // The worker has its term already.
    fence: () => Promise.resolve(view.term() - 1),
    due: async (now, limit) => (await own(store.due(now, ALL))).slice(0, limit),
    // The next look is soon anyway, and what is due elsewhere is no reason for one.
    nextDue: () => Promise.resolve(undefined),
    async queuedDeeds() {
      const rows = (await store.queuedDeeds()).map((row) => ({ ...row, run: runOf(row.key) }));
      return own(Promise.resolve(rows));
    },
    agents: (filter) => own(store.agents(filter)),
    idleMoved: () => own(store.idleMoved()),
    liveTurns: (repo) => own(store.liveTurns(repo)),
    comingTurns: (repo) => own(store.comingTurns(repo)),
    jobs: (filter) => own(store.jobs(filter)),
    haltedJobs: () => own(store.haltedJobs()),
    workspaces: () => own(store.workspaces()),
    line: () => own(store.line()),
    async graphs() {
      const rows = (await store.graphs()).map((row) => ({ graph: row, run: row.parent }));
      return (await own(Promise.resolve(rows))).map(({ graph }) => graph);
    },
    unattended: (run) => own(store.unattended(run)),
    async behind() {
      const rows = (await store.behind()).map((run) => ({ run }));
      return (await own(Promise.resolve(rows))).map(({ run }) => run);
    },
    async projectAt(repo) {
      const row = await store.projectAt(repo);
      return row === undefined ? undefined : { ...row, agents: Math.min(row.agents, view.slots) };
    },
    isBusy: () => Promise.resolve(true),
  };
}

function runOf(key: string): string {
  return key.split(":", 1)[0] ?? "";
}

function commits(store: Store, view: WorkerView): Store["commit"] {
  /** With which term each effect was claimed: this process may have begun another one since, when it took a machine over. */
  const claims = new Map<string, number>();
  let starting: Promise<unknown> = Promise.resolve();
  const write = async (batch: readonly Write[]): Promise<BatchAnswer> => {
    const term = view.term();
    const members: Write[] = batch.map((member) => inTerm(member, term, claims));
    const expected: Write = { type: "expect-term", machine: view.machine, term };
    const answer = await store.commit([expected, ...members]);
    if (answer.type === "conflict" && answer.reason === NOT_IN_TERM) {
      // This process may have begun a new term of its own while the batch was on its way.
      if (view.term() !== term) return write(batch);
      return view.onFenced(answer.reason);
    }
    return answer;
  };
  return async (batch) => {
    if (batch.every(({ type }) => type === "take-fence")) return { type: "written" };
    for (const member of batch) {
      if (member.type !== "claim") continue;
      if (!(await view.owns(runOf(member.key)))) return { type: "conflict", reason: "its run is not here" };
      claims.set(member.key, view.term());
    }
    const turn = batch.find((member) => member.type === "put-job");
    if (turn?.job.kind !== "turn" || turn.job.status !== "live") return write(batch);
    // Turns begin one after the other, so that the count holds until the turn is written.
    const begun = starting.then(async () => {
      await requireMachineSlot(store, view, turn.job.id);
      return write(batch);
    });
    starting = begun.catch(() => undefined);
    return begun;
  };
}

function inTerm(member: Write, term: number, claims: ReadonlyMap<string, number>): Write {
  if (member.type === "claim") return { ...member, fence: term };
  if (member.type === "settle") return { ...member, fence: claims.get(member.key) ?? term };
  return member;
}

async function requireMachineSlot(store: Store, { slots, owns }: WorkerView, id: string): Promise<void> {
  const turns = (await store.jobs({ status: "live" })).filter(({ kind }) => kind === "turn");
  const isOwn = await Promise.all(turns.map(({ run }) => owns(run)));
  if (turns.some((turn) => turn.id === id)) return;
  const atWork = turns.filter((_, place) => isOwn[place] === true).length;
  if (atWork >= slots)
    throw new NoSlot(
      `${atWork} of ${slots} slots of this machine are in use (raise with: signalbox worker --slots)`,
    );
}
