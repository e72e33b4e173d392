/** What every store must say of histories, and of whether anything was written. */

import { expect, test } from "vitest";
import type { Event } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { append } from "./store-batches.ts";
import type { Open } from "./store-contract.ts";
import { add, BIRTH, DEFINITION, entry, START, STOP } from "./store-entries.ts";

/** What two entries of a run are bound to: the same in every store. */
const CHAIN = "3de4d895ab95fc60aa6fcad7e6c11cbffb4e5a7cd763ff27a849e391cbc84384";

function reported(at: string, turn: number): Extract<Event, { type: "turn-reported" }> {
  return {
    type: "turn-reported",
    at,
    role: "worker",
    slot: "",
    attempt: 1,
    turn,
    harness: "codex",
    model: "gpt-5",
    conversation: "t-1",
    usage: { input: 100, cached: 40, output: 10 },
    cost: { usd: 0.25, basis: "estimated" },
    ms: 1000,
    end: "exited",
    refused: [],
  };
}

export function historiesContract(open: Open): void {
  test("a run is verified as its history says, and the check is asked of every event", async () => {
    const [one, other] = await open();
    await add(one, "b1", { deeds: [START], key: "k1", answer: "{}", texts: ["a text"] });
    for (let n = 0; n < 20; n += 1) await add(one, "a1", { deeds: [START, STOP] });
    expect(await other.knownRuns()).toEqual(["a1", "b1"]);
    const asked: [number, string | undefined][] = [];
    const verified = await other.verify("a1", ({ seq }, definition) => {
      asked.push([seq, definition?.name]);
      return undefined;
    });
    expect(verified).toEqual({ ok: true, run: "a1", seq: 40 });
    expect(asked).toEqual(Array.from({ length: 40 }, (_, n) => [n + 1, DEFINITION.name]));
    expect(await other.verify("b1")).toEqual({ ok: true, run: "b1", seq: 2 });
    const forged = await other.verify("a1", ({ seq }) => (seq === 3 ? "it is forged" : undefined));
    expect(forged).toEqual({ ok: false, run: "a1", seq: 3, reason: "it is forged" });
    expect(await other.verify("zz")).toEqual({ ok: false, run: "zz", seq: 1, reason: "it is missing" });
  });

  test("the chain is that of every other store", async () => {
    const [one] = await open();
    await add(one, "a1", { key: "k1", answer: '{"ä":1}', deeds: [START] });
    await add(one, "a1", { by: { type: "agent", role: "worker", slot: "", attempt: 1 } });
    expect((await one.load("a1"))?.row.head).toBe(CHAIN);
  });

  test("reports of turns are those of these runs, since a time, oldest first, with what the run is", async () => {
    const [one, other] = await open();
    const report = async (id: string, at: string, turn: number): Promise<void> => {
      await add(one, id, {});
      const { run, row } = (await one.load(id)) ?? { run: NO_RUN, row: { head: "" } };
      const events = [reported(at, turn)];
      const { head } = row;
      const by = { type: "engine" } as const;
      expect(await append(one, entry(run, events, { at, head, by }))).toEqual({ type: "written" });
    };
    await report("a1", "2026-01-02T00:00:00.000Z", 2);
    await report("b1", "2026-01-01T10:00:00.000Z", 1);
    await report("a1", "2026-01-03T00:00:00.000Z", 3);
    const told = async (filter: Parameters<typeof other.reports>[0]): Promise<readonly unknown[]> =>
      (await other.reports(filter)).map(({ run, report: { turn } }) => `${run} ${turn}`);
    expect(await told({})).toEqual(["b1 1", "a1 2", "a1 3"]);
    expect(await told({ runs: ["a1", "zz"] })).toEqual(["a1 2", "a1 3"]);
    expect(await told({ runs: ["a1", "b1"], since: "2026-01-01T10:00:00.001Z" })).toEqual(["a1 2", "a1 3"]);
    expect(await told({ since: "2026-01-02T00:00:00.001Z" })).toEqual(["a1 3"]);
    expect(await told({ runs: [] })).toEqual([]);
    const many = Array.from({ length: 2000 }, (_, n) => `no${n}`);
    expect(await told({ runs: [...many, "b1"] })).toEqual(["b1 1"]);
    const { repo, workflow, goal } = BIRTH;
    const at = "2026-01-01T10:00:00.000Z";
    expect(await other.reports({ runs: ["b1"] })).toEqual([
      { run: "b1", at, repo, workflow, goal, report: reported(at, 1) },
    ]);
  });

  test("the version is another one after another connection has written, and stays while nothing is written", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const before = await other.version();
    expect(await other.version()).toBe(before);
    await one.commit([{ type: "halt", run: "a1", halted: true }]);
    expect(await other.version()).not.toBe(before);
  });
}
