/** Issues by their files: which groups are handed out, and that each has a name that files and agents can have. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { groupsOf } from "../../src/core/gates/fan-out-groups.ts";
import { SEVERITIES, type Severity } from "../../src/core/model/verdict.ts";

type Files = Readonly<Record<string, Severity>>;

const MOST = 3;

test.for<[string, Files, Severity, string[]]>([
  ["one each, the highest first", { "a/x.ts": "low", "b.ts": "high" }, "low", ["b.ts=b.ts", "a-x.ts=a/x.ts"]],
  ["only what blocks", { "a.ts": "medium", "b.ts": "low" }, "medium", ["a.ts=a.ts"]],
  ["a refusal in which nothing blocks", { "a.ts": "low" }, "high", ["a.ts=a.ts"]],
  ["no file", { "": "high" }, "low", ["general=general"]],
  ["none", {}, "low", []],
  [
    "too many: the lowest are one",
    { "a.ts": "low", "": "low", "b.ts": "high", "c.ts": "critical" },
    "low",
    ["c.ts=c.ts", "b.ts=b.ts", "others=a.ts, general"],
  ],
  ["the same name twice", { "a/b.ts": "low", "a-b.ts": "low" }, "low", ["a-b.ts=a/b.ts", "a-b.ts-2=a-b.ts"]],
  ["and by another case", { "A.ts": "low", "a.ts": "low" }, "low", ["A.ts=A.ts", "a.ts-2=a.ts"]],
  ["nothing but signs", { "../..": "low", "-.-": "low" }, "low", ["file=../..", "file-2=-.-"]],
])("%s", ([, files, block, wanted]) => {
  const groups = groupsOf(files, { block, max: MOST });
  expect(groups.map(({ slot, member }) => `${slot}=${member}`)).toEqual(wanted);
});

test("a review of many files: whoever has the rest is told all of it, or where it is", () => {
  const files = (count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/${index}.ts`, "low"]));
  const last = (given: Files): string => groupsOf(given, { block: "low", max: MOST }).at(-1)?.member ?? "";
  expect(last(files(60)).split(", ")).toHaveLength(58);
  expect(last({ ...files(199), "": "low" })).toMatch(/, general$/);
  expect(last({ ...files(200), "": "low" })).toMatch(
    /src\/199\.ts, general, every file of the review beyond the first 200$/,
  );
});

test("never too many, no slot twice, every slot a harmless name, and nothing that blocks is left out", () => {
  const files = fc.dictionary(fc.string({ unit: "binary" }), fc.constantFrom(...SEVERITIES), { maxKeys: 30 });
  fc.assert(
    fc.property(
      files,
      fc.constantFrom(...SEVERITIES),
      fc.integer({ min: 1, max: 10 }),
      (given, block, max) => {
        const groups = groupsOf(given, { block, max });
        expect(groups.length).toBeLessThanOrEqual(max);
        expect(new Set(groups.map(({ slot }) => slot.toLowerCase())).size).toBe(groups.length);
        for (const { slot } of groups) {
          expect(slot).toMatch(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,63}$/);
          expect(slot).not.toContain("..");
        }
        const told = groups.map(({ member }) => member).join(", ");
        const isBlocking = (severity: Severity): boolean =>
          SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(block);
        const wanted = Object.entries(given).filter(([, severity]) => isBlocking(severity));
        expect(wanted.filter(([file]) => !told.includes(file === "" ? "general" : file))).toEqual([]);
      },
    ),
  );
});
