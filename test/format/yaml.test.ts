import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadYaml } from "../../src/format/yaml.ts";
import { sampled } from "../support/sampled.ts";

const BYTES_MAX = 262_144;
const EXAMPLE = `# A comment
name: "task"
states:
  planning: {title: Planning, waits: false}
  "1.10": {title: 'It''s quoted'}
moves:
  - from: planning
    to: done
    do: [start worker, stop all]
text: |
  two
  lines
none:
`;

function load(input: string | Uint8Array): ReturnType<typeof loadYaml> {
  return loadYaml("flow.yaml", typeof input === "string" ? new TextEncoder().encode(input) : input);
}

/** The data as JSON, or the problems as `line:col code`. */
function show(input: string | Uint8Array): string {
  const loaded = load(input);
  if (loaded.ok) return JSON.stringify(loaded.data);
  return loaded.problems.map(({ line, col, code }) => `${line}:${col} ${code}`).join(", ");
}

function filled(piece: string): string {
  return piece.repeat(Math.floor(BYTES_MAX / piece.length));
}

function brackets(depth: number): string {
  return `a: ${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}`;
}

test("a whole file becomes plain data", () => {
  expect(load(EXAMPLE)).toMatchObject({
    ok: true,
    data: {
      name: "task",
      states: { planning: { title: "Planning", waits: false }, "1.10": { title: "It's quoted" } },
      moves: [{ from: "planning", to: "done", do: ["start worker", "stop all"] }],
      text: "two\nlines\n",
      none: null,
    },
  });
});

test.for<[string, string]>([
  ["a: 1", '{"a":1}'],
  ["\uFEFFa: 1", '{"a":1}'],
  ["a: 1\r\nb:\r\n  - x\r\n", '{"a":1,"b":["x"]}'],
  ["---\na: 1\n...\n", '{"a":1}'],
  [
    "a: [yes, no, on, 0o17, 0x1f, 1e3, ~, null, 1_000]",
    '{"a":["yes","no","on",15,31,1000,null,null,"1_000"]}',
  ],
  ['a: "&x *y !z << [["', '{"a":"&x *y !z << [["}'],
  ["a: |\n  &x *y !z\n  %TAG\n  ---\n", '{"a":"&x *y !z\\n%TAG\\n---\\n"}'],
  ["a: x # &b *c !d\n", '{"a":"x"}'],
  [`a: "${"[".repeat(60)}"`, `{"a":"${"[".repeat(60)}"}`],
  [`a: '${"{a: ".repeat(60)}'`, `{"a":"${"{a: ".repeat(60)}"}`],
  ['"<<": 1', '{"<<":1}'],
  ["constructor: 1\ntoString: 2", '{"constructor":1,"toString":2}'],
  ["a: \uFFFD", '{"a":"\uFFFD"}'],
])("%j is read as %s", ([text, data]) => {
  expect(show(text)).toBe(data);
});

