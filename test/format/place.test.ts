import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Artifact } from "../../src/core/model/artifact.ts";
import { cutSection, putSection, setSection } from "../../src/format/markdown/place.ts";
import { readArtifact } from "../../src/format/reading/read.ts";

const RUNS = process.env["SIGNALBOX_DEEP"] === undefined ? 300 : 5000;

const HEADINGS = ["Plan", "Handoff", "Review", "Notes"];

function artifact(heading: string): Artifact {
  return {
    file: "TASK.md",
    reader: { type: "section", heading, any: [], all: [] },
    by: [],
    fresh: "run",
    bind: [],
    block: "low",
  };
}

function readingOf(text: string, heading: string) {
  return readArtifact(heading, artifact(heading), { file: "TASK.md", bytes: Buffer.from(text), slot: "" });
}

const digestsBut = (text: string, heading: string) =>
  HEADINGS.filter((name) => name !== heading).map((name) => [name, readingOf(text, name).digest]);

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

const put = (text: string, body: string): string => {
  const placed = putSection(text, "Plan", body);
  return placed.ok ? placed.text : `refused: ${placed.reason}`;
};
const cut = (text: string): string => {
  const parted = cutSection(text, "Plan");
  return parted.ok ? `${parted.text}|${parted.cut}` : `refused: ${parted.reason}`;
};

describe("a section is put", () => {
  test.for<[string, string, string, string]>([
    ["into nothing", "", "x", "## Plan\n\nx\n"],
    ["after what is there", "# T\n", "x", "# T\n\n## Plan\n\nx\n"],
    ["after a text without a last line end", "# T", "x", "# T\n\n## Plan\n\nx\n"],
    ["after trailing spaces", "# T  ", "x", "# T  \n\n## Plan\n\nx\n"],
    ["after an empty line", "# T\n\n", "x", "# T\n\n## Plan\n\nx\n"],
    ["behind a byte order mark", "\uFEFF# T\r\n", "x\ny", "\uFEFF# T\r\n\r\n## Plan\r\n\r\nx\r\ny\r\n"],
    ["in the place of another", "## Plan\nold\n\n## Next\ny", "x", "## Plan\n\nx\n\n## Next\ny"],
    ["close to the next", "## Plan\nold\n## Next\ny", "x", "## Plan\n\nx\n\n## Next\ny"],
    ["before an underlined heading", "## Plan\nold\n\nNext\n---\ny", "x", "## Plan\n\nx\n\nNext\n---\ny"],
    ["under an underlined heading", "Plan\n---\nold\n", "x", "Plan\n---\n\nx\n"],
    ["at the end without a line end", "a\n\n## Plan\nold", "x", "a\n\n## Plan\n\nx"],
    [
      "with white space around it",
      "## Plan\n\nold\n\n\n\n## N\n",
      "\n\n  x  \n\n",
      "## Plan\n\n  x\n\n\n\n## N\n",
    ],
    ["with its own heading", "# T\n", "## Plan\n\nx\n", "# T\n\n## Plan\n\nx\n"],
    ["beside a heading in a fence", "```\n## Plan\n```\n", "x", "```\n## Plan\n```\n\n## Plan\n\nx\n"],
    ["beside a heading in a comment", "<!--\n## Plan\n-->\n", "x", "<!--\n## Plan\n-->\n\n## Plan\n\nx\n"],
    ["below front matter", "---\na: 1 # c\n---\n## Plan\n", "x", "---\na: 1 # c\n---\n## Plan\n\nx\n"],
    ["with smaller headings", "## Plan\n\n### a\n\nb\n", "### c\n\nd", "## Plan\n\n### c\n\nd\n"],
    ["with nothing", "## Plan\n\nold\n\n## N\n", "", "## Plan\n\n## N\n"],
  ])("%s", ([, text, body, after]) => {
    expect(put(text, body)).toBe(after);
  });

  test.for<[string, string, string, string]>([
    ["a heading of its own rank", "# T\n", "x\n\n## Other\ny", 'use "###"'],
    ["an underlined text", "# T\n", "x\n---\n", 'use "###"'],
    ["a fence that nothing closes", "## Plan\n\n## N\n", "```\nx", "would hide the text after it"],
    ["a comment that nothing closes", "## Plan\n\n## N\n", "<!-- x", "would hide the text after it"],
    ["an open fence at the end of the file", "# T\n", "x\n\n```\ny\n", "close the code fence of its line 3"],
    ["an open fence of tildes", "# T\n\n## Plan\n", "~~~\n```\ny", "close the code fence of its line 1"],
    [
      "an open comment at the end of the file",
      "# T\n",
      "x <!-- fine\n\n<!-- y\n\nz",
      "the HTML comment of its line 3",
    ],
    ["an open block of HTML", "# T\n", "<pre>\n\ny", "close the HTML block of its line 1"],
    ["an open processing instruction", "# T\n", "<?php\n\ny", "close the HTML block of its line 1"],
    ["an open element", "# T\n", "<details>\n\ny", "close the HTML element <details> of its line 1"],
    ["an open fence between rules", "", "---\n```\n---\n", "close the code fence of its line 2"],
    ["a file with it twice", "## Plan\na\n## Plan\nb\n", "x", "appears twice"],
    [
      "a file that ends in a fence",
      "# T\n\n## Handoff\n\n```\ncode\n",
      "x",
      'close the code fence of line 5 (section "Handoff")',
    ],
    ["a file that ends in a comment", "<!--\n", "x", "the HTML comment of line 1, so that"],
    ["a file with too many lines", "x\n".repeat(6000), "x", "has more than 5000 lines"],
  ])("not: %s", ([, text, body, reason]) => {
    expect(put(text, body)).toContain("refused: ");
    expect(put(text, body)).toContain(reason);
  });
});

