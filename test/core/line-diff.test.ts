import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "../../src/core/text/line-diff.ts";

test.for<[what: string, before: string, after: string, diff: string]>([
  ["the same", "a\nb\n", "a\nb", ""],
  ["one line changes", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"],
  ["out of nothing", "", "a\n", "@@ -1,0 +1,1 @@\n+a"],
  ["all of it goes", "a\n", "", "@@ -1,1 +1,0 @@\n-a"],
  [
    "two places that are far apart",
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    "x\n2\n3\n4\n5\n6\n7\n8\ny\n",
    "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y",
  ],
])("%s", ([, before, after, diff]) => {
  expect(lineDiff(before, after)).toBe(diff);
});

test("lines that stay and lines that go are the old text, lines that stay and lines that come the new one", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before.join("\n"), after.join("\n"))
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("@@"));
      const side = (mark: string): string[] =>
        lines.filter((line) => line.startsWith(" ") || line.startsWith(mark)).map((line) => line.slice(1));
      const isSame = before.join() === after.join();
      // All of four lines are within three lines of a change.
      expect([side("-"), side("+")]).toEqual(isSame ? [[], []] : [before, after]);
    }),
  );
});

test("a text of as many lines as a file may have is shown", () => {
  expect(lineDiff("", "x\n".repeat(500_000)).split("\n")).toHaveLength(500_001);
});
