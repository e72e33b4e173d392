import { expect, test } from "vitest";
import { faults, read, review, under } from "./reading.ts";

test.for<[string, string]>([
  [
    under("Looks fine."),
    '5:1 the first line of the section must be `Verdict: PASS` or `Verdict: FAIL` or `Verdict: NEEDS_HUMAN` or `Verdict: BLOCKED` and nothing else, not "Looks fine."',
  ],
  [
    under("Verdict: PASS", "Verdict: FAIL"),
    "6:1 a second line looks like a verdict, so that none counts: keep one, or reword this line",
  ],
  [
    under("Verdict: PASS", "", "Fine.", "Verdict is FAIL"),
    "8:1 the verdict is ambiguous: the section begins with PASS, and this line speaks of another verdict",
  ],
  [
    under("Verdict: PASS", "", "<div>", "<h1>Verdict: FAIL</h1>"),
    "8:1 the verdict is ambiguous: the section begins with PASS, and this line speaks of another verdict",
  ],
  [
    under("Verdict: PASS", "is not what I give"),
    "6:1 the line of the verdict must stand alone, and this line continues it: put an empty line between",
  ],
  [
    `${under("Verdict: PASS")}\n\n## Review:`,
    '7:1 the section "## Review" (line 3) is ambiguous: this one has the same name but for case or signs',
  ],
  [
    `<details>\n\n${under("Verdict: PASS")}`,
    "5:1 the section stands inside <details> (opened on line 1), so that it does not count",
  ],
  [under("Verdict: FAIL"), "3:10 a failing verdict needs the reasons below it"],
  [
    `${under("x")}\n\n## Review`,
    '7:1 the section "## Review" appears twice (first on line 3), so that none counts',
  ],
  ["# Task\n\n### Review", 'not found: 3:1 the section "## Review" is missing; this heading differs'],
  [
    under("Verdict: PASS", "---"),
    "3:1 the section must begin with the line `Verdict: PASS` or `Verdict: FAIL` or `Verdict: NEEDS_HUMAN` or `Verdict: BLOCKED` (the text on line 5 is underlined, which makes it a heading: put an empty line below it)",
  ],
])("%j -> %s", ([text, shown]) => {
  expect(faults(read(review, text))).toBe(shown);
});
