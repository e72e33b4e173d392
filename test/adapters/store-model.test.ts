/** Random orders of everything that can be done with journal and outbox, against a model that fits on a page. */

import { claim as claimIn, newFence, settle as settleIn } from "../support/effects.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_RUN } from "../../src/core/model/run.ts";
import type { Deed } from "../../src/engine/effects/deed.ts";
import type { BatchAnswer } from "../../src/engine/ports/commit.ts";
import type { Outcome } from "../../src/engine/ports/outbox.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { newDatabase, NO_POSTGRES } from "../support/postgres.ts";
import { openedAt } from "./postgres-support.ts";
import { began, counted, entry, START, STOP, TELL } from "./store-entries.ts";
import { newHome, opened } from "./store-support.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const IDS = ["a1", "b1", "c1"] as const;
const DEEDS = [START, STOP, TELL];

type ModelDeed = {
  readonly key: string;
  readonly run: string;
  readonly isStop: boolean;
  status: "pending" | "claimed" | "done" | "attention";
  tries: number;
  dueAt: number;
  owner: number;
  lease: number;
};

type Model = {
  now: number;
  fence: number;
  readonly seqs: Map<string, number>;
  readonly answers: Map<string, string>;
  readonly halted: Set<string>;
  readonly attention: Map<string, string>;
  readonly deeds: ModelDeed[];
};

type Act =
  | {
      readonly type: "append";
      readonly run: number;
      readonly deeds: readonly number[];
      readonly key: number;
      readonly late: boolean;
    }
  | { readonly type: "claim"; readonly pick: number; readonly isOld: boolean }
  | { readonly type: "settle"; readonly pick: number; readonly outcome: number; readonly isOld: boolean }
  | { readonly type: "retry"; readonly run: number }
  | { readonly type: "halt"; readonly run: number; readonly on: boolean }
  | { readonly type: "fence" }
  | { readonly type: "wait"; readonly ms: number };

const nat = fc.nat({ max: 20 });
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("append"),
      run: nat,
      deeds: fc.array(nat, { maxLength: 3 }),
      key: fc.nat({ max: 6 }),
      late: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("claim"), pick: nat, isOld: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("settle"), pick: nat, outcome: nat, isOld: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("retry"), run: nat }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("halt"), run: nat, on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("fence") }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("wait"), ms: nat }) },
);

type Opened = (options: { readonly now: () => number }) => Promise<Store>;

const ON_POSTGRES: Opened = async (options) => openedAt(await newDatabase(), options);

test.for<[name: string, sequences: number, open: Opened]>([
  ["SQLite", IS_DEEP ? 2000 : 60, (options) => opened(newHome(), options)],
  ...(NO_POSTGRES === undefined
    ? [["PostgreSQL", IS_DEEP ? 100 : 10, ON_POSTGRES] satisfies [string, number, Opened]]
    : []),
])("%s: no divergence in %i sequences", async ([, sequences, open]) => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 10, maxLength: 60 }), async (sequence) => {
      const model: Model = {
        now: 0,
        fence: 0,
        seqs: new Map(),
        answers: new Map(),
        halted: new Set(),
        attention: new Map(),
        deeds: [],
      };
      const store = await open({ now: () => model.now });
      for (const act of sequence) {
        const [ours, theirs] = await both(store, model, act);
        expect(ours).toEqual(theirs);
        const kind = `${act.type} ${String(typeof ours === "object" && ours !== null && "type" in ours ? ours.type : ours !== undefined && ours !== false)}`;
        counts[kind] = (counts[kind] ?? 0) + 1;
        expect(await seen(store, model)).toEqual(expected(model));
      }
      for (const run of model.seqs.keys()) expect(await store.verify(run)).toMatchObject({ ok: true });
      await store.close();
    }),
    { numRuns: sequences },
  );
  // A test in which nothing happens proves nothing.
  for (const kind of [
    "append written",
    "append repeated",
    "append conflict",
    "claim true",
    "claim false",
    "settle true",
    "settle false",
  ])
    expect([kind, (counts[kind] ?? 0) > sequences / 10]).toEqual([kind, true]);
});

/** Does it to both, and gives both answers. */
async function both(store: Store, model: Model, act: Act): Promise<readonly [unknown, unknown]> {
  switch (act.type) {
    case "append":
      return append(store, model, act);
    case "claim": {
      const { key } = pick(model, act.pick);
      const fence = model.fence - (act.isOld ? 1 : 0);
      return [
        (await claimIn(store, key, { fence, leaseUntil: model.now + 10 }))?.tries,
        claim(model, key, fence),
      ];
    }
    case "settle": {
      const { key } = pick(model, act.pick);
      const fence = model.fence - (act.isOld ? 1 : 0);
      const outcome = outcomeOf(act.outcome, model.now);
      return [await settleIn(store, key, { fence, outcome }), settle(model, key, { fence, outcome })];
    }
    case "retry": {
      const run = idOf(act.run);
      const waiting = model.deeds.filter((deed) => deed.run === run && deed.status === "attention");
      for (const deed of waiting) Object.assign(deed, { status: "pending", dueAt: 0 });
      model.attention.delete(run);
      return [await store.commit([{ type: "retry", run }]), { type: "written" }];
    }
    case "halt": {
      const run = idOf(act.run);
      if (model.seqs.has(run) && act.on) model.halted.add(run);
      else model.halted.delete(run);
      return [await store.commit([{ type: "halt", run, halted: act.on }]), { type: "written" }];
    }
    case "fence":
      model.fence += 1;
      return [await newFence(store), model.fence];
    case "wait":
      model.now += act.ms;
      return [undefined, undefined];
  }
}

