/** What the README shows is what one gets. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { check } from "../../src/core/check/check.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import packageJson from "../../package.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

function block(kind: string): string {
  return new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, "s").exec(readme)?.[1] ?? "";
}

test("the proof of task is printed as shown", async () => {
  const [asked = "", ...shown] = block("console").split("\n");
  expect(asked).toBe("$ signalbox check task");
  const { stdout } = await run(["check", "task"], { cwd: root, env: {} });
  expect(stdout).toBe(shown.join("\n"));
});

test("the workflow of twenty lines is clean", () => {
  const prompts = { writer: { file: "prompts/writer.md", text: "Write NOTE.md.\n" } };
  const parsed = parseWorkflow({
    file: "workflow.yaml",
    bytes: new TextEncoder().encode(block("yaml")),
    prompts,
  });
  expect(parsed.ok ? check(parsed.workflow).defects : parsed.problems).toEqual([]);
});

test("the two commands are npm's own", () => {
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
  expect(packageJson.scripts.start).toContain("./bin/signalbox");
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm ci && npm test");
});

test("every command that exists is in the table", async () => {
  const { stdout } = await run(["--help"], { cwd: root, env: {} });
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1] ?? "");
  expect(commands.length).toBeGreaterThan(4);
  expect(commands.filter((name) => !readme.includes(`| \`signalbox ${name}`))).toEqual([]);
});
