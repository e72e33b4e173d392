/** Entries that need no workflow: what is tested is how they are kept. Also for processes that no test framework is in. */

import { apply } from "../../src/core/step/apply.ts";
import type { Event } from "../../src/core/model/event.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import type { Definition } from "../../src/core/model/workflow.ts";
import type { Deed } from "../../src/engine/effects/deed.ts";
import type { BatchAnswer } from "../../src/engine/ports/commit.ts";
import type { Entry } from "../../src/engine/ports/journal.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { hashOf } from "../../src/format/workflow/hash.ts";

export const AT = "2026-01-01T00:00:00.000Z";

export const DEFINITION: Definition = {
  name: "tiny",
  title: "Tiny",
  params: {},
  counters: {},
  artifacts: {},
  roles: {},
  states: {},
  moves: [],
  ends: [],
  asks: {},
  prompts: {},
  assertions: [],
  projections: [],
  places: {},
};
export const HASH = hashOf(DEFINITION)();
export const BIRTH = { workflow: "tiny", goal: "See it kept", repo: "/repo", base: "main" };

export const START: Deed = { type: "start-agent", role: "worker", slot: "", attempt: 1, prompt: "worker" };
export const STOP: Deed = { type: "stop-agent", role: "worker", slot: "", attempt: 1 };
export const TELL: Deed = { type: "tell-agent", role: "worker", attempt: 1, message: "go on" };

export function began(id: string): readonly Event[] {
  return [
    { type: "run-started", by: { type: "human" }, at: AT, run: id, definition: HASH, params: {}, tree: "t0" },
    {
      type: "moved",
      rule: 0,
      from: "start",
      to: "working",
      by: "human",
      remember: false,
      reset: [],
      renew: [],
    },
  ];
}

export function counted(value: number): readonly Event[] {
  return [
    { type: "observed", at: AT },
    { type: "counted", counter: "rounds", value, renew: [] },
  ];
}

/** With `head` for a run that has begun. */
export function entry(before: Run, events: readonly Event[], more: Partial<Entry> = {}): Entry {
  const after = events.reduce(apply, before);
  return {
    run: after.id,
    seq: before.seq,
    head: "",
    at: AT,
    by: { type: "human", name: "anna" },
    events,
    after,
    status: "running",
    deeds: [],
    ...(before.seq === 0 ? { birth: BIRTH } : {}),
    ...more,
  };
}

/** Starts the run where there is none, and adds to it where there is one. */
export async function add(store: Store, id: string, more: Partial<Entry> = {}): Promise<BatchAnswer> {
  return store.commit([{ type: "append", entry: await next(store, id, more) }]);
}

/** The entry that `add` adds. */
export async function next(store: Store, id: string, more: Partial<Entry> = {}): Promise<Entry> {
  const kept = await store.load(id);
  const head = kept?.row.head ?? "";
  const run = kept?.run ?? NO_RUN;
  return entry(run, run.seq === 0 ? began(id) : counted(run.seq), { head, ...more });
}
