/**
 * The engine over the real store does exactly what the pure core says, whatever happens around it: restarts, duplicates,
 * stale requests, wrong roles.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { possible } from "../../src/core/check/explore/possible.ts";
import type { Actor, Incoming } from "../../src/core/model/event.ts";
import { replay } from "../../src/core/step/apply.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import type { Box } from "../../src/engine/box.ts";
import { deedsOf } from "../../src/engine/effects/deeds.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import type { Submission } from "../../src/engine/submit/write.ts";
import { agent, AT, HUMAN, reading } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const SEQUENCES = process.env["SIGNALBOX_DEEP"] === undefined ? 500 : 10_000;
const LENGTH = 16;
const workflow = loadWorkflow("task");
const folder = mkdtempSync(join(tmpdir(), "signalbox-model-"));
const home = homeAt(folder);
let store: Store = openStore(home);

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A world without files: every fact comes with the event. */
function boxOf(): Box {
  return {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    artifacts: {
      texts: () => Promise.resolve({}),
      tasks: () => Promise.resolve([]),
      present: () => [],
      leads: () => [],
      read: () => Promise.resolve([]),
      collect: () => Promise.resolve({ readings: [], textOf: () => Promise.resolve(undefined) }),
      show: () => Promise.resolve({ told: [], isShown: true }),
      copy: () => Promise.resolve([]),
      archive: () => Promise.resolve([]),
      recall: () => Promise.resolve({ files: [], told: [] }),
      keep: () => Promise.resolve([]),
      carry: () => Promise.resolve([]),
      project: () => Promise.resolve({ told: [], isWhole: true }),
    },
    workspaces: {
      prepare: () => Promise.reject(new Error("nothing is prepared here")),
      digest: () => Promise.resolve("t1"),
      files: () => Promise.resolve([]),
      besides: () => Promise.resolve("t1"),
      requireDeliverable: () => Promise.resolve(),
      snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
      usable: () => Promise.resolve([]),
      judge: () => Promise.resolve([]),
      baseline: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      release: () => Promise.resolve({ salvage: "", kept: "" }),
    },
    folders: () => ({ files: folder, agents: folder, checks: folder, archive: folder, kept: folder }),
    workflow: () => Promise.resolve(workflow),
  };
}

const ENGINE: Actor = { type: "engine" };

/** What somebody does who should not. */
function noise(run: Run, die: number): Incoming {
  const states = Object.keys(workflow.definition.states);
  const by = die % 3 === 0 ? HUMAN : agent(run, die % 2 === 0 ? "worker" : "reviewer");
  const old = by.type === "agent" && die % 4 === 0 ? { ...by, attempt: by.attempt - 1 } : by;
  const all: Incoming[] = [
    { type: "move-asked", by: old, at: AT, to: states[die % states.length] ?? "", reserved: ["workspace"] },
    { type: "submitted", by: old, at: AT, readings: [reading("review", { verdict: "pass" })] },
    { type: "agent-ended", at: AT, role: "worker", slot: "", attempt: die % 4, cause: "exited" },
    { type: "waived", by: old, at: AT, artifact: "review", reason: "because" },
    { type: "respawn-asked", by: old, at: AT, role: "worker" },
  ];
  return all[die % all.length] ?? { type: "observed", at: AT };
}

function actorOf(event: Incoming): Actor {
  return "by" in event ? event.by : ENGINE;
}

type Model = { run: Run; deeds: string[]; keys: Map<string, { from: string; to: string; seq: number }> };

/** What the core alone says must come of it. */
function expected(
  model: Model,
  id: string,
  on: { event: Incoming; key?: string | undefined; seq?: number | undefined },
): string {
  const { event, key, seq } = on;
  const known = key === undefined ? undefined : model.keys.get(key);
  if (known !== undefined) return `repeated ${JSON.stringify(known)}`;
  if (seq !== undefined && seq !== model.run.seq && actorOf(event).type !== "engine") return "conflict";
  const before = model.run;
  const decided = step(workflow, before, event);
  if (!decided.ok) return `refused ${decided.refusal.code}`;
  const deeds = deedsOf(workflow, decided, undefined);
  for (const [i] of deeds.entries()) model.deeds.push(`${id}:${decided.run.seq}:${i}`);
  model.run = decided.run;
  if (key !== undefined)
    model.keys.set(key, { from: before.state, to: decided.run.state, seq: decided.run.seq });
  return `accepted ${decided.run.state} ${decided.run.seq}`;
}

