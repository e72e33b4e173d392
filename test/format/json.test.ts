import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Gathered, Reader, ReviewShape, Shape } from "../../src/core/model/artifact.ts";
import { schemaOf } from "../../src/format/json/schema.ts";
import { scanJson } from "../../src/format/json/read.ts";
import { faults, read } from "./reading.ts";

const shape: Shape = {
  type: "object",
  required: {
    status: { type: "text", values: ["approved", "blocked"] },
    tags: { type: "list", of: { type: "text" }, min: 1 },
  },
  optional: {
    count: { type: "number" },
    ready: { type: "boolean" },
    meta: { type: "object", required: {}, optional: {}, open: true },
  },
  open: false,
};
const json = (more: object = {}): Reader => ({ type: "json", lists: {}, ...more });
const yaml = (more: object = {}): Reader => ({ type: "yaml", lists: {}, ...more });

describe("syntax", () => {
  test.for<[string, string]>([
    ['{"a": 1}', "ok"],
    [" [1, -2.5e3, null, true] ", "ok"],
    ['{"a": 1,\n "a": 2}', '2:2 the key "a" appears twice'],
    ['{"a": {"b": 1, "\\u0062": 2}}', '1:16 the key "b" appears twice'],
    ['{"a": 1,}', "1:9 nothing follows the comma before }"],
    ["{\n  'a': 1}", "2:3 a key in double quotes is expected"],
    ["{a: 1}", "1:2 a key in double quotes is expected"],
    ['{"a" 1}', "1:6 a colon is expected after the key"],
    ["[1 2]", "1:4 a comma or ] is expected"],
    ["[1", "1:3 the JSON ends too early"],
    ["", "1:1 the JSON ends too early"],
    ["// note\n{}", '1:1 a JSON value is expected, not "/"'],
    ["NaN", '1:1 a JSON value is expected, not "N"'],
    ["01", "1:2 more text follows the JSON value"],
    ["{}\n{}", "2:1 more text follows the JSON value"],
    ['"a\nb"', "1:1 this string holds a line end or an escape that JSON does not have"],
    ['["\\x41"]', "1:2 this string holds a line end or an escape that JSON does not have"],
    ['["a]', "1:2 this string has no closing quote"],
    ["[".repeat(200), "1:102 nested deeper than 100 levels"],
  ])("JSON %j -> %s", ([text, shown]) => {
    expect(faults(read(json(), text))).toBe(shown);
  });

  test.for<[string, string]>([
    ["a: 1", "ok"],
    ["a: 1\na: 2", "2:1"],
    ["a: &x 1\nb: *x", "1:4"],
    ["a: !!str 1", "1:4"],
    ["a: {}\n<<: {b: 1}", "2:1"],
    ["a: [1", "1:"],
    ["a: 1\n---\nb: 2", "2:"],
  ])("YAML %j -> %s", ([text, start]) => {
    expect(faults(read(yaml(), text)).startsWith(start)).toBe(true);
  });

  const REFUSED = Symbol("refused");
  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      // `JSON.parse` throws nothing but errors of syntax.
      return REFUSED;
    }
  };
  const nearlyJson = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom("", ",", '"', "}", "]", " ", "0", "\\", "\n", "e"))
    .map(
      ([text, at, sign]) =>
        text.slice(0, at % (text.length + 1)) + sign + text.slice((at % (text.length + 1)) + 1),
    );

  test("the scanner agrees with JSON.parse, except where keys repeat", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), nearlyJson, fc.string()), (text) => {
        const scanned = scanJson(text);
        const repeats = !scanned.ok && scanned.reason.endsWith("twice");
        expect(repeats || (scanned.ok ? scanned.data : REFUSED)).toEqual(repeats || parse(text));
      }),
      { numRuns: 500 },
    );
  });
});

test.for<[string, string]>([
  ['{"status": "approved", "tags": ["a"]}', "ok"],
  ['{"status": "approved", "tags": ["a"], "count": null}', "ok"],
  ['{"status": "approved", "tags": ["a"], "meta": {"any": [1]}}', "ok"],
  ['{\n  "status": "fine", "tags": ["a"]}', '2:13 "status" is "fine"; allowed are approved, blocked'],
  ['{"status": "approved"}', '1:1 "tags" is missing'],
  ['{"status": "", "tags": ["a"]}', '1:12 "status" is empty'],
  ['{"status": "approved", "tags": []}', '1:32 "tags" must have at least 1 members'],
  ['{"status": "approved", "tags": ["a", 2]}', '1:38 "tags[1]" must be a text'],
  ['{"status": "approved", "tags": "a"}', '1:32 "tags" must be a list'],
  ['{"status": "approved", "tags": ["a"], "count": "1"}', '1:48 "count" must be a number'],
  ['{"status": "approved", "tags": ["a"], "count": 1e999}', '1:48 "count" must be a number'],
  ['{"status": "approved", "tags": ["a"], "ready": 1}', '1:48 "ready" must be a boolean'],
  ['{"status": "approved", "tags": ["a"], "meta": []}', '1:47 "meta" must be an object'],
  ['{"status": "approved", "tags": ["a"],\n "stauts": 1}', '2:2 the key "stauts" is unknown'],
  ['{"status": "approved", "tags": ["a"], "__proto__": {}}', '1:39 the key "__proto__" is unknown'],
  ["[]", "1:1 the file must be an object"],
])("the shape of %s -> %s", ([text, shown]) => {
  expect(faults(read(json({ shape }), text))).toBe(shown);
});

