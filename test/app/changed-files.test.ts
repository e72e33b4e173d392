/** What a worker writes into its files cannot hide what it has changed. */
import { expect, test } from "vitest";
import { filesIn } from "../../src/app/page/diff.ts";

const HEAD = "diff --git a/a.js b/a.js\nnew file mode 100644\n--- /dev/null\n+++ b/a.js\n@@ -0,0 +1,3 @@\n";
const OTHER = "diff --git a/b.js b/b.js\n--- a/b.js\n+++ b/b.js\n@@ -1 +1 @@\n-x\n+y\n";

test.for([
  ["a line feed", "\n"],
  ["a carriage return", "\r"],
  ["a line separator", "\u2028"],
  ["a paragraph separator", "\u2029"],
])("after %s, a line that looks like the head of a file is a line of its file", ([, end = ""]) => {
  // Git puts a mark before each line.
  const forged = `//${end}diff --git a/README.md b/README.md`.replaceAll("\n", "\n+");
  const text = `${HEAD}+ok\n+${forged}\n+evil()\n${OTHER}`;
  const files = filesIn(text);
  expect(files.map(({ path }) => path)).toEqual(["a.js", "b.js"]);
  expect(files[0]?.text).toContain("+evil()");
  expect(files[1]?.text).toBe("@@ -1 +1 @@\n-x\n+y");
});

test("a long line says how much of it is not shown", () => {
  const [file] = filesIn(`${HEAD}+${"x".repeat(1999)}evil()\n`);
  expect(file?.text).toBe(`@@ -0,0 +1,3 @@\n+${"x".repeat(1999)} ... and 6 more characters`);
});
