/** What the pages about settings and harnesses show is what the program takes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUILT_IN_HARNESSES } from "../../src/adapters/config/built-in.ts";
import { driverOf } from "../../src/adapters/drivers/drivers.ts";
import { wrongSettings } from "../../src/adapters/trust/plan.ts";
import { PLACEHOLDERS } from "../../src/format/settings/argv.ts";
import { ConfigFile, parseConfig } from "../../src/format/settings/config.ts";
import { showProblem } from "../../src/format/problem.ts";
import { turnOf } from "../support/turns.ts";

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const PAGES = { "configuration.md": page("configuration.md"), "harnesses.md": page("harnesses.md") };

const examples = Object.entries(PAGES).flatMap(([name, text]) =>
  [...text.matchAll(/```yaml\n(.*?)```/gs)].map(
    (match, at) => [`${name} ${at + 1}`, match[1] ?? ""] as const,
  ),
);

test("there are examples", () => {
  expect(examples.length).toBeGreaterThan(10);
});

test.for(examples)("%s is valid, also for the workflows that it names", async ([file, text]) => {
  const parsed = parseConfig({ file, bytes: new TextEncoder().encode(text), scope: "user" });
  const wrong = await wrongSettings(parsed, new Map());
  expect([...parsed.problems, ...wrong].map(showProblem)).toEqual([]);
});

describe("every built-in harness is shown as it is", () => {
  const names = ["claude", "codex", "gemini", "opencode"] as const;
  test("all of them", () => expect(Object.keys(BUILT_IN_HARNESSES)).toEqual(names));
  test.for(names)("%s", (name) => {
    const driver = driverOf(name);
    const section = PAGES["harnesses.md"].split(/^### /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
    const [, line = ""] = /```text\n(.*)\n/.exec(section) ?? [];
    const turn = turnOf(driver, { workspace: "WORKSPACE", folders: ["STATE_HOME", "WORKSPACE/.git"] });
    expect(line).toBe(driver.argv(turn).join(" "));
    const variables = [...driver.env, ...Object.keys(driver.set)];
    expect(variables.filter((variable) => !section.includes(variable))).toEqual([]);
  });
});

/** The keys of a schema, those of harnesses included. */
function keysOf(): string[] {
  const { shape } = ConfigFile.def;
  const harness = shape.harnesses.def.innerType.def.valueType.def.shape;
  return [...Object.keys(shape), ...Object.keys(harness)];
}

test("every key and every placeholder has a row", () => {
  const missing = keysOf().filter(
    (key) => !new RegExp(`^\\|[^|]*\`${key}\``, "m").test(PAGES["configuration.md"]),
  );
  expect(missing).toEqual([]);
  expect(PLACEHOLDERS.filter((name) => !PAGES["harnesses.md"].includes(`\`{${name}}\``))).toEqual([]);
});
