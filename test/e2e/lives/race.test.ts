/** Many processes ask for the same move at the same moment: one wins, the others are told that somebody was faster. */

import { join } from "node:path";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { clear, makeLife, type, untilOver } from "./life.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const [RACERS, ROUNDS] = IS_DEEP ? [50, 10] : [20, 1];

test.runIf(isPerson)(`${RACERS} processes race for one move`, { timeout: 600_000 }, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const life = makeLife();
    const begun = await type(life, [
      "run",
      "task",
      "A race",
      "--param",
      "harness=worker",
      "--param",
      "review_harness=reviewer",
      "--no-start",
      "--detach",
    ]);
    const run = String(begun.document["run"]);
    const answers = await Promise.all(
      Array.from({ length: RACERS }, () => type(life, ["move", run, "planning", "--from", "pending"])),
    );
    const codes = answers.map(({ code }) => code).toSorted((a, b) => Number(a) - Number(b));
    expect(codes).toEqual([0, ...Array.from({ length: RACERS - 1 }, () => 6)]);
    const told = answers.filter(({ code }) => code === 6).map(({ document }) => document["code"]);
    expect([...new Set(told)]).toEqual(["conflict"]);
    const store = openStore(life.home);
    const moves = (await store.events(run)).filter(
      ({ event }) => event.type === "moved" && event.to === "planning",
    );
    const starts = (await store.deeds(run)).filter(
      ({ deed }) => deed.type === "start-agent" && deed.role === "worker" && deed.attempt === 1,
    );
    await store.close();
    expect([moves.length, starts.length]).toEqual([1, 1]);
    expect(await untilOver(life, run)).toBe("done");
    const first = readFileSync(join(life.ledger, "starts"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith(`${run}.worker.1.1 `));
    expect(first.length).toBe(1);
    await clear(life);
  }
});
