/** What docs/staged.md says about commands, settings, files and answers is so. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { loadWorkflow } from "../support/workflows.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/staged.md"), "utf8");
const { definition } = loadWorkflow("staged");

function section(title: string): string {
  return page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

test("every command with its options exists", async () => {
  const calls = [...page.matchAll(/signalbox ([a-z]+(?:-[a-z]+)*)([^`\n#]*)/g)];
  expect(calls.length).toBeGreaterThan(15);
  const unknown: string[] = [];
  for (const [call, name = "", rest = ""] of calls) {
    const { code, stdout } = await run([name, "--help"], { cwd: root, env: {} });
    const options = [...rest.matchAll(/--[a-z]+(?:-[a-z]+)*/g)].map(([option]) =>
      option === "--no-test" ? "--no-STAGE" : option,
    );
    if (code !== 0 || !options.every((option) => stdout.includes(`\n  ${option}`))) unknown.push(call);
  }
  expect(unknown).toEqual([]);
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

test("every file of the workflow and of its tasks is there", () => {
  const files = [definition, loadWorkflow("one-task").definition].flatMap(({ artifacts, projections }) =>
    [...Object.values(artifacts), ...projections].map(({ file }) => file),
  );
  const real = new Set(
    files
      .filter((file) => file !== "")
      .map((file) =>
        file
          .replace(".agents/tmp/", "")
          .replace("{run}", "RUN")
          .replace(/[A-Z]+-summary\.md/, "STAGE-summary.md")
          .replace(/[A-Z]+-summary-[\d.]+\.md/, "STAGE-summary-PHASE.md"),
      ),
  );
  const told = [...section("The files").matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file);
  expect(told.toSorted()).toEqual([...real].toSorted());
});

test("every answer that a person can give is told", () => {
  const asks = { ...definition.asks, ...loadWorkflow("one-task").definition.asks };
  const words = new Set(Object.values(asks).flatMap(({ options }) => Object.keys(options)));
  const told = section("What you are asked");
  expect([...words].filter((word) => !told.includes(`\`${word}\``) && !told.includes(`\`${word} `))).toEqual(
    [],
  );
});

test("the picture names every stage and phase", () => {
  const [, picture = ""] = /```mermaid\n([^]*?)```/.exec(page) ?? [];
  for (const { name, phases } of definition.stages ?? []) {
    const [, box = ""] = new RegExp(`${name}\\["${name}([^"]*)"\\]`).exec(picture) ?? [];
    expect([...box.matchAll(/<br\/>([\d.]+)/g)].map(([, id]) => id)).toEqual(
      (phases ?? []).map(({ id }) => id),
    );
  }
});

test("the plan in it can be worked off", async () => {
  const [, plan = ""] = /```markdown\n([^]*?)```/.exec(page) ?? [];
  const { readTasks } = await import("../../src/format/tasks/read.ts");
  expect(readTasks("markdown", "plan.md", plan).faults).toEqual([]);
});
