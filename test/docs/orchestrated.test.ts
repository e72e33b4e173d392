/** What docs/orchestrated.md says about commands, phases, settings, files and answers is so. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { loadWorkflow } from "../support/workflows.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/orchestrated.md"), "utf8");
const { definition } = loadWorkflow("orchestrated");
const task = loadWorkflow("orchestrated-task").definition;

function section(title: string): string {
  return page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

/** Words of its parameters are options. */
const WORDS = new Set(
  Object.values(definition.params).flatMap((param) => (param.type === "enum" ? param.values : [])),
);

test("every command with its options exists", async () => {
  const calls = [...page.matchAll(/(?<!\.)signalbox ([a-z]+(?:-[a-z]+)*)([^`\n#]*)/g)];
  expect(calls.length).toBeGreaterThan(15);
  const unknown: string[] = [];
  for (const [call, name = "", rest = ""] of calls) {
    const { code, stdout } = await run([name, "--help"], { cwd: root, env: {} });
    const options = [...rest.matchAll(/ --([a-z]+(?:-[a-z]+)*)/g)].map(([, option = ""]) => option);
    const own = options.filter((option) => name !== "run" || !WORDS.has(option));
    if (code !== 0 || !own.every((option) => stdout.includes(`\n  --${option}`))) unknown.push(call);
  }
  expect(unknown).toEqual([]);
});

test("every phase is told, and the picture has those of the way", () => {
  const phases = [definition, task].flatMap(({ states }) => Object.values(states).map(({ phase }) => phase));
  const real = new Set(phases.filter((phase) => phase !== undefined));
  const told = [...section("The way through").matchAll(/^\| `(\w+)` \|/gm)].map(([, phase = ""]) => phase);
  expect(told.toSorted()).toEqual([...real].toSorted());
  const [, picture = ""] = /```mermaid\n([^]*?)```/.exec(page) ?? [];
  const aside = ["ASK_USER", "BLOCKED", "CANCELLED"];
  expect(told.filter((phase) => !picture.includes(phase))).toEqual(aside);
});

test("every setting is there that the run does not keep itself, with its parameter and its default", () => {
  const kept = new Set(definition.moves.flatMap(({ set = {} }) => Object.keys(set)));
  const rows = [...section("Settings").matchAll(/^\| `([\w.]+)` \| `(\w+)` \| (?:`([^`]*)`)? *\|/gm)];
  const told = rows.map(([, key, name, value = ""]) => [key, name, value]);
  const real = Object.entries(definition.params)
    .filter(([name]) => !kept.has(name))
    .map(([name, param]) => [param.setting ?? name, name, String(param.default).replaceAll("\n", " ")]);
  expect(told).toEqual(real);
});

test("every file of a session and of its tasks is there", () => {
  const files = [definition, task].flatMap(({ artifacts, projections, roles }) => [
    ...[...Object.values(artifacts), ...projections].map(({ file }) => file),
    ...Object.values(roles).map(({ input }) => input?.file ?? ""),
  ]);
  const real = new Set(
    files
      .filter((file) => file !== "")
      .map((file) =>
        file
          .replace(".agents-work/{session}/", "")
          .replace("{run}", "RUN")
          .replace(/\w+\.((?:in|out)put\.json)$/, "ROLE.$1"),
      ),
  );
  const told = [...section("The files").matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file);
  expect(told.toSorted()).toEqual([...real].toSorted());
});

test("every answer that a person can give is told", () => {
  const words = Object.values({ ...definition.asks, ...task.asks }).flatMap(({ options }) =>
    Object.entries(options).map(([word, { routes }]) =>
      routes.length === 0 ? word : `${word}/${routes[0]}`,
    ),
  );
  const told = section("What you are asked");
  expect(words.filter((word) => !told.includes(`\`${word}\``) && !told.includes(`\`${word} `))).toEqual([]);
  const routes = Object.values(definition.asks).flatMap(({ options }) =>
    Object.values(options).flatMap((option) => option.routes.slice(1)),
  );
  expect(routes.filter((route) => !told.includes(`\`/${route}\``))).toEqual([]);
});
