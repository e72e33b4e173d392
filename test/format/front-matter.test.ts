import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "../../src/format/front-matter/parts.ts";
import { setFrontMatter, setKeys } from "../../src/format/front-matter/edit.ts";
import { loadYaml } from "../../src/format/yaml.ts";

type Keys = Readonly<Record<string, unknown>>;

/** The new text, or the problems as `line:col code`. */
function set(text: string, data: Keys): string {
  const edited = setFrontMatter("TASK.md", text, data);
  if (edited.ok) return edited.text;
  return edited.problems.map(({ line, col, code }) => `${line}:${col} ${code}`).join(", ");
}

test.for<[string, readonly [string, string, string, string]]>([
  ["", ["", "", "", ""]],
  ["# Title\n", ["", "", "", "# Title\n"]],
  ["---\na: 1\n---\nbody", ["", "---\na: 1\n", "---\n", "body"]],
  ["---\n---", ["", "---\n", "---", ""]],
  ["\uFEFF---\r\na: 1\r\n---\r\n\r\nbody\r\n", ["\uFEFF", "---\r\na: 1\r\n", "---\r\n", "\r\nbody\r\n"]],
  ["--- \na: 1\n---\t\n---\n", ["", "--- \na: 1\n", "---\t\n", "---\n"]],
  ["---\na: ---\n --- \n----\n---x\n---\n", ["", "---\na: ---\n --- \n----\n---x\n", "---\n", ""]],
  ["\n---\na: 1\n---\n", ["", "", "", "\n---\na: 1\n---\n"]],
  [" ---\na: 1\n---\n", ["", "", "", " ---\na: 1\n---\n"]],
  ["---\na: 1\n", ["", "", "", "---\na: 1\n"]],
])("%j is split without losing a byte", ([text, parts]) => {
  const { mark, head, close, body } = splitFrontMatter(text);
  expect([mark, head, close, body]).toEqual(parts);
  expect(mark + head + close + body).toBe(text);
});

describe("only the lines of changed keys differ", () => {
  test.for<[string, string, Keys, string]>([
    [
      "a value",
      "---\nstatus: old\nnote: x\n---\nbody",
      { status: "new" },
      "---\nstatus: new\nnote: x\n---\nbody",
    ],
    [
      "nothing",
      "---\nstatus:   'same'   # c\n---\n",
      { status: "same" },
      "---\nstatus:   'same'   # c\n---\n",
    ],
    [
      "a comment on the line",
      "---\nstatus: old # why\n---\n",
      { status: "new" },
      "---\nstatus: new # why\n---\n",
    ],
    [
      "comments between",
      "---\n# 1\na: 1\n# 2\n\nb: 2\n# 3\n---\n",
      { b: 3 },
      "---\n# 1\na: 1\n# 2\n\nb: 3\n# 3\n---\n",
    ],
    [
      "CRLF",
      "---\r\na: 1\r\nb: 2\r\n---\r\nx\r\n",
      { a: 3, c: 4 },
      "---\r\na: 3\r\nb: 2\r\nc: 4\r\n---\r\nx\r\n",
    ],
    ["a byte order mark", "\uFEFF---\na: 1\n---\n", { a: 2 }, "\uFEFF---\na: 2\n---\n"],
    ["no line end at the end", "---\na: 1\n---", { a: 2 }, "---\na: 2\n---"],
    ["no value so far", "---\na:\n# c\nb: 1\n---\n", { a: 2 }, "---\na: 2\n# c\nb: 1\n---\n"],
    ["no value but a comment", "---\na: # c\nb: 1\n---\n", { a: 2 }, "---\na: 2 # c\nb: 1\n---\n"],
    ["a list for a value", "---\na: 1 # c\nb: 1\n---\n", { a: ["x"] }, "---\na:\n  - x # c\nb: 1\n---\n"],
    [
      "a value for a list",
      "---\na: # c\n  - x\n  - y\n# d\nb: 1\n---\n",
      { a: 1 },
      "---\na: 1 # c\n# d\nb: 1\n---\n",
    ],
    ["a block of text", "---\na: |\n  x\n\n  y\n\nb: 1\n---\n", { a: "z" }, "---\na: z\n\nb: 1\n---\n"],
    ["several lines", "---\na: x\n  y\nb: 1\n---\n", { a: "z" }, "---\na: z\nb: 1\n---\n"],
    ["new keys", "---\na: 1\n# end\n---\n", { b: [], c: {} }, "---\na: 1\n# end\nb: []\nc: {}\n---\n"],
    [
      "an indented map",
      "---\n  a: 1\n  b: 2\n---\n",
      { a: { x: 1 }, c: [1] },
      "---\n  a:\n    x: 1\n  b: 2\n  c:\n    - 1\n---\n",
    ],
    ["an empty map", "---\n---\nbody", { a: 1 }, "---\na: 1\n---\nbody"],
    ["comments alone", "---\n# c\n---\nbody", { a: 1 }, "---\n# c\na: 1\n---\nbody"],
    ["a quoted key", '---\n"1.10": a\n---\n', { "1.10": "b" }, '---\n"1.10": b\n---\n'],
    [
      "text that looks like something else",
      "---\na: x\n---\n",
      { a: "no", b: "1.10" },
      '---\na: "no"\nb: "1.10"\n---\n',
    ],
    [
      "text of several lines",
      "---\na: x\n---\n",
      { a: "1\n---\n2\u001B\u007F" },
      '---\na: "1\\n---\\n2\\u001b\\u007f"\n---\n',
    ],
    [
      "a space that is not ASCII",
      "---\na: x\u00A0\n---\n",
      { a: "\u3000", b: "\u00A0" },
      "---\na: \u3000\nb: \u00A0\n---\n",
    ],
    ["null", "---\na: x\n---\n", { a: null }, "---\na: null\n---\n"],
  ])("%s", ([, text, data, after]) => {
    expect(set(text, data)).toBe(after);
  });
});

