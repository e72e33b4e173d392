import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reader } from "../../src/core/model/artifact.ts";
import { faults, read } from "./reading.ts";
import { busyMs } from "../support/busy.ts";
import { sampled } from "../support/sampled.ts";

const READERS: Readonly<Record<string, Reader>> = {
  section: {
    type: "section",
    heading: "Review",
    any: ["DONE"],
    all: ["RISKS"],
    verdicts: { PASS: "pass", FAIL: "needs_fix" },
  },
  document: { type: "document", headings: ["Goals"], lists: { areas: "Areas" } },
  json: {
    type: "json",
    lists: { areas: "areas" },
    review: { verdictAt: "a.b", verdicts: { ok: "pass" }, issuesAt: "issues" },
  },
  yaml: { type: "yaml", lists: {}, shape: { type: "object", required: {}, optional: {}, open: true } },
  plan: { type: "tasks", style: "markdown" },
  tasks: { type: "tasks", style: "yaml" },
  boxes: { type: "tasks", style: "checkbox" },
  file: { type: "file" },
};

const bytes = (...values: readonly number[]) => Uint8Array.from(values);

test.for<[string, Reader, string | Uint8Array | undefined, string]>([
  ["no file", { type: "file" }, undefined, "not found: 1:1 the file is missing"],
  [
    "no file for a section",
    READERS["section"] ?? { type: "file" },
    undefined,
    'not found: 1:1 the file is missing; it must have the section "## Review"',
  ],
  ["a file", { type: "file" }, "x", "ok"],
  ["an empty file", { type: "file" }, "", "1:1 the file is empty"],
  ["a blank file", { type: "file" }, " \n", "1:1 the file is empty"],
  ["a large file", { type: "file" }, "x".repeat(1024 * 1024), "ok"],
  [
    "a larger file",
    { type: "file" },
    "x".repeat(1024 * 1024 + 1),
    "1:1 is larger than 1048576 bytes (it has 1048577)",
  ],
  ["a large text", { type: "document", headings: [], lists: {} }, "x".repeat(256 * 1024), "ok"],
  ...["section", "document", "plan", "boxes"].map((name): [string, Reader, string, string] => [
    `a larger text, read as ${name}`,
    READERS[name] ?? { type: "file" },
    "[".repeat(256 * 1024 + 1),
    "1:1 is larger than 262144 bytes (it has 262145)",
  ]),
  [
    "a larger text in JSON",
    { type: "json", lists: {} },
    `["${"x".repeat(1024 * 1024)}"]`,
    "1:1 is larger than 1048576 bytes (it has 1048580)",
  ],
  ["a large text in JSON", { type: "json", lists: {} }, `{"a":"${"x".repeat(1024 * 1000)}"}`, "ok"],
  ["a file of the most characters", { type: "file", most: 5 }, "ab\ncd", "ok"],
  [
    "a file of more",
    { type: "file", most: 5 },
    "ab\ncde",
    "2:3 it has 6 characters, and 5 are the most it may have",
  ],
  [
    "a document of more",
    { type: "document", headings: ["A"], lists: {}, most: 5 },
    "## A\n\nx\n",
    "2:1 it has 8 characters, and 5 are the most it may have",
  ],
  ["a NUL byte", { type: "file" }, "ab\ncd\0e", "2:3 holds a NUL byte, so it is not a text"],
  ["a wrong byte", { type: "file" }, bytes(97, 10, 98, 0xff, 99), "2:2 is not valid UTF-8"],
  ["a cut character", { type: "file" }, bytes(97, 0xe2, 0x82), "1:2 is not valid UTF-8"],
  ["a surrogate", { type: "file" }, bytes(0xed, 0xa0, 0x80), "1:1 is not valid UTF-8"],
  ["a check", { type: "check", command: "x" }, "x", "not found: ok"],
  ["a fact", { type: "fact", fact: "x" }, "x", "not found: ok"],
  [
    "children",
    { type: "children", tasks: "x", workflow: "one-task", most: 4, with: {} },
    "x",
    "not found: ok",
  ],
])("%s", ([, reader, content, shown]) => {
  expect(faults(read(reader, content))).toBe(shown);
});

test("the digest is that of the bytes, also where they cannot be read", () => {
  for (const content of [bytes(97), bytes(0xff), bytes(0xef, 0xbb, 0xbf, 97)]) {
    expect(read({ type: "file" }, content).digest).toBe(
      `sha256:${createHash("sha256").update(content).digest("hex")}`,
    );
  }
});

