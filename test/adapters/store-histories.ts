/** What every store must say of histories, and of whether anything was written. */

import { expect, test } from "vitest";
import type { Open } from "./store-contract.ts";
import { add, DEFINITION, START, STOP } from "./store-entries.ts";

/** What two entries of a run are bound to: the same in every store. */
const CHAIN = "3de4d895ab95fc60aa6fcad7e6c11cbffb4e5a7cd763ff27a849e391cbc84384";

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

  test("the version is another one after another connection has written, and stays while nothing is written", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const before = await other.version();
    expect(await other.version()).toBe(before);
    await one.commit([{ type: "halt", run: "a1", halted: true }]);
    expect(await other.version()).not.toBe(before);
  });
}