describe("front matter is made where there is none", () => {
  test.for<[string, Keys, string]>([
    ["", { a: 1 }, "---\na: 1\n---\n"],
    ["# Title", { a: 1 }, "---\na: 1\n---\n# Title"],
    ["x\r\ny", { a: 1 }, "---\r\na: 1\r\n---\r\nx\r\ny"],
    ["\uFEFFx\n", { a: 1 }, "\uFEFF---\na: 1\n---\nx\n"],
    ["x\n---\ny\n---\n", { a: 1 }, "---\na: 1\n---\nx\n---\ny\n---\n"],
    ["x\n", {}, "x\n"],
  ])("in %j", ([text, data, after]) => {
    expect(set(text, data)).toBe(after);
  });
});

describe("what cannot be edited safely is not touched", () => {
  test.for<[string, string, string]>([
    ["an error of syntax", "---\nb: 1\na: [1\n---\n", "4:1 syntax"],
    ["a list", "---\n- a\n---\n", "2:1 not-a-map"],
    ["a duplicate key", "---\na: 1\nb: 1\na: 2\n---\n", "4:1 duplicate-key"],
    ["an alias", "---\nb: &x 1\nc: *x\n---\n", "2:4 anchor, 3:4 alias"],
    ["no closing line", "---\nb: 1\n", "1:1 front-matter-open"],
    ["an explicit key", "---\n? a\n: 1\n---\n", "1:1 not-editable"],
    ["an end of document", "---\nb: 1\n...\n---\n", "1:1 not-editable"],
  ])("%s", ([, text, problems]) => {
    expect(set(text, { a: 3 })).toBe(problems);
  });

  test("a key that no reader may see", () => {
    expect(set("x", Object.fromEntries([["__proto__", 1]]))).toBe("1:1 not-editable");
  });
});

test("a YAML file without a last line end gets none", () => {
  expect(setKeys("STATE.yaml", "a: 1", { b: 2 })).toEqual({ ok: true, text: "a: 1\nb: 2" });
});

describe("for all files", () => {
  const lineEnd = fc.constantFrom("\n", "\r\n");
  const line = fc.constantFrom(
    "# a comment",
    "",
    "  ",
    "mine: 1.10  # kept",
    "list: [ a,b ]",
    'quoted:   "x"',
    "deep:\n  x: 1 # c\n  # d\n  y: |\n    z",
  );
  const owned = fc.constantFrom(
    "status: working",
    "status: 'old' # c",
    "status:\n- a\n- b",
    "status: |\n  x\n\n",
    "status:",
  );
  const value = fc
    .oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: "binary" }))
    .filter((candidate) => !JSON.stringify(candidate).includes("__proto__"));

  test("the body, the comments and the other keys keep every byte, and the value can be read back", () => {
    const file = fc.record({
      lines: fc.uniqueArray(line),
      at: fc.nat(7),
      owned,
      lineEnd,
      body: fc.string({ unit: "binary" }),
    });
    fc.assert(
      fc.property(file, value, ({ lines, at, owned: mine, lineEnd: end, body }, status) => {
        const above = written(["---", ...lines.slice(0, at)]);
        const below = `${written([...lines.slice(at), "---"])}${body}`;
        const after = set(`${above}${written([mine])}${below}`, { status });
        expect(after.slice(0, above.length)).toBe(above);
        expect(after.slice(after.length - below.length)).toBe(below);
        expect(readBack(after)).toBe(JSON.stringify(status));

        function written(parts: readonly string[]): string {
          return parts
            .map((part) => `${part}\n`)
            .join("")
            .replaceAll("\n", end);
        }
      }),
    );
  });

  test("setting the same keys again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.dictionary(fc.string(), value), (text, data) => {
        const once = setFrontMatter("TASK.md", text, data);
        const twice = once.ok ? setFrontMatter("TASK.md", once.text, data) : once;
        expect(twice).toEqual(once);
      }),
    );
  });

  test("nothing makes it throw", () => {
    const pieces = fc.constantFrom(
      "---\n",
      "a: ",
      "[",
      "]",
      "{",
      "}",
      "- ",
      "? ",
      "\n",
      "\r\n",
      "#",
      "'",
      '"',
      "|",
      " ",
      "&x ",
      "status",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = `---\n${parts.join("")}\n---\n`;
        expect(() => set(text, { status: "x" })).not.toThrow();
      }),
      { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 200 : 1000 },
    );
  });

  function readBack(text: string): string {
    const loaded = loadYaml("TASK.md", new TextEncoder().encode(splitFrontMatter(text).head));
    return loaded.ok ? JSON.stringify((loaded.data as { status: unknown }).status) : "unreadable";
  }
});
