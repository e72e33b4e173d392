/** What the README shows is what one gets. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as exits from "../../src/app/exit-codes.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { GROUPS } from "../../src/cli/help.ts";
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
  const [, shown] = /```console\n\$ signalbox check task\n(.*?)```/s.exec(readme) ?? [];
  const { stdout } = await run(["check", "task"], { cwd: root, env: {} });
  expect(stdout).toBe(shown);
});

test("the workflow that is shown is clean, and a person can cancel its runs in every state", () => {
  const prompts = { writer: { file: "prompts/writer.md", text: "Write NOTE.md.\n" } };
  const parsed = parseWorkflow({
    file: "workflow.yaml",
    bytes: new TextEncoder().encode(block("yaml")),
    prompts,
  });
  expect(parsed.ok ? check(parsed.workflow).defects : parsed.problems).toEqual([]);
  if (!parsed.ok) return;
  const { states, moves } = parsed.workflow.definition;
  const open = Object.keys(states).filter((name) => states[name]?.final === undefined);
  const cancels = moves.filter(({ to, by }) => states[to]?.final === "cancelled" && by.includes("human"));
  expect(open.filter((name) => !cancels.some(({ from }) => from === name))).toEqual([]);
});

test("the two commands are npm's own", () => {
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
  expect(packageJson.scripts.start).toContain("./bin/signalbox");
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm ci && npm test");
});

/** The table of commands, as groups of names. */
const table = /\| command \|.*?\n\n/s.exec(readme)?.[0] ?? "";

test("the table has every command that exists, in its group, and no other", () => {
  const rows = [...table.matchAll(/^\| (?:\*\*(.+)\*\*|`signalbox ([a-z-]+).*`) \|/gm)];
  const groups: [string, string[]][] = [];
  for (const [, title, name = ""] of rows)
    if (title === undefined) groups.at(-1)?.[1].push(name);
    else groups.push([title, []]);
  // What workflows declare comes last.
  expect(groups.slice(0, -1)).toEqual(GROUPS);
  expect(GROUPS.flatMap(([, names]) => names).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
  expect(groups.at(-1)).toEqual(["Commands of workflows", ["task", "plan", "impl", "archive", "reopen"]]);
});

test("the table has every option that it shows", async () => {
  for (const [, name = "", rest = ""] of table.matchAll(/`signalbox ([a-z-]+)(.*)`/g)) {
    const { stdout } = await run([name, "--help"], { cwd: root, env: {} });
    for (const [option] of rest.matchAll(/--[a-z-]+/g)) expect(stdout).toContain(`\n  ${option}`);
  }
});

test("the exit codes are those that there are", () => {
  const codes = [...readme.matchAll(/^\| (\d+) \| \S/gm)].map((match) => Number(match[1]));
  const own = Object.entries(exits).flatMap(([name, value]) => (name.startsWith("EXIT_") ? [value] : []));
  expect(codes).toEqual(own.map(Number).toSorted((a, b) => a - b));
});