async function append(
  store: Store,
  model: Model,
  act: Extract<Act, { type: "append" }>,
): Promise<readonly [BatchAnswer, BatchAnswer]> {
  const id = idOf(act.run);
  const seq = model.seqs.get(id) ?? 0;
  const deeds = act.deeds.map((n): Deed => DEEDS[n % DEEDS.length] ?? START);
  const key = act.key === 0 ? undefined : `k${act.key}`;
  const keyed = key === undefined ? {} : { key, answer: `${seq}` };
  const { run = NO_RUN, row: { head } = { head: "" } } = (await store.load(id)) ?? {};
  const isLate = act.late && seq > 2;
  const made = entry(isLate ? { ...run, seq: seq - 2 } : run, seq === 0 ? began(id) : counted(seq), {
    deeds,
    head,
    ...keyed,
  });
  const known = key === undefined ? undefined : model.answers.get(`${id} ${key}`);
  const ours = await store.commit([{ type: "append", entry: made }]);
  if (known !== undefined) return [ours, { type: "repeated", answer: known }];
  if (isLate) return [ours, { type: "conflict", reason: `run ${id} is at ${seq}` }];
  const after = seq + 2;
  const keys = deeds.map((_, i) => `${id}:${after}:${i}`);
  model.seqs.set(id, after);
  if (key !== undefined) model.answers.set(`${id} ${key}`, `${seq}`);
  for (const [i, deed] of deeds.entries())
    model.deeds.push({
      key: keys[i] ?? "",
      run: id,
      isStop: deed.type === "stop-agent",
      status: "pending",
      tries: 0,
      dueAt: 0,
      owner: 0,
      lease: 0,
    });
  return [ours, { type: "written" }];
}

function claim(model: Model, key: string, fence: number): number | undefined {
  const deed = model.deeds.find((one) => one.key === key);
  if (deed === undefined || fence < model.fence || (model.halted.has(deed.run) && !deed.isStop))
    return undefined;
  const isLeft = deed.status === "claimed" && (deed.owner < fence || deed.lease <= model.now);
  if (deed.status !== "pending" && !isLeft) return undefined;
  Object.assign(deed, { status: "claimed", owner: fence, lease: model.now + 10, tries: deed.tries + 1 });
  return deed.tries;
}

function settle(
  model: Model,
  key: string,
  { fence, outcome }: { readonly fence: number; readonly outcome: Outcome },
): boolean {
  const deed = model.deeds.find((one) => one.key === key);
  if (deed === undefined || deed.status !== "claimed" || deed.owner !== fence) return false;
  Object.assign(deed, {
    status: outcome.type === "again" ? "pending" : outcome.type,
    dueAt: outcome.type === "again" ? outcome.dueAt : 0,
    lease: 0,
  });
  if (outcome.type === "attention")
    model.attention.set(deed.run, `${outcome.note}; try again: ${outcome.next}`);
  return true;
}

function outcomeOf(n: number, now: number): Outcome {
  if (n % 3 === 0) return { type: "again", note: "later", dueAt: now + n };
  if (n % 3 === 1) return { type: "attention", note: "broken", next: "mend it" };
  return { type: "done", note: "" };
}

/** The first of each line, and a few others. */
function pick(model: Model, n: number): { readonly key: string } {
  const open = n % 4 === 0 ? model.deeds : heads(model);
  return open[n % Math.max(1, open.length)] ?? { key: "a1:1:0" };
}

function heads(model: Model): readonly ModelDeed[] {
  return IDS.flatMap((run) => {
    const line = model.deeds.filter(
      (deed) => deed.run === run && (deed.status === "pending" || deed.status === "claimed"),
    );
    return line.filter((deed) => deed.isStop || !model.halted.has(run)).slice(0, 1);
  });
}

async function seen(store: Store, model: Model): Promise<unknown> {
  return {
    due: (await store.due(model.now, 100)).map((row) => row.key).toSorted(),
    next: await store.nextDue(),
    busy: await store.isBusy(),
    runs: (await Promise.all(IDS.map(async (id) => (await store.load(id))?.row))).map((row) => [
      row?.seq ?? 0,
      row?.attention ?? "",
      row?.halted ?? false,
    ]),
    deeds: (await Promise.all(IDS.map((id) => store.deeds(id))))
      .flat()
      .map((row) => [row.key, row.status, row.tries, row.dueAt]),
  };
}

function expected(model: Model): unknown {
  const first = heads(model);
  const isFree = (deed: ModelDeed): boolean =>
    deed.status === "pending" || deed.owner < model.fence || deed.lease <= model.now;
  const wakes = first.map((deed) =>
    deed.status === "claimed" && deed.owner >= model.fence ? Math.max(deed.dueAt, deed.lease) : deed.dueAt,
  );
  return {
    due: first
      .filter((deed) => deed.dueAt <= model.now && isFree(deed))
      .map((deed) => deed.key)
      .toSorted(),
    next: wakes.length === 0 ? undefined : Math.min(...wakes),
    busy: first.length > 0,
    runs: IDS.map((id) => [model.seqs.get(id) ?? 0, model.attention.get(id) ?? "", model.halted.has(id)]),
    deeds: IDS.flatMap((id) => model.deeds.filter((deed) => deed.run === id)).map((deed) => [
      deed.key,
      deed.status,
      deed.tries,
      deed.dueAt,
    ]),
  };
}

function idOf(n: number): string {
  return IDS[n % IDS.length] ?? "a1";
}
