/** What is handed in and does not count is refused with all that is wrong with it, so that its author mends it once. */

import { expect, test } from "vitest";
import type { Fault } from "../../src/core/model/event.ts";
import { agent, AT, reading, start, trace } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const session = loadWorkflow("orchestrated");

function faultAt(col: number): Fault {
  return { at: { file: "out.json", line: 1, col }, reason: `fault ${col}` };
}

test.for<[cols: number[], refused: string]>([
  [[1], "fault 1"],
  [[1, 11, 18], "fault 1; also 1:11: fault 11; also 1:18: fault 18"],
])("%o: %s", ([cols, refused]) => {
  const readings = [reading("intake", { faults: cols.map(faultAt) })];
  const told = trace(session, [
    start(session, "INTAKE", { params: { session: "s" } }),
    (run) => ({ type: "submitted", by: agent(run, "SpecAgent"), at: AT, readings }),
  ]);
  expect(told.split("\n").at(-1)).toBe(`refused: gate-not-met: intake is invalid: ${refused}`);
});

test("of very many, not all", () => {
  const readings = [reading("intake", { faults: Array.from({ length: 60 }, (_, n) => faultAt(n)) })];
  const told = trace(session, [
    start(session, "INTAKE", { params: { session: "s" } }),
    (run) => ({ type: "submitted", by: agent(run, "SpecAgent"), at: AT, readings }),
  ]);
  expect(told.match(/fault/g)).toHaveLength(20);
});
