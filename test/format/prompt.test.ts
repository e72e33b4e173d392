import fc from "fast-check";
import { expect, test } from "vitest";
import { variablesIn } from "../../src/core/text/prompt-variables.ts";
import { placesIn } from "../../src/format/problem.ts";
import { fill, fillAsked, wordsIn } from "../../src/format/prompt.ts";

const VARS = { summary: "Add login", branch: "feature/x", round_2: "two" };

test.for<[string, string, string]>([
  ["no braces at all", "", "no braces at all"],
  ["Do {summary} on {branch}.", "summary@1:4 branch@1:17", "Do Add login on feature/x."],
  ["{summary}{summary}", "summary@1:1 summary@1:10", "Add loginAdd login"],
  ["a\n😀 {round_2}", "round_2@2:3", "a\n😀 two"],
  ["{{summary}} is a variable", "", "{summary} is a variable"],
  ['{"verdict": {"at": 1}}', "", '{"verdict": {"at": 1}}'],
  ['{"goal": {summary}}', "summary@1:10", '{"goal": Add login}'],
  ["{} { summary } {Summary} {1} {a-b} {a b}", "", "{} { summary } {Summary} {1} {a-b} {a b}"],
  ["{{ }} {{", "", "{{ }} {{"],
  ["${summary}", "summary@1:2", "$Add login"],
  ["{summary", "", "{summary"],
])("%j names %j and becomes %j", ([text, names, filled]) => {
  const placeAt = placesIn("p.md", text);
  const shown = variablesIn(text).map(({ name, index }) => {
    const { line, col } = placeAt(index);
    return `${name}@${line}:${col}`;
  });
  expect(shown.join(" ")).toBe(names);
  expect(fill(text, VARS)).toBe(filled);
});

test.for<[string, string]>([
  ["{plan.summary}", "<said>"],
  ["a {plan.summary}{summary} b", "a <said>Add login b"],
  ["{{plan.summary}} is a variable", "{plan.summary} is a variable"],
  ["{1.2.size} {plan.other} {{plan.other}}", "<two> {plan.other} {{plan.other}}"],
  ['{"at": {plan.summary}}', '{"at": <said>}'],
  ["{plan.summary", "{plan.summary"],
])("%j becomes %j where artifacts have said something", ([text, filled]) => {
  expect(fill(text, { ...VARS, "plan.summary": "<said>", "1.2.size": "<two>" })).toBe(filled);
});

test.for<[string, string[]]>([
  ["{plan.summary} and\n{1.2.size}", ["plan|summary@1:1", "1.2|size@2:1"]],
  ["{{plan.summary}} {other.x} {1.5} {plan} {plan.}", []],
  ["{plan.b.c.d}", ["plan.b|c.d@1:1"]],
])("the fields that %j names are %j", ([text, named]) => {
  const all = wordsIn({ file: "p.md", text }, ["plan", "plan.b", "1", "1.2"]);
  expect(all.map(({ artifact, field, place }) => `${artifact}|${field}@${place.line}:${place.col}`)).toEqual(
    named,
  );
});

test.for<[string]>([["{branch}"], ["{{branch}}"], ["$1 $& $<name>"], ["{nobody}"]])(
  "the value %j is inserted as it is",
  ([summary]) => {
    expect(fill("<{summary}>", { summary, branch: "wrong" })).toBe(`<${summary}>`);
  },
);

test.for<[string]>([["{nobody}"], ["{constructor}"]])("filling %s without a value is our bug", ([text]) => {
  expect(() => fill(text, VARS)).toThrow("has no value");
});

test("text without braces is never changed", () => {
  const text = fc.string({ unit: "binary" }).map((raw) => raw.replaceAll(/[{}]/g, ""));
  fc.assert(
    fc.property(text, (raw) => {
      expect(fill(raw, {})).toBe(raw);
      expect(variablesIn(raw)).toEqual([]);
    }),
  );
});

test("whatever is found can be filled", () => {
  const text = fc
    .array(fc.constantFrom("{", "}", "{{", "}}", "a", "b_1", " ", "\n", '"'))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (raw) => {
      const vars = Object.fromEntries(variablesIn(raw).map(({ name }) => [name, "v"]));
      expect(() => fill(raw, vars)).not.toThrow();
    }),
  );
});

test.for<[text: string, asked: string]>([
  ["Shall it?\n\nThe plan: {plan}\nThe look: {look}\n", "Shall it?\n\nThe plan: do it"],
  ["The look: {look} of it\n{look}\n- {look}: {plan}", "The look:  of it\n\n- : do it"],
  ["The plan: {plan}: {look}", "The plan: do it:"],
])("a label without anything is not asked: %o", ([text, asked]) => {
  expect(fillAsked(text, { plan: "do it", look: "" })).toBe(asked);
});