test.for<[string, string, string]>([
  ["the only one", "## Plan\n\nx\n", "|## Plan\n\nx\n"],
  ["in the middle", "a\n\n## Plan\nx\n\n## N\ny", "a\n\n## N\ny|## Plan\nx\n\n"],
  ["not there", "a\n```\n## Plan\n```\n", "a\n```\n## Plan\n```\n|"],
  ["twice", "## Plan\na\n## N\n## Plan\nb", "## N\n|## Plan\na\n## Plan\nb"],
  ["before an underlined heading", "p\n## Plan\nx\n\nN\n===\n", "p\n\nN\n===\n|## Plan\nx\n\n"],
  [
    "with a byte order mark and CRLF",
    "\uFEFFa\r\n\r\n## Plan\r\nx\r\n# N\r\n",
    "\uFEFFa\r\n\r\n# N\r\n|## Plan\r\nx\r\n",
  ],
  ["indented", "a\n\n  ## Plan\nx\n ## N\n", "a\n\n ## N\n|  ## Plan\nx\n"],
])("a section is cut: %s", ([, text, after]) => {
  expect(cut(text)).toBe(after);
});

const piece = fc.constantFrom(
  "",
  "text",
  "trailing  ",
  "\ttab",
  "- item",
  "  - nested",
  "> quote",
  "```",
  "~~~",
  "## Plan",
  "## Handoff",
  "   ## Review",
  "    ## Plan",
  "# Title",
  "### Plan",
  "Plan",
  "---",
  "===",
  "<!-- ## Plan",
  "-->",
  "<details>",
  "</details>",
  "DONE: it",
  "Verdict: PASS",
  "😀 ümlaut",
  "1. one",
  "***",
  "\\## Plan",
  "## **Plan**",
  "[a]: b",
);
const text = fc
  .record({
    lines: fc.array(piece, { maxLength: 14 }),
    lineEnd: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\uFEFF"),
    front: fc.constantFrom("", "---\nstatus: a # b\n---\n", "---\nopen: 1\n"),
    last: fc.boolean(),
  })
  .map(({ lines, lineEnd, mark, front, last }) => {
    const whole = front + lines.join("\n") + (last ? "\n" : "");
    return mark + whole.replaceAll("\n", lineEnd);
  });

test("a section that was put is found with exactly that body, and all others are as they were", () => {
  let placed = 0;
  fc.assert(
    fc.property(
      text,
      fc.array(piece, { maxLength: 5 }),
      fc.constantFrom(...HEADINGS),
      (before, lines, heading) => {
        const body = `x ${lines.join("\n")}`.trimEnd();
        const result = putSection(before, heading, body);
        if (!result.ok) return;
        placed += 1;
        const after = result.text;
        const reading = readingOf(after, heading);
        expect(reading.found).toBe(true);
        expect(reading.fields).toEqual(readingOf(`## ${heading}\n\n${body}`, heading).fields);
        const expected = readingOf(before, heading).found
          ? reading.digest
          : digestOf(`## ${heading}\n\n${body}`);
        expect(reading.digest).toBe(expected);
        expect(digestsBut(after, heading)).toEqual(digestsBut(before, heading));
        // Doing it again changes nothing.
        expect(putSection(after, heading, body)).toEqual({ ok: true, text: after });
      },
    ),
    { numRuns: RUNS },
  );
  expect(placed).toBeGreaterThan(RUNS / 5);
});

test("a section that was cut is missing, all others are as they were, and no byte is lost", () => {
  fc.assert(
    fc.property(text, fc.constantFrom(...HEADINGS), (before, heading) => {
      const parted = cutSection(before, heading);
      if (!parted.ok) return;
      expect(readingOf(parted.text, heading).found).toBe(false);
      expect(digestsBut(parted.text, heading)).toEqual(digestsBut(before, heading));
      const count = (all: string) =>
        Array.from(all.replaceAll(/[\r\n]/g, ""))
          .sort()
          .join("");
      expect(count(parted.text + parted.cut)).toBe(count(before));
    }),
    { numRuns: RUNS },
  );
});

test("a section that was brought from another page has its digest there, and all others are as they were", () => {
  let placed = 0;
  fc.assert(
    fc.property(text, text, fc.constantFrom(...HEADINGS), (from, before, heading) => {
      const parted = cutSection(from, heading);
      if (!parted.ok || parted.cut === "") return;
      const result = setSection(before, heading, parted.cut);
      if (!result.ok) return;
      placed += 1;
      expect(readingOf(result.text, heading).digest).toBe(readingOf(from, heading).digest);
      expect(digestsBut(result.text, heading)).toEqual(digestsBut(before, heading));
      expect(setSection(result.text, heading, parted.cut)).toEqual(result);
    }),
    { numRuns: RUNS },
  );
  expect(placed).toBeGreaterThan(RUNS / 50);
});