function told(outcome: Submission): string {
  switch (outcome.type) {
    case "accepted":
      return `accepted ${outcome.run.state} ${outcome.run.seq}`;
    case "refused":
      return `refused ${outcome.refusal.code}`;
    case "repeated":
      return `repeated ${outcome.answer}`;
    case "conflict":
    case "unknown":
      return outcome.type;
  }
}

let made = 0;
const seen: Record<string, number> = {};

async function live(dice: readonly number[]): Promise<void> {
  made += 1;
  const id = `r${made}`;
  const model: Model = { run: NO_RUN, deeds: [], keys: new Map() };
  const params = {};
  // Each has a repository of its own: how many agents may work is no question of the model.
  const birth = { workflow: "task", goal: "", repo: `/nowhere/${id}`, base: "" };
  const at = new Date(Date.parse(AT)).toISOString();
  const started: Incoming = {
    type: "run-started",
    by: HUMAN,
    at,
    run: id,
    definition: workflow.hash(),
    params,
    readings: [],
    reserved: ["workspace"],
  };
  expect(told(await begin(boxOf(), { run: id, by: HUMAN, workflow, birth, params }))).toBe(
    expected(model, id, { event: started }),
  );
  let last: { event: Incoming; key?: string | undefined; seq?: number | undefined } | undefined;
  for (const [i, die] of dice.entries()) {
    if (die % 13 === 0) {
      await store.close();
      store = openStore(home);
    }
    const happenings = possible(workflow, model.run);
    const chosen = happenings[die % Math.max(1, happenings.length)]?.event;
    const fresh = {
      event:
        chosen === undefined || chosen.type === "run-started" || die % 5 === 0
          ? noise(model.run, die)
          : chosen,
      key: die % 3 === 0 ? `k${i}` : undefined,
      seq: die % 7 === 0 ? model.run.seq - (die % 2) : undefined,
    };
    // Now and then the same request again, word for word: what a caller does who got no answer.
    const request = last !== undefined && die % 6 === 0 ? last : fresh;
    last = request;
    const wanted = expected(model, id, request);
    const { event, key, seq } = request;
    const outcome = await submit(boxOf(), {
      run: id,
      by: actorOf(event),
      facts: {},
      event: () => event,
      ...(key === undefined ? {} : { key }),
      ...(seq === undefined ? {} : { expected: { seq } }),
    });
    expect(told(outcome)).toBe(wanted);
    const kind = wanted.split(" ")[0] ?? "";
    seen[kind] = (seen[kind] ?? 0) + 1;
  }
  expect((await store.load(id))?.run).toEqual(JSON.parse(JSON.stringify(model.run)));
  expect(
    replay(
      workflow,
      (await store.events(id)).map(({ event }) => event),
    ),
  ).toEqual(JSON.parse(JSON.stringify(model.run)));
  expect((await store.deeds(id)).map(({ key }) => key)).toEqual(model.deeds);
}

test("random sequences: the engine and the pure model agree", { timeout: 600_000 }, async () => {
  const dice = fc.array(fc.nat(10_000), { minLength: 1, maxLength: LENGTH });
  await fc.assert(fc.asyncProperty(dice, live), { numRuns: SEQUENCES });
  // Sequences that only repeat one kind of answer would prove nothing.
  expect(Object.keys(seen).toSorted()).toEqual(["accepted", "conflict", "refused", "repeated"]);
  for (const kind of Object.keys(seen)) expect(seen[kind]).toBeGreaterThan(SEQUENCES / 50);
});
