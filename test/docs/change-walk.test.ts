/** The guide to changes, typed from top to bottom. Ids, dates and ages are masked. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { shortened } from "./shortened.ts";
import { walkThrough } from "./walk.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/change.md"), "utf8");
const [, section = ""] = page.split("\n## From nothing to archived\n");
const walk = walkThrough(section.split("\n## Phases\n")[0] ?? "");

beforeAll(() => {
  if (isPerson) walk.type();
}, 120_000);
afterAll(() => walk.end());

test("there is a walk", () => {
  expect(walk.steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(10);
});

test
  .runIf(isPerson)
  .for(walk.steps.map((step, index) => [index, step.command.trim().split("\n")[0] ?? ""] as const))(
  "step %i: %s",
  ([index]) => {
    const { shown } = walk.steps[index] ?? {};
    const { lines, exit } = walk.said(index);
    const promised = (shown ?? []).filter((line) => line !== "").map(mask);
    const silent = exit === "0" ? [] : lines;
    expect(shown === undefined ? silent : shortened(lines.map(mask), promised)).toEqual(promised);
  },
);

function mask(line: string): string {
  return line
    .replace(
      /^(greet is run |"greet: .*" \(|.*signalbox (?:cancel|history) |)[a-z0-9]{8}(?=\)|$| {2}| is )/,
      "$1RUN",
    )
    .replace(/ \d+ s +change +\w+$/, " AGE  change  RUN")
    .replace(/^## \d{4}-\d\d-\d\d /, "## DATE ");
}
