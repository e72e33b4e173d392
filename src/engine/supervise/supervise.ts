/**
 * The supervisor: does what is to be done, looks after what lives, and decides nothing.
 *
 * It keeps no state that matters. Killed at any moment, the next one finds everything in the store and in the world.
 */

import type { Works } from "../box.ts";
import { failureReason } from "../clip.ts";
import { Deadlocks } from "./deadlocks.ts";
import type { Fact } from "./fact.ts";
import type { Observer } from "./observed-facts.ts";
import { Families } from "../tasks/families.ts";
import { adviceAfter, Hands } from "./in-progress.ts";
import { MergedElsewhere } from "./merged-elsewhere.ts";
import { perform } from "../effects/perform.ts";
import type { DeedRow, Outcome } from "../ports/outbox.ts";
import { Queue } from "../queue/queue.ts";
import { liftDue } from "../queue/parks.ts";
import { NoSlot, slotsOf } from "../queue/slots.ts";
import { wakeIdle } from "../agents/turn-end.ts";
import { Watch } from "./watch.ts";
import { Later } from "./later.ts";

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

/** Who looks for each fact that there is. */
const OBSERVERS: Readonly<Record<Fact, (works: Works, pace: Pace) => Observer>> = {
  "ready-to-start": (works) => new Queue(works),
  "branch-merged": (works, { tickMs }) => new MergedElsewhere(works, tickMs),
  "parent-over": (works) => new Families(works),
};

/**
 * Who decides when an effect that is due is carried out, and in which process. Without one, the supervisor begins at once.
 *
 * Contract: `begin` is told once how an effect is carried out. `dispatch` brings that about for one try of an effect, at least once,
 * also after this process was killed; asked again for the same try, it does nothing. Whether the effect is still to be done is
 * decided by its claim.
 */
export type Dispatcher = {
  begin(carryOut: (key: string, run: string) => Promise<void>): Promise<void>;
  dispatch(row: Pick<DeedRow, "key" | "run" | "tries">): Promise<void>;
};

export type Alarm = {
  /** Until something happened, or the time is over. */
  wait(ms: number): Promise<void>;
  ring(): void;
};

export async function supervise(
  works: Works,
  on: {
    readonly pace: Pace;
    readonly alarm: Alarm;
    readonly isOver: () => boolean;
    readonly dispatcher?: Dispatcher;
    /** More that is looked at in every round. */
    readonly observers?: readonly Observer[];
  },
): Promise<void> {
  const { pace, alarm, dispatcher } = on;
  const fence = await takeFence(works);
  const hands = new Hands(works, () => alarm.ring());
  await dispatcher?.begin((key, run) => carryOutKey(works, { key, run }, { fence, pace, hands }));
  const watch = new Watch(works, pace.tickMs);
  const observers = [
    ...(on.observers ?? []),
    ...Object.values(OBSERVERS).map((of) => of(works, pace)),
    new Deadlocks(works),
  ];
  const isIdle = async (): Promise<boolean> => !hands.isBusy() && !(await works.store.isBusy());
  while (!on.isOver()) {
    await watch.look(hands);
    for (const observer of observers) await observer.look(hands, false);
    await liftDue(works);
    await admit(works);
    await act(works, { fence, pace, hands, dispatcher });
    if (await isIdle()) {
      for (const observer of observers) await observer.look(hands, true);
      if (await isIdle()) break;
    }
    const due = (await works.store.nextDue()) ?? Number.POSITIVE_INFINITY;
    const untilDue = Math.max(due - works.clock.now(), REST_MS);
    await alarm.wait(hands.isFull(pace.atOnce) ? watch.restMs : Math.min(watch.restMs, untilDue));
  }
  await hands.rest();
}

/** A number higher than that of every supervisor before. This one holds the lock, so that conflicts end. */
async function takeFence({ store }: Works): Promise<number> {
  for (;;) {
    const fence = (await store.fence()) + 1;
    if ((await store.commit([{ type: "take-fence", fence }])).type === "written") return fence;
  }
}