test.for<[string, string | Uint8Array, string]>([
  ["nothing", "", "1:1 empty"],
  ["only comments", "# a\n\n# b\n", "1:1 empty"],
  ["an empty document", "---\n", "1:4 empty"],
  ["a list", "- a\n", "1:1 not-a-map"],
  ["a scalar", "a\n", "1:1 not-a-map"],
  ["an anchor and an alias", "a: &x 1\nb: *x\n", "1:4 anchor, 2:4 alias"],
  ["an alias as a key", "*x : 1\n", "1:1 alias"],
  ["a merge key", "a:\n  <<: {b: 1}\n", "2:3 merge-key"],
  ["a tag", "a: !!str 1\nb: !x 2\nc: !<tag:x> 3\n", "1:4 tag, 2:4 tag, 3:4 tag"],
  ["a duplicate key", "a: 1\nb: {c: 1, c: 2}\na: 3\n", "2:11 duplicate-key, 3:1 duplicate-key"],
  ["a directive", "%YAML 1.1\n---\na: yes\n", "1:1 directive"],
  ["two documents", "a: 1\n---\nb: 1\n", "2:1 several-documents"],
  [
    "two documents, the first with problems",
    "a: 1\na: 2\n---\nb: 1\n---\n",
    "2:1 duplicate-key, 3:1 several-documents",
  ],
  ["an empty second document", "a: 1\n---\n", "2:1 several-documents"],
  ["number keys", "1.10: a\n2: b\n", "1:1 key-not-text, 2:1 key-not-text"],
  ["keys that are no text", "true: a\n~: b\n", "1:1 key-not-text, 2:1 key-not-text"],
  ["a missing key", ": a\n", "1:1 key-not-text"],
  ["a list as a key", "? [a]\n: b\n", "1:3 key-not-text"],
  ["__proto__", "a: {__proto__: {b: 1}}\n", "1:5 key-refused"],
  ["an escaped __proto__", '"__pr\\u006fto__": 1\n', "1:1 key-refused"],
  [
    "numbers that are not exact",
    "a: .inf\nb: .nan\nc: 12345678901234567890\n",
    "1:4 number, 2:4 number, 3:4 number",
  ],
  ["an open list", "a: [1\nb: 2\n", "2:1 syntax"],
  ["a tab as indentation", "a:\n\tb: 1\n", "2:1 syntax"],
  ["what precedes an error of syntax", "a: 1\na: 2\nb: @c\nb: 3\n", "2:1 duplicate-key, 3:4 syntax"],
  [
    "everything at once",
    "a: &x 1\n1: {b: 1, b: 2}\nc: !t 3\n",
    "1:4 anchor, 2:1 key-not-text, 2:11 duplicate-key, 3:4 tag",
  ],
  ["NUL", "a: 1\nb: \0\n", "2:4 control-character"],
  [
    "control characters",
    "a: \u001B[1m\nb: \u007F\nc: \u0090",
    "1:4 control-character, 2:4 control-character, 3:4 control-character",
  ],
  ["a lone carriage return", "a: 1\rb: 2\n", "1:5 control-character"],
  ["a stray byte", Uint8Array.of(0x61, 0x3a, 0x20, 0x0a, 0xff), "2:1 not-utf-8"],
  ["half a character", Uint8Array.of(0x61, 0x3a, 0x20, 0xc3, 0x28), "1:4 not-utf-8"],
  ["a cut character", Uint8Array.of(0x61, 0x3a, 0x20, 0xe2, 0x82), "1:4 not-utf-8"],
  ["a byte that begins a U+FFFD and is none", Uint8Array.of(0x61, 0x3a, 0x20, 0xef, 0x78), "1:4 not-utf-8"],
  ["a bad byte after a good U+FFFD", Uint8Array.of(0x61, 0x3a, 0xef, 0xbf, 0xbd, 0xff), "1:4 not-utf-8"],
  ["characters, not bytes, are counted", "é😀: &x 1\n", "1:5 anchor"],
])("refused: %s", ([, text, problems]) => {
  expect(show(text)).toBe(problems);
});

