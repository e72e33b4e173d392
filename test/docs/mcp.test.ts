/** What docs/mcp.md says about tools, limits and settings is so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command as review } from "../../src/cli/commands/act/review.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parseConfig } from "../../src/format/settings/config.ts";
import { showProblem } from "../../src/format/problem.ts";
import { reviewShape } from "../../src/format/review/review.ts";
import { TOOLS } from "../../src/app/tools.ts";
import { loadWorkflow } from "../support/workflows.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/mcp.md"), "utf8");

/** The first words of the rows below a heading. */
function rows(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([a-z_]+)`/gm)].map(([, word = ""]) => word);
}

test("every tool is told, in its order", () => {
  expect(rows("The tools")).toEqual(TOOLS.map(({ name }) => name));
});

test("the tools that take a key are those that are named", () => {
  const [, line = ""] = /\n(`submit_artifact`.*) take a `key`/.exec(page) ?? [];
  const told = [...line.matchAll(/`([a-z_]+)`/g)].map(([, word = ""]) => word);
  expect(told).toEqual(TOOLS.filter(({ looks }) => !looks).map(({ name }) => name));
  expect(TOOLS.filter(({ fields }) => fields.includes("key")).map(({ name }) => name)).toEqual(told);
});

test("the fields of a review are those that there are", () => {
  const artifact = loadWorkflow("task").definition.artifacts["review"];
  const shape = artifact === undefined ? undefined : reviewShape(artifact);
  expect(rows("Reviews")).toEqual(Object.keys({ ...shape?.required, ...shape?.optional }));
});

test("every command in it exists", () => {
  const words = [...page.matchAll(/(?:^|`|\| )signalbox ([a-z]+)(?: ([a-z]+))?/gm)];
  expect(words.length).toBeGreaterThan(5);
  for (const [, name = ""] of words) expect(COMMANDS).toHaveProperty(name);
  const parts = words.flatMap(([, name, part = ""]) => (name === "review" ? [part] : []));
  for (const part of parts) expect(review.parts).toHaveProperty(part);
});

const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);

test("the settings in it are settings", () => {
  expect(blocks.length).toBe(1);
  for (const text of blocks) {
    const bytes = new TextEncoder().encode(text);
    const { problems } = parseConfig({ file: "config.yaml", bytes, scope: "user" });
    expect(problems.map(showProblem)).toEqual([]);
  }
});
