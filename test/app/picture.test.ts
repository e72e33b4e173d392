/** The diagram of a run: which states it has visited, and which moves it has taken. */
import { afterAll, expect, test } from "vitest";
import { drawRun } from "../../src/app/page/picture.ts";
import { AT, machine, PERSON } from "../cli/reading-support.ts";
import { goodWorkflow, happening, wordsIn } from "../support/stages.ts";
import { fromText } from "../support/workflows.ts";

const five = goodWorkflow("five-stages.yaml");
const on = await machine(five);
afterAll(() => on.store.close());

test.for<[id: string, events: string, visited: string, taken: string]>([
  ["s1", "", "0", "start>0"],
  ["s2", "ok*4", "0 1.1 1.2 1.3", "start>0 0>1.1 1.1>1.2 1.2>1.3"],
  ["s3", "ok*4, bad", "0 1.1x2 1.2 1.3", "start>0 0>1.1 1.1>1.2 1.2>1.3 1.3>1.1"],
  // The loop from 3.2 to its helper state 3.2-analyse is drawn at 3.2. It is no second visit of the phase.
  [
    "s4",
    "ok*7, bad, ok",
    "0 1.1 1.2 1.3 2.1 2.2 3.1 3.2",
    "start>0 0>1.1 1.1>1.2 1.2>1.3 1.3>2.1 2.1>2.2 2.2>3.1 3.1>3.2 3.2>3.2",
  ],
])("%s: %s", async ([id, events, visited, taken]) => {
  await on.begin(id);
  for (const word of wordsIn(events)) {
    const run = (await on.store.load(id))?.run;
    if (run !== undefined && word !== "") await on.happen(id, happening(five, run, word));
  }
  const door = { cwd: "/", home: "/", env: on.env };
  const { states, moves } = (await drawRun({ door, store: on.store }, { run: id })).data;
  const times = (count: number): string => (count === 1 ? "" : `x${count}`);
  const seen = states.flatMap(({ name, visits }) => (visits === 0 ? [] : [`${name}${times(visits)}`]));
  const gone = moves.flatMap(({ from, to, taken: count }) =>
    count === 0 ? [] : [`${from}>${to}${times(count)}`],
  );
  expect(seen.toSorted()).toEqual(visited.split(" "));
  expect(gone.toSorted()).toEqual(taken.split(" ").toSorted());
});

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
const LARGE = fromText(
  `$schema: workflow-1.schema.json
name: large
title: Nine states, and a move from each to all others
states:
${NAMES.map((name) => `  ${name}: { waits: true }\n`).join("")}  done: { final: done }
moves:
  - { from: start, to: a, by: human }
  - { from: i, to: done, by: human }
${NAMES.flatMap((from) => NAMES.map((to) => (from === to ? "" : `  - { from: ${from}, to: ${to}, by: human }\n`))).join("")}`,
  {},
);

test("of a large workflow, only the path of the run and its next moves are drawn", async () => {
  const nine = await machine(LARGE);
  await nine.begin("s1");
  await nine.happen("s1", { type: "move-asked", by: PERSON, at: AT, to: "b", tree: "t1", readings: [] });
  const door = { cwd: "/", home: "/", env: nine.env };
  const { moves, states, more } = (await drawRun({ door, store: nine.store }, { run: "s1" })).data;
  await nine.store.close();
  const next = NAMES.filter((name) => name !== "b").map((name) => `b>${name}`);
  expect(moves.map(({ from, to }) => `${from}>${to}`).toSorted()).toEqual(["a>b", ...next, "start>a"]);
  expect(states.map(({ name }) => name)).toEqual(NAMES);
  expect(more).toBe(1);
});

test("a number is drawn with its title", async () => {
  const door = { cwd: "/", home: "/", env: on.env };
  const { states } = (await drawRun({ door, store: on.store }, { run: "s1" })).data;
  const labels = states.map(({ label }) => label);
  expect(labels).toEqual(expect.arrayContaining(["0 Explore", "EXPLORE-blocked"]));
});
