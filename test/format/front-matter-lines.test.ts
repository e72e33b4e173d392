/** Simple lines of front matter, changed without a parser: nothing, or exactly what the parser would do. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { setLines } from "../../src/format/front-matter/lines.ts";
import { setFrontMatter } from "../../src/format/front-matter/edit.ts";

const BEFORE = { id: "r1", status: "planning", round: 0, session: null, at: "2026-01-01T00:00:00.000Z" };
const AFTER = { ...BEFORE, status: "agent-review", round: 12, at: "2026-02-02T00:00:00.123Z" };

function written(before: Readonly<Record<string, unknown>>, more = ""): string {
  const made = setFrontMatter("TASK.md", `---\n${more}---\n# Task\n\nstatus: planning\n`, before);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.text;
}

test("simple lines", () => {
  const text = written(BEFORE, "# mine\nowner: Ada Lovelace\n\n");
  const expected = setFrontMatter("TASK.md", text, AFTER);
  expect({ ok: true, text: setLines(text, BEFORE, AFTER) }).toEqual(expected);
  expect(setLines(text, BEFORE, BEFORE)).toBe(text);
});

test.for([
  ["no front matter", "# Task\n"],
  ["a key that is not there", "---\nid: r1\n---\n"],
  ["a comment behind the value", "---\nid: r1\nstatus: planning # now\nround: 0\nsession: null\n---\n"],
  ["a text over lines", '---\nid: r1\nnote: "a\n  status: planning"\nstatus: planning\n---\n'],
  ["a map in braces", "---\n{id: r1,\nstatus: planning\n}\n---\n"],
  ["a block", "---\nnote: |\n  status: planning\nstatus: planning\n---\n"],
  ["a key twice", "---\nstatus: planning\nstatus: planning\n---\n"],
  ["line ends of another system", "---\r\nid: r1\r\nstatus: planning\r\n---\r\n"],
  ["an anchor", "---\nid: &a r1\nstatus: planning\n---\n"],
])("%s is left to the parser", ([, text]) => {
  expect(setLines(text ?? "", BEFORE, AFTER)).toBeUndefined();
});

const value = fc.oneof(
  fc.constantFrom(
    "yes",
    "no",
    "on",
    "null",
    "true",
    "nan",
    "working",
    "agent-review",
    "",
    "1",
    "-",
    "a: b",
    "x #y",
  ),
  fc.string({ maxLength: 12 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
  fc.boolean(),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
);
const keys = fc.record({ id: value, status: value, round: value, at: value });

test("whatever the values, it does what the parser does, or nothing", () => {
  let done = 0;
  fc.assert(
    fc.property(
      keys,
      keys,
      fc.constantFrom("", "# c\n", "owner: me\n", "list: [1]\n"),
      (before, after, more) => {
        const text = written(before, more);
        const easy = setLines(text, before, after);
        if (easy === undefined) return;
        done += 1;
        expect({ ok: true, text: easy }).toEqual(setFrontMatter("TASK.md", text, after));
      },
    ),
    { numRuns: 400 },
  );
  expect(done).toBeGreaterThan(0);
});
