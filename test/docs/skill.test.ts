/** The skill for orchestrating agents: what it tells them to type exists, and it never tells them to wait. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCommand } from "../../src/cli/commands/act/create.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { loadWorkflow } from "../support/workflows.ts";

const { definition } = loadWorkflow("task");

const text = readFileSync(join(import.meta.dirname, "../../skills/signalbox/SKILL.md"), "utf8");

test("its front matter has a name and a description, as skills have it", () => {
  const [, name = "", description = ""] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
  expect(name).toBe("signalbox");
  expect(description.length).toBeGreaterThan(80);
  expect(description.length).toBeLessThan(1024);
});

test("every command and every option in it exists", () => {
  const commands = Array.from(
    text.matchAll(/signalbox ([a-z]+)(?: ([a-z-]+))?/g),
    ([, name = "", part = ""]) => [name, part],
  );
  const unknown = commands.filter(
    ([name = "", part = ""]) =>
      !Object.hasOwn(COMMANDS, name) && !(name === "task" && Object.hasOwn(definition.commands ?? {}, part)),
  );
  expect(unknown).toEqual([]);
  const options = Array.from(text.matchAll(/--([a-z][a-z-]*)/g), ([, name = ""]) => name);
  expect(
    options.filter((name) => name !== "json" && !Object.hasOwn(createCommand(definition).options, name)),
  ).toEqual([]);
});

test("it stops: no loop, no waiting", () => {
  expect(text).toContain("Then stop. Do not poll");
  expect(text).not.toMatch(/\bsleep\b|--follow|while true/);
});
