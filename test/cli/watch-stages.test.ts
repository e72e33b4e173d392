/** What `watch` says of a run that has a schedule: its phase, the gate there, and what it waits for. */

import { afterAll, expect, test } from "vitest";
import { goodWorkflow, happening, wordsIn } from "../support/stages.ts";
import { machine } from "./reading-support.ts";

const five = goodWorkflow("five-stages.yaml");
const on = await machine(five);
afterAll(() => on.store.close());

async function begin(id: string, told: string): Promise<void> {
  await on.begin(id);
  for (const word of wordsIn(told)) {
    const run = (await on.store.load(id))?.run;
    if (run !== undefined && word !== "") await on.happen(id, happening(five, run, word));
  }
}

test("one row for each run", async () => {
  await begin("s1", "");
  await begin("s2", "ok*4, bad, ok*3");
  const { stdout } = await on.call("watch --once");
  const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
  const titles = rows.find(([name]) => name === "SUMMARY");
  expect(titles?.slice(0, 5)).toEqual(["SUMMARY", "STATE", "PHASE", "GATE", "WAITS FOR"]);
  const said = (run: string): readonly string[] =>
    rows.find((cells) => cells.at(-1) === run)?.slice(1, 5) ?? [];
  expect(said("s1")).toEqual(["0", "0 Explore", "missing", "explorer"]);
  expect(said("s2")).toEqual(["1.3", "1.3 Plan review", "missing", "plan-reviewer"]);
});
