import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import { compile } from "../../src/core/compile.ts";
import { definitions } from "./definitions.ts";
import { walk, worstOf } from "./naive.ts";
import { replay } from "./replay.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const RUNS = isDeep ? 5_000 : 200;
const NODES_MAX = 3_000;
const ROUNDS = 50;
/** Printed when a property fails; set it to see the same definitions again. */
const seed = Number(process.env["SIGNALBOX_SEED"] ?? 20_260_101);

test(`random definitions are bounded just where a naive walk says so (seed ${seed})`, () => {
  let compared = 0;
  fc.assert(
    fc.property(definitions, (definition) => {
      const workflow = compile(definition, () => "random");
      const naive = walk(workflow, { max: NODES_MAX, people: "all" });
      if (!naive.complete) return;
      compared += 1;
      const report = check(workflow);
      const worst = worstOf(naive);
      const loops = report.defects.filter(
        ({ code }) => code === "unbounded-loop" || code === "budget-without-exit",
      );
      if (worst === undefined) {
        expect(loops.length, "the naive walk found a loop").toBeGreaterThan(0);
        for (const { trace } of loops) expect(replay(workflow, trace, ROUNDS)).not.toEqual([]);
        return;
      }
      expect(report.defects.filter(({ code }) => code === "unbounded-loop")).toEqual([]);
      for (const [name, value] of Object.entries(worst))
        expect(`${name} ${report.worst[name] ?? 0}`).toBe(`${name} ${value}`);
    }),
    { numRuns: RUNS, seed },
  );
  expect(compared).toBeGreaterThan(RUNS / 2);
}, 600_000);
