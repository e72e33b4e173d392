/** Where an issue says it is, and the file that it is about. */

import { expect, test } from "vitest";
import { fileOf, readReview } from "../../src/format/json/review.ts";

test.for<[unknown, string]>([
  ["src/a.ts", "src/a.ts"],
  ["src/a.ts:12", "src/a.ts"],
  ["src/a.ts:12:3", "src/a.ts"],
  ["src/a.ts:12-20", "src/a.ts"],
  ["src/a.ts#L12-L20", "src/a.ts"],
  ["./src/a.ts", "src/a.ts"],
  ["  `src/a.ts:3`  ", "src/a.ts"],
  ["src/a.ts (line 12)", "src/a.ts"],
  ["src/a.ts, src/b.ts", "src/a.ts"],
  ["src/a.ts: the loop", "src/a.ts"],
  ["tests/a.py::test_it", "tests/a.py"],
  ["docs/a.md#section", "docs/a.md"],
  ["README.md section 3", "README.md"],
  ["Makefile:3", "Makefile"],
  ["src/ü/ä.ts:1", "src/ü/ä.ts"],
  [".github/workflows/ci.yml", ".github/workflows/ci.yml"],
  ["src/lib/", "src/lib"],
  ["Makefile", ""],
  ["the whole design", ""],
  ["section 3.1", ""],
  ["e.g. everywhere", ""],
  ["/etc/passwd:1", ""],
  ["../other/a.ts:1", ""],
  ["src/../../a.ts", ""],
  ["https://example.org/a.ts", ""],
  ["", ""],
  [":12", ""],
  [undefined, ""],
  [12, ""],
  [`${"x/".repeat(150)}a.ts`, ""],
])("%j is about %j", ([location, file]) => {
  expect(fileOf(location)).toBe(file);
});

const SHAPE = { verdictAt: "status", verdicts: { no: "needs_fix" }, issuesAt: "issues" } as const;

test("each file has the highest severity of its issues", () => {
  const issues = [
    { severity: "low", location: "a.ts:1" },
    { severity: "high", location: "a.ts:9" },
    { severity: "low", location: "b.ts" },
    { severity: "odd", location: "somewhere" },
    { severity: "low" },
    { severity: "low", location: "__proto__:1" },
  ];
  const { files } = readReview({ ...SHAPE, locationAt: "location" }, { status: "no", issues });
  const found = Object.entries(files ?? {});
  expect(found).toEqual([
    ["a.ts", "high"],
    ["b.ts", "low"],
    ["", "critical"],
    ["__proto__", "low"],
  ]);
});

test("a review whose issues need not say where they are has no files, and of very many the rest names none", () => {
  const issues = Array.from({ length: 280 }, (_each, at) => ({ severity: "low", location: `f${at}.ts` }));
  expect(readReview(SHAPE, { status: "no", issues }).files).toBeUndefined();
  const named = (count: number): string[] => {
    const of = { status: "no", issues: issues.slice(0, count) };
    return Object.keys(readReview({ ...SHAPE, locationAt: "location" }, of).files ?? {});
  };
  expect(named(60)).toEqual(issues.slice(0, 60).map(({ location }) => location));
  expect(named(280)).toEqual([...named(200), ""]);
});