describe("nesting", () => {
  test.for<[string, number, string]>([
    ["brackets", 50, brackets(50)],
    ["pairs in brackets", 49, `a: ${"[a: ".repeat(24)}1${"]".repeat(24)}`],
    ["indentation", 50, Array.from({ length: 50 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ])("%s %i deep are read", ([, , text]) => {
    expect(load(text).ok).toBe(true);
  });

  test.for<[string, string, string]>([
    ["brackets", brackets(51), "1:53 too-deep"],
    ["pairs in brackets", `a: ${"[a: ".repeat(25)}1${"]".repeat(25)}`, "1:101 too-deep"],
    [
      "indentation",
      Array.from({ length: 51 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      "51:52 too-deep",
    ],
  ])("%s one deeper are refused", ([, text, problem]) => {
    expect(show(text)).toBe(problem);
  });
});

describe("hostile files are refused where they begin to be hostile", () => {
  // The place shows that reading stopped there: nothing recursive has seen the rest.
  test.for<[string, string, string]>([
    ["open lists", filled("["), "1:51 too-deep"],
    ["open maps", filled("{a: "), "1:201 too-deep"],
    ["lists on one line", filled("- "), "1:101 too-deep"],
    ["explicit keys", filled("? "), "1:101 too-deep"],
    ["empty keys", filled(": "), "1:101 too-deep"],
    ["compact maps", filled("a: "), "1:152 too-deep"],
    [
      "deep indentation",
      Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      "51:52 too-deep",
    ],
    ["documents", filled("a: 1\n---\n"), "2:1 several-documents"],
    ["one byte too many", `a: ${"b".repeat(BYTES_MAX - 2)}`, "1:1 too-big"],
    ["100,000 keys", Array.from({ length: 100_000 }, (_, key) => `k${key}: 1`).join("\n"), "1:1 too-big"],
  ])("%s", ([, text, problem]) => {
    expect(show(text)).toBe(problem);
  });

  test.for<[string, string, string]>(
    sampled(3, [
      ["closing brackets", filled("]"), "syntax"],
      ["commas", `[${filled(",").slice(1)}`, "syntax"],
      ["open quotes", filled('- "\n'), "syntax"],
      ["anchors", filled("&a "), "anchor"],
      ["tags", filled("!a "), "tag"],
      ["directives", filled("%a\n"), "directive"],
      ["the same key", filled("a:\n"), "duplicate-key"],
      ["NUL bytes", filled("\0"), "control-character"],
    ]),
  )("%s: the first hundred problems are enough", ([, text, code]) => {
    const loaded = load(text);
    const codes = loaded.ok ? [] : loaded.problems.map((problem) => problem.code);
    expect(codes).toHaveLength(101);
    expect(codes).toContain(code);
    expect(codes.at(-1)).toBe("too-many-problems");
  });

  test("aliases of aliases are never expanded", () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`,
    );
    expect(show(`l0: &l0 x\n${levels.join("\n")}\n`)).toMatch(
      /^1:5 anchor, 2:5 anchor, 2:10 alias, 2:15 alias,/,
    );
  });

  test("as many keys as fit are read, none is compared with all others", () => {
    const keys = Array.from({ length: 25_000 }, (_, key) => `k${key}: 1`).join("\n");
    const loaded = load(keys);
    expect(loaded.ok && Object.keys(loaded.data as object)).toHaveLength(25_000);
  });

  test("a message does not repeat a file of one word", () => {
    const loaded = load(filled("|"));
    const longest = loaded.ok ? 0 : Math.max(...loaded.problems.map(({ message }) => message.length));
    expect(longest).toBeLessThan(300);
  });
});

describe("places", () => {
  test.for<[readonly (string | number)[], string, string]>([
    [[], "2:1", "1:1"],
    [["name"], "2:7", "2:1"],
    [["states", "planning"], "4:13", "4:3"],
    [["states", "planning", "title"], "4:21", "4:14"],
    [["states", "1.10"], "5:11", "5:3"],
    [["moves", 0], "7:5", "7:5"],
    [["moves", 0, "do", 1], "9:24", "9:24"],
    [["moves", 0, "when"], "7:5", "7:5"],
    [["moves", 7], "7:3", "6:1"],
    [["nowhere", "at", "all"], "2:1", "1:1"],
    [["none"], "13:6", "13:1"],
  ])("%j: value at %s, key at %s", ([path, value, key]) => {
    const loaded = load(EXAMPLE);
    if (!loaded.ok) throw new Error("the example is valid");
    const places = [loaded.placeOf(path), loaded.keyPlaceOf(path)];
    expect(places.map(({ line, col }) => `${line}:${col}`)).toEqual([value, key]);
  });
});

describe("no input makes it throw", () => {
  const indicators = "[ ] { } , : - ? & * ! | > ' \" % # @ ` a b <<".split(" ");
  const pieces = fc.constantFrom(
    ...indicators,
    " ",
    "\n",
    "\t",
    "\r\n",
    "- ",
    "? ",
    ": ",
    "---\n",
    "...\n",
    "!!set ",
    "!!omap ",
  );

  test("random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(isAnswer(load(bytes))).toBe(true);
      }),
    );
  });

  test("random pieces of YAML", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        expect(isAnswer(load(parts.join("")))).toBe(true);
      }),
      { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 400 : 2000 },
    );
  });

  test("a valid file with a piece put in", () => {
    fc.assert(
      fc.property(fc.nat(EXAMPLE.length), fc.nat(5), pieces, (at, gone, piece) => {
        expect(isAnswer(load(EXAMPLE.slice(0, at) + piece + EXAMPLE.slice(at + gone)))).toBe(true);
      }),
      { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 200 : 1000 },
    );
  });

  function isAnswer(loaded: ReturnType<typeof loadYaml>): boolean {
    if (loaded.ok) return typeof loaded.data === "object" && loaded.data !== null;
    return loaded.problems.length > 0 && loaded.problems.every(({ line, col }) => line >= 1 && col >= 1);
  }
});

test("JSON is read as what it is", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (value) => {
      const text = JSON.stringify(value);
      // The loader refuses these, and rightly.
      fc.pre(!/__proto__|[\u007F-\u009F\uFFFE\uFFFF]/u.test(text));
      expect(show(text)).toBe(text);
    }),
  );
});
