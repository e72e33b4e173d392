import fc from "fast-check";
import { expect, test } from "vitest";
import { closest } from "../../src/core/text/closest.ts";

const STATES = ["planning", "working", "reviewing", "done", "on"];

test.for<[string, string | undefined]>([
  ["planing", "planning"],
  ["wroking", "working"],
  ["Working", "working"],
  ["REVEIWING", "reviewing"],
  ["doen", "done"],
  ["dont", "done"],
  ["planning", "planning"],
  ["archived", undefined],
  ["no", undefined],
  ["x", undefined],
  ["", undefined],
  ["w".repeat(100_000), undefined],
])("%s -> %s", ([word, meant]) => {
  expect(closest(word, STATES)).toBe(meant);
});

test("of equally close words the longest is meant, since letters are left out more often than added; else the first", () => {
  expect(closest("tesk", ["task", "desk"])).toBe("task");
  expect(closest("harneses", ["harness", "harnesses"])).toBe("harnesses");
});

test("a swap of two neighbours in a word of three or more letters is recognised", () => {
  const word = fc.string({ minLength: 3, maxLength: 20, unit: fc.constantFrom("a", "b", "c", "d") });
  fc.assert(
    fc.property(word, fc.nat(), (text, seed) => {
      const at = seed % (text.length - 1);
      const typed = text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2);
      expect(closest(typed, [text])).toBe(text);
    }),
  );
});
