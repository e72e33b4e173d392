/** Placeholders in command lines. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { fillArgv, PLACEHOLDERS, type Values } from "../../src/format/settings/argv.ts";

const values: Values = { prompt: "/p.md", session: "1-2", run: "r1", role: "worker", workspace: "/w" };

test.for<[argv: string, model: string, filled: string]>([
  ["claude --model {model} -p", "opus", "claude --model opus -p"],
  ["claude --model {model} -p", "", "claude -p"],
  ["claude --model={model} -p", "", "claude -p"],
  ["claude --verbose --model={model}", "", "claude --verbose"],
  ["codex -c model={model} -", "", "codex -"],
  ["codex exec {model} -", "", "codex exec -"],
  ["{model} x", "", "x"],
  ["agent --resume {session} {role}.{run}", "", "agent --resume 1-2 worker.r1"],
  ["awk {print} {} {workspace}", "", "awk {print} {} /w"],
  ["agent --a {model} --b {model}", "", "agent"],
  ["agent --a {model}{role} x", "", "agent x"],
  ["agent --a {role} {model}", "", "agent --a worker"],
])("%s with model '%s' -> %s", ([argv, model, filled]) => {
  expect(fillArgv(argv.split(" "), { ...values, model }).join(" ")).toBe(filled);
});

test("the program is never left out for being the option before an empty argument", () => {
  expect(fillArgv(["-odd", "{model}"], {})).toEqual(["-odd"]);
});

test("an empty argument that has no placeholder stays", () => {
  expect(fillArgv(["claude", "--setting-sources", ""], {})).toEqual(["claude", "--setting-sources", ""]);
});

test("a value is one argument, whatever it holds, and is not filled in again", () => {
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom(...PLACEHOLDERS.map((name) => `{${name}}`), "$(x) 'y' \n"),
  );
  fc.assert(
    fc.property(fc.constantFrom(...PLACEHOLDERS), value, (name, text) => {
      expect(fillArgv(["program", "--flag", `{${name}}`, `a{${name}}b`], { [name]: text })).toEqual([
        "program",
        "--flag",
        text,
        `a${text}b`,
      ]);
    }),
  );
});