const verify: Shape = {
  type: "object",
  required: { verify: { type: "list", of: { type: "text", begins: ["cmd:", "manual:"] } } },
  optional: {},
  open: false,
};

test.for<[string, string]>([
  ['{"verify": ["cmd: a", "manual:b"]}', "ok"],
  ['{"verify": ["Cmd: a"]}', '1:13 "verify[0]" must begin with "cmd:" or "manual:"'],
  ['{"verify": [" cmd: a"]}', '1:13 "verify[0]" must begin with "cmd:" or "manual:"'],
  ['{"verify": ["cmd: "]}', '1:13 "verify[0]" says nothing after "cmd:"'],
  ['{"verify": [1]}', '1:13 "verify[0]" must be a text'],
])("texts that begin in a certain way: %s -> %s", ([text, shown]) => {
  expect(faults(read(json({ shape: verify }), text))).toBe(shown);
});

const checks = { from: "criteria", each: "verify", begins: "cmd:" };

test.for<[Gathered, string, string]>([
  [
    checks,
    '{"criteria": [{"verify": ["cmd: a", "manual: b"]}, {"verify": ["cmd: c", "cmd: a"]}]}',
    '["cmd: a","cmd: c"] ok',
  ],
  [checks, '{"criteria": [{}, {"verify": null}]}', "[] ok"],
  [{ from: "criteria", each: "how.verify" }, '{"criteria": [{"how": {"verify": ["x"]}}]}', '["x"] ok'],
  [{ from: "criteria", begins: "cmd:" }, '{"criteria": ["cmd: a", "b"]}', '["cmd: a"] ok'],
  [checks, '{"criteria": {}}', '[] 1:14 "criteria" must be a list'],
  [checks, '{"criteria": ["cmd: a"]}', '[] 1:15 "criteria[0]" must be an object'],
  [checks, '{"criteria": [{"verify": "cmd: a"}]}', '[] 1:26 "criteria[0].verify" must be a list'],
  [
    checks,
    '{"criteria": [{"verify": ["cmd: a", 1, " "]}]}',
    '["cmd: a"] 1:37 "criteria[0].verify[1]" must be a text; 1:40 "criteria[0].verify[2]" must be a text',
  ],
  [
    checks,
    `{"criteria": [{"verify": ["cmd: ${"a".repeat(2000)}"]}]}`,
    '[] 1:27 "criteria[0].verify[0]" is too long: it has 2005 characters',
  ],
])("texts inside of maps %j: %s -> %s", ([at, text, shown]) => {
  const reading = read(json({ lists: { checks: at } }), text);
  expect(`${JSON.stringify(reading.lists["checks"])} ${faults(reading)}`).toBe(shown);
});

const tasks: Reader = {
  type: "tasks",
  style: "yaml",
  lists: { checks: { from: "tasks", each: "acceptance_checks", begins: "cmd:" } },
};

test.for<[string, string]>([
  ['["cmd: a", "manual: b"]', '{"checks":["cmd: a"],"tasks":["T-1"]} ok'],
  [
    "[cmd: a]",
    '{"checks":[],"tasks":["T-1"]} 2:46 "tasks[0].acceptance_checks[0]" must be a text; in YAML, one with a colon needs quotes',
  ],
])("texts of tasks: %s -> %s", ([list, shown]) => {
  const reading = read(tasks, `tasks:\n  - { id: T-1, title: a, acceptance_checks: ${list} }\n`);
  expect(`${JSON.stringify(reading.lists)} ${faults(reading)}`).toBe(shown);
});

test("whoever sends such data is told how texts begin", () => {
  expect(schemaOf({ type: "text", begins: ["cmd:", "a.b"] })).toEqual({
    type: "string",
    pattern: "^(cmd:|a\\.b)",
  });
});

const listed: Shape = {
  type: "object",
  required: { n: { type: "number", values: [1, 2] } },
  optional: { sure: { type: "boolean", values: [true] } },
  open: false,
};