test.for<[said: string, text: string, isSame: boolean]>([
  ["ticked", "- [x] 1.1 Do it\n  - File: a\n* [X] 1.2 Do more\n  - File: b\n", true],
  ["with another title", "- [ ] 1.1 Do it all\n  - File: a\n* [ ] 1.2 Do more\n  - File: b\n", false],
  ["with one less", "- [x] 1.1 Do it\n  - File: a\n", false],
])("a list of tasks, %s: the same one %s", ([, text, isSame]) => {
  const reader: Reader = { type: "tasks", style: "checkbox" };
  const plain = "- [ ] 1.1 Do it\n  - File: a\n* [ ] 1.2 Do more\n  - File: b\n";
  expect(read(reader, text).digest === read(reader, plain).digest).toBe(isSame);
});

describe("whatever a file holds", () => {
  const words = [
    "## Review",
    "Verdict: PASS",
    "DONE:",
    "- ",
    "> ",
    "```",
    "---",
    "[",
    "]",
    "{",
    "}",
    ":",
    '"',
    "\n",
    "\r\n",
    "\t",
    "    ",
    "### Task 1: x",
    "Files: a",
    "- [ ] 1.1 x",
    "tasks:",
    "<!--",
    "-->",
    "**",
    "`",
    "1. ",
    "\uFEFF",
    "\u2028",
    "|",
    "&",
    "*",
    "id: 1.10",
  ];
  const garbage = fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: "binary" })), { maxLength: 40 })
    .map((parts) => parts.join(""));

  test.for(Object.entries(READERS))("reading it as %s does not throw", ([, reader]) => {
    const check = (content: string | Uint8Array) => {
      const reading = read(reader, content);
      expect(reading.faults.every(({ at }) => at.line >= 1 && at.col >= 1)).toBe(true);
      expect(JSON.parse(JSON.stringify(reading))).toEqual(reading);
    };
    fc.assert(fc.property(garbage, check), {
      numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 15 : 150,
    });
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check), {
      numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 6 : 50,
    });
  });

  const SIZE = process.env["SIGNALBOX_DEEP"] === undefined ? 40_000 : 100_000;
  const fill = (part: string) => part.repeat(Math.ceil(SIZE / part.length));
  const hostile: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      [
        "[",
        "]",
        "[a](",
        "![",
        ">",
        "> ",
        "*",
        "**a",
        "*a_",
        "_",
        "`",
        "<",
        "<!--",
        "<a ",
        "- ",
        "1. ",
        "- a\n",
        "> a\n",
        "a\n",
        "\n",
        "#",
        "# a\n",
        "{",
        '{"a":',
        "a: ",
        "- - ",
        "\t",
        " ",
        "\\",
        "&",
        "|",
        "---\n",
        "```\n",
        "[a]: b\n",
        '"',
        "- [ ] 1 a\n",
        "### Task 1: a\n",
        ">\n\n",
        "{a: [",
        "? ",
        "- [",
        "(",
        "a,",
      ].map((part) => [part, fill(part)]),
    ),
    "lines and marks just below the limit": `${"> - > - a\n\n".repeat(990)}> a\n${"b\n".repeat(2990)}`,
    "lazy lines": `> a\n${fill("b\n")}`,
    "deeper and deeper": Array.from({ length: 600 }, (_, i) => `${" ".repeat(i)}- a`).join("\n"),
    "nested in turn": fill("> - > - a\n"),
    "code marks of every length": Array.from({ length: 600 }, (_, i) => "`".repeat(i)).join(" "),
    "many short tasks": `tasks: [\n${fill("{id: 1.10},\n")}]`,
  };

  // The other readers share the parser of Markdown with `section`, or that of YAML with `tasks`.
  test.for(["section", "boxes", "json", "tasks"])("reading it as %s is quick", async (name) => {
    const slow: string[] = [];
    for (const [part, text] of sampled(16, Object.entries(hostile))) {
      const reader = READERS[name] ?? { type: "file" };
      const given = name === "section" ? `## Review\n\n${text}` : text;
      if ((await busyMs(() => read(reader, given))) > TIME_MAX_MS) slow.push(part);
    }
    expect(slow).toEqual([]);
  });
});

/** Far above what is usual, so that a busy machine does not fail the test; a quadratic reader takes minutes. */
const TIME_MAX_MS = 20_000;
