import { expect, test } from "vitest";
import type { Reader } from "../../src/core/model/artifact.ts";
import { faults, read } from "./reading.ts";

const plan: Reader = { type: "section", heading: "Plan", any: ["APPROACH", "TOUCHING"], all: [] };
const handoff: Reader = { type: "section", heading: "Plan", any: [], all: ["DONE", "REMAINING"] };
const bare: Reader = { type: "section", heading: "Plan", any: [], all: [] };

const under = (...lines: readonly string[]) => ["## Plan", "", ...lines].join("\n");
const fieldsOf = (reader: Reader, text: string) => {
  const reading = read(reader, text);
  return reading.faults.length === 0 ? JSON.stringify(reading.fields) : faults(reading);
};

test.for<[string, string, string]>([
  ["on the line", under("APPROACH: rewrite it"), '{"APPROACH":"rewrite it"}'],
  ["bold name", under("**APPROACH:** rewrite it"), '{"APPROACH":"rewrite it"}'],
  ["bold name, colon outside", under("**APPROACH**: rewrite it"), '{"APPROACH":"rewrite it"}'],
  ["name as code", under("`TOUCHING:` a.ts"), '{"TOUCHING":"a.ts"}'],
  ["over lines", under("APPROACH: rewrite", "all of it"), '{"APPROACH":"rewrite\\nall of it"}'],
  ["on the next line", under("APPROACH:", "rewrite it"), '{"APPROACH":"rewrite it"}'],
  ["in the next paragraph", under("APPROACH:", "", "Rewrite it."), '{"APPROACH":"Rewrite it."}'],
  ["as a list", under("TOUCHING:", "- a.ts", "- b.ts"), '{"TOUCHING":"a.ts\\nb.ts"}'],
  ["as a list after an empty line", under("TOUCHING:", "", "* `a.ts`"), '{"TOUCHING":"`a.ts`"}'],
  ["as code", under("TOUCHING:", "```", "a.ts", "```"), '{"TOUCHING":"a.ts"}'],
  ["one after the other", under("APPROACH: x", "TOUCHING: y"), '{"APPROACH":"x","TOUCHING":"y"}'],
  ["at the margin after a list", under("TOUCHING:", "- a", "RISKS: none"), '{"TOUCHING":"a","RISKS":"none"}'],
  ["not applicable", under("APPROACH: N/A"), '{"APPROACH":"N/A"}'],
  ["a colon in the value", under("APPROACH: first: this"), '{"APPROACH":"first: this"}'],
  ["a repeated field", under("APPROACH: a", "", "APPROACH: b"), '{"APPROACH":"a\\nb"}'],
  [
    "CRLF",
    under("APPROACH: x", "TOUCHING:", "- y").replaceAll("\n", "\r\n"),
    '{"APPROACH":"x","TOUCHING":"y"}',
  ],
])("a field %s", ([, text, fields]) => {
  expect(fieldsOf(plan, text)).toBe(fields);
});

test.for<[string, string]>([
  ["no value", under("APPROACH:")],
  ["angle brackets", under("APPROACH: <describe>")],
  ["angle brackets with words", under("APPROACH: <describe it, briefly>")],
  ["brackets", under("APPROACH: [approach here]")],
  ["braces", under("APPROACH: {approach}")],
  ["double braces", under("APPROACH: {{approach}}")],
  ["dots", under("APPROACH: ...")],
  ["an ellipsis", under("APPROACH: …")],
  ["TODO", under("APPROACH: TODO")],
  ["tbd in italics", under("APPROACH: *tbd*")],
  ["a dash", under("APPROACH: -")],
  ["empty bullets", under("APPROACH:", "", "-", "- ")],
  ["bullets of placeholders", under("APPROACH:", "- TODO", "- <file>")],
  ["a comment", under("APPROACH: <!-- what will you do? -->")],
  ["only another field", under("APPROACH:", "RISKS: none")],
  ["only another case", under("Approach: x")],
  ["a list item", under("- APPROACH: x")],
  ["a quote", under("> APPROACH: x")],
  ["indented code", under("    APPROACH: x")],
  ["a fence", under("```", "APPROACH: x", "```")],
  ["a comment around it", under("<!--", "APPROACH: x", "-->")],
  ["the middle of a line", under("My APPROACH: x")],
  ["a nested heading", under("### Details", "APPROACH: x")],
])("a field does not count: %s", ([, text]) => {
  expect(faults(read(plan, text))).toBe("1:1 one of APPROACH:, TOUCHING: must have content");
});

test.for<[string, Reader, string, string]>([
  ["all fields", handoff, under("DONE: a", "REMAINING: none"), "ok"],
  ["one of all missing", handoff, under("DONE: a"), "1:1 REMAINING: must have content"],
  ["all missing", handoff, under("Text."), "1:1 DONE:, REMAINING: must have content"],
  ["text is enough", bare, under("Text."), "ok"],
  ["no text", bare, under("", "## Next", "x"), "1:1 the section has no content"],
  ["no section", bare, "# Task", 'not found: 1:1 the section "## Plan" is missing'],
  ["in a fence", bare, "```\n## Plan\nx\n```", 'not found: 1:1 the section "## Plan" is missing'],
  [
    "place after front matter",
    handoff,
    "---\na: 1\n---\n\n## Plan\n\nDONE: x",
    "5:1 REMAINING: must have content",
  ],
  [
    "twice",
    bare,
    "## Plan\n\nx\n\n## Plan\n\ny",
    '5:1 the section "## Plan" appears twice (first on line 1), so that none counts',
  ],
])("%s", ([, reader, text, shown]) => {
  expect(faults(read(reader, text))).toBe(shown);
});

test("a long value is cut, not the fault", () => {
  const reading = read(plan, under(`APPROACH: ${"x".repeat(5000)}`));
  expect(String(reading.fields["APPROACH"])).toHaveLength(2000);
});

const digest = (text: string) => read(bare, text).digest;

test.for<[string, string, boolean]>([
  ["other line ends", "## Plan\r\n\r\nx\r\n", true],
  ["empty lines at the end", "## Plan\n\nx\n\n\n", true],
  ["another section behind it", "## Plan\n\nx\n\n## Next\n\ny", true],
  ["another section before it", "# Task\n\n## Plan\n\nx", true],
  ["other text", "## Plan\n\ny", false],
  ["a nested heading", "## Plan\n\nx\n\n### More", false],
])("the digest of a section with %s", ([, text, same]) => {
  expect(digest(text) === digest("## Plan\n\nx")).toBe(same);
});