/** Deeds that waited until an agent has ended are due again: as many as may begin, those of older runs first. */
async function admit(works: Works): Promise<void> {
  const queued = Map.groupBy(await works.store.queuedDeeds(), ({ repo }) => repo);
  for (const [repo, deeds] of queued) {
    const { limit, atWork } = await slotsOf(works, repo);
    const due = deeds.slice(0, Math.max(limit - atWork, 0));
    await works.store.commit(due.map(({ key }) => ({ type: "admit", key })));
  }
}

type EffectHands = { readonly fence: number; readonly pace: Pace; readonly hands: Hands };

async function act(
  works: Works,
  on: EffectHands & { readonly dispatcher: Dispatcher | undefined },
): Promise<void> {
  const { store, clock } = works;
  const { pace, hands, dispatcher } = on;
  for (const row of await store.due(clock.now(), pace.atOnce * 4)) {
    const { run } = row;
    if (hands.isFull(pace.atOnce)) return;
    if (hands.isBusyWith(run)) continue;
    if (dispatcher !== undefined) await dispatcher.dispatch(row);
    else if (await claim(works, row, on))
      hands.take(run, () => carryOut(works, { ...row, status: "claimed", tries: row.tries + 1 }, on));
  }
  for (const [repo, agents] of Map.groupBy(await store.idleMoved(), (agent) => agent.repo)) {
    const { limit, atWork } = await slotsOf(works, repo);
    if (atWork >= limit) continue;
    for (const { repo: _, ...agent } of agents)
      if (!hands.isBusyWith(agent.run) && !hands.isFull(pace.atOnce))
        hands.take(agent.run, () => wakeIdle(works, agent));
  }
}

async function claim(
  { store, clock }: Works,
  { key, tries }: DeedRow,
  { fence, pace }: EffectHands,
): Promise<boolean> {
  const leaseUntil = clock.now() + pace.leaseMs;
  return (await store.commit([{ type: "claim", key, tries, fence, leaseUntil }])).type === "written";
}

/** One effect by its key, after everything else of its run. Nothing happens where it is done, or another try has it. */
function carryOutKey(
  works: Works,
  { key, run }: Pick<DeedRow, "key" | "run">,
  on: EffectHands,
): Promise<void> {
  return new Promise((resolve, reject) => {
    on.hands.take(run, async () => {
      try {
        const row = (await works.store.deeds(run)).find((each) => each.key === key);
        const isDue = row !== undefined && row.dueAt <= works.clock.now();
        if (isDue && (await claim(works, row, on)))
          await carryOut(works, { ...row, status: "claimed", tries: row.tries + 1 }, on);
        resolve();
      } catch (error) {
        reject(error);
        throw error;
      }
    });
  });
}

async function carryOut(works: Works, row: DeedRow, on: Pick<EffectHands, "fence" | "pace">): Promise<void> {
  const { store, clock } = works;
  let outcome: Outcome;
  try {
    outcome = { type: "done", note: await perform(works, row) };
  } catch (error) {
    outcome = afterFailure(error, row, { now: clock.now(), backoffMs: on.pace.backoffMs });
    if (!(error instanceof Later)) works.log(`${row.key} ${row.deed.type}: ${outcome.note}`);
  }
  // A later supervisor may have the effect by now: then its outcome counts.
  await store.commit([{ type: "settle", key: row.key, fence: on.fence, outcome }]);
}

/** What a person can mend is shown at once; everything else is tried again, and then shown. */
function afterFailure(
  error: unknown,
  { run, tries }: DeedRow,
  on: { readonly now: number; readonly backoffMs: readonly number[] },
): Outcome {
  const note = failureReason(error);
  if (error instanceof NoSlot) return { type: "queued", note };
  if (error instanceof Later) return { type: "again", note, dueAt: on.now + error.waitMs };
  const isTheirs = error instanceof Error && "next" in error && typeof error.next === "string";
  const wait = on.backoffMs[tries - 1];
  if (!isTheirs && wait !== undefined) return { type: "again", note, dueAt: on.now + wait };
  return { type: "attention", note, next: adviceAfter(isTheirs ? error : undefined, run) };
}
