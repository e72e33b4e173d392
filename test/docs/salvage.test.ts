/** What docs/salvage.md says about commands and options is so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/salvage.md"), "utf8");

test("every command with its options exists", async () => {
  const calls = [...page.matchAll(/signalbox ([a-z]+)(?: (list|show|restore|init|gc|update))?([^`\n|#]*)/g)];
  expect(calls.length).toBeGreaterThan(7);
  const unknown: string[] = [];
  for (const [call, name = "", part = "", rest = ""] of calls) {
    const words = [name, part, "--help"].filter((word) => word !== "");
    const { code, stdout } = await run(words, { cwd: root, env: {} });
    const options = [...rest.matchAll(/--[a-z]+(?:-[a-z]+)*/g)].map(([option]) => option);
    if (code !== 0 || !options.every((option) => stdout.includes(`\n  ${option}`))) unknown.push(call);
  }
  expect(unknown).toEqual([]);
});