test.for<[string, string]>([
  ['{"n": 2}', "ok"],
  ['{"n": 1, "sure": true}', "ok"],
  ['{"n": 3}', '1:7 "n" is "3"; allowed are 1, 2'],
  ['{"n": "2"}', '1:7 "n" must be a number'],
  ['{"n": 1, "sure": false}', '1:18 "sure" is "false"; it must be true'],
])("listed values of %s -> %s", ([text, shown]) => {
  expect(faults(read(json({ shape: listed }), text))).toBe(shown);
});

const review: ReviewShape = {
  verdictAt: "result.status",
  verdicts: { approved: "pass", needs_revision: "needs_fix" },
  issuesAt: "issues",
  severities: { HIGH: "high", MEDIUM: "medium", LOW: "low" },
};
const judged = (text: string, more: Partial<ReviewShape> = {}) => {
  const reading = read(json({ review: { ...review, ...more } }), text);
  const counts = reading.issues && Object.values(reading.issues).join("/");
  return `${reading.verdict ?? "none"} ${counts ?? "-"} ${faults(reading)}`;
};

test.for<[string, string]>([
  ['{"result": {"status": "approved"}, "issues": []}', "pass 0/0/0/0 ok"],
  ['{"result": {"status": "approved"}, "issues": [{"severity": "HIGH"}]}', "pass 0/1/0/0 ok"],
  [
    '{"result": {"status": "needs_revision"}, "issues": [{"severity": "low"}, {"severity": "Low "}]}',
    "needs_fix 0/0/0/2 ok",
  ],
  ['{"result": {"status": "approved"}, "issues": [{"severity": "CRITICAL"}]}', "pass 1/0/0/0 ok"],
  ['{"result": {"status": "approved"}, "issues": [{}, null, "x", {"severity": 3}]}', "pass 4/0/0/0 ok"],
  [
    '{"result": {"status": "Approved"}, "issues": []}',
    'none 0/0/0/0 1:23 the verdict "result.status" is "Approved"; allowed are approved, needs_revision',
  ],
  [
    '{"result": {"status": "toString"}, "issues": []}',
    'none 0/0/0/0 1:23 the verdict "result.status" is "toString"; allowed are approved, needs_revision',
  ],
  [
    '{"result": {"status": true}, "issues": []}',
    'none 0/0/0/0 1:23 the verdict "result.status" is "true"; allowed are approved, needs_revision',
  ],
  [
    '{"result": {}, "issues": []}',
    'none 0/0/0/0 1:12 the verdict "result.status" is missing; allowed are approved, needs_revision',
  ],
  ['{"result": {"status": "approved"}}', 'pass - 1:1 the issues "issues" must be a list'],
  ['{"result": {"status": "approved"}, "issues": {}}', 'pass - 1:46 the issues "issues" must be a list'],
])("the review %s -> %s", ([text, shown]) => {
  expect(judged(text)).toBe(shown);
});

test("severities have a place and names of their own, or the common ones", () => {
  const text = '{"result": {"status": "approved"}, "issues": [{"rank": {"is": "medium"}}]}';
  expect(judged(text, { severityAt: "rank.is" })).toBe("pass 0/0/1/0 ok");
  const { severities: _, ...plain } = review;
  const reading = read(json({ review: { ...plain, severityAt: "rank.is" } }), text);
  expect(reading.issues).toEqual({ critical: 0, high: 0, medium: 1, low: 0 });
});

test.for<[string, string, string]>([
  ["texts", '{"plan": {"areas": ["db", "api"]}}', '["db","api"] ok'],
  ["objects", '{"plan": {"areas": [{"id": "db"}, {"name": "api"}]}}', '["db","api"] ok'],
  ["nothing", '{"plan": {"areas": []}}', "[] ok"],
  ["no list", '{"plan": {}}', '[] 1:10 "plan.areas" must be a list'],
  [
    "a number",
    '{"plan": {"areas": [1.10]}}',
    '[] 1:21 "plan.areas[0]" must be a text, or have an id or a name',
  ],
  [
    "a repetition",
    '{"plan": {"areas": ["db", "db"]}}',
    '["db","db"] 1:20 "db" appears twice in "plan.areas"',
  ],
])("a list of %s", ([, text, shown]) => {
  const reading = read(json({ lists: { areas: "plan.areas" } }), text);
  expect(`${JSON.stringify(reading.lists["areas"])} ${faults(reading)}`).toBe(shown);
});

test("scalars at the top become fields, in JSON and in YAML", () => {
  const fields = { ui: true, size: 3, name: "x" };
  expect(read(json(), JSON.stringify({ ...fields, none: null, list: [1] })).fields).toEqual(fields);
  expect(read(yaml(), "ui: true\nsize: 3\nname: x\nnone:\nlist: [1]\n").fields).toEqual(fields);
});
