import { expect, test } from "vitest";
import { placesIn, PROBLEMS_MAX, problemsAt, showProblem, sortProblems } from "../../src/format/problem.ts";
import type { Problem } from "../../src/format/problem.ts";

const problem: Problem = {
  file: "flow.yaml",
  line: 3,
  col: 7,
  code: "unknown-state",
  message: "No such state.",
};

test.for<[Partial<Problem>, string]>([
  [{}, "flow.yaml:3:7: No such state."],
  [{ suggestion: "done" }, 'flow.yaml:3:7: No such state. (did you mean "done"?)'],
])("%o is shown as %s", ([more, shown]) => {
  expect(showProblem({ ...problem, ...more })).toBe(shown);
});

test("problems are sorted by file, line and column", () => {
  const at = (file: string, line: number, col: number): Problem => ({ ...problem, file, line, col });
  const sorted = sortProblems([at("b", 1, 1), at("a", 10, 1), at("a", 9, 12), at("a", 9, 2), at("B", 1, 1)]);
  expect(sorted.map(({ file, line, col }) => `${file}:${line}:${col}`)).toEqual([
    "B:1:1",
    "a:9:2",
    "a:9:12",
    "a:10:1",
    "b:1:1",
  ]);
});

test.for<[string, number, string]>([
  ["", 0, "1:1"],
  ["ab", 1, "1:2"],
  ["ab", 2, "1:3"],
  ["a\nb", 1, "1:2"],
  ["a\nb", 2, "2:1"],
  ["a\r\nb", 3, "2:1"],
  ["😀é b", 4, "1:4"],
  ["a\n\n\n", 4, "4:1"],
])("in %j the offset %i is at %s", ([text, offset, place]) => {
  const { line, col } = placesIn("f", text)(offset);
  expect(`${line}:${col}`).toBe(place);
});

test("one place has one problem, and a flood of them is cut and says so", () => {
  const faults = Array.from({ length: 500 }, (_, index) => ({
    offset: Math.floor(index / 2),
    code: "odd",
    message: "x".repeat(10_000),
  }));
  const problems = problemsAt(faults, placesIn("f", "y".repeat(500)));
  expect(problems).toHaveLength(PROBLEMS_MAX + 1);
  expect(problems.at(-1)).toMatchObject({ col: PROBLEMS_MAX + 1, code: "too-many-problems" });
  expect(problems[0]?.message.length).toBeLessThan(300);
});
