/** What docs/change.md says about commands, phases, settings, files and answers is so. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stepIn } from "../../src/app/commands/for-moves.ts";
import { run } from "../../src/cli/run.ts";
import { loadWorkflow } from "../support/workflows.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/change.md"), "utf8");
const { definition } = loadWorkflow("change");
const task = loadWorkflow("change-task").definition;

function section(title: string): string {
  return page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

test("every command with its options exists", async () => {
  const calls = [...page.matchAll(/(?<!\.)signalbox ([a-z]+(?:-[a-z]+)*)([^`\n#]*)/g)];
  expect(calls.length).toBeGreaterThan(15);
  const unknown: string[] = [];
  for (const [call, name = "", rest = ""] of calls) {
    const words = name === "review" ? ["review", "create"] : [name];
    const { code, stdout } = await run([...words, "--help"], { cwd: root, env: {} });
    const options = [...rest.matchAll(/ (--[a-z]+(?:-[a-z]+)*)/g)].map(([, option = ""]) => option);
    if (code !== 0 || !options.every((option) => stdout.includes(`\n  ${option}`))) unknown.push(call);
  }
  expect(unknown).toEqual([]);
});

test("every phase has a row with what each command does there", () => {
  const rows = [...section("Phases").matchAll(/^\| `(\w+)` \|[^|]*\|(.*)\|$/gm)].map(
    ([, phase, cells = ""]) => [phase, cells.split("|").map((cell) => cell.trim())],
  );
  const phases = new Set(Object.values(definition.states).map(({ phase }) => phase));
  phases.delete("dropped");
  expect(rows.map(([phase]) => phase)).toEqual([...phases]);
  const real = [...phases].map((phase) =>
    Object.values(definition.commands ?? {}).map((command) => {
      const states = Object.keys(definition.states).filter(
        (name) => definition.states[name]?.phase === phase,
      );
      if (!("in" in command)) return "";
      if (states.some((name) => stepIn(definition, command, name) !== undefined)) return "on";
      return command.begin ? "told" : "refused";
    }),
  );
  const told = rows.map(([, cells]) =>
    Array.isArray(cells)
      ? cells.map((cell) => (cell === "4" ? "refused" : cell.startsWith("says so") ? "told" : "on"))
      : [],
  );
  expect(told).toEqual(real);
});

test("every setting is there, with its parameter and its default", () => {
  const rows = [...section("Settings").matchAll(/^\| `([\w.]+)` \| `(\w+)` \| (?:`([^`]*)`)? *\|/gm)];
  const told = rows.map(([, key, name, value = ""]) => [key, name, value]);
  const real = Object.entries(definition.params).map(([name, param]) => [
    param.setting ?? name,
    name,
    String(param.default),
  ]);
  expect(told).toEqual(real);
});

test("every file of a change and of its tasks is there", () => {
  const files = [definition, task].flatMap(({ artifacts, projections }) =>
    [...Object.values(artifacts), ...projections].map(({ file }) => file),
  );
  const real = new Set(
    files
      .filter((file) => file !== "")
      .map((file) => file.replace("changes/{change}/", "").replace("{run}", "RUN")),
  );
  const told = [...section("The files").matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file);
  expect(told.toSorted()).toEqual([...real].toSorted());
});

test("every answer that a person can give is told", () => {
  const words = Object.values({ ...definition.asks, ...task.asks }).flatMap(({ options }) =>
    Object.keys(options),
  );
  const told = section("What you are asked");
  expect(words.filter((word) => !told.includes(`\`${word}\``) && !told.includes(`\`${word} `))).toEqual([]);
});

test("the review in it can be read", () => {
  const [, text = ""] = /echo '(\{.*\})'/.exec(page) ?? [];
  expect(JSON.parse(text)).toMatchObject({ verdict: "NEEDS_CHANGES" });
});
