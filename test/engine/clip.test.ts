import { expect, test } from "vitest";
import { clipped, failureReason } from "../../src/engine/clip.ts";

test.for([
  ["", ""],
  ["short", "short"],
  ["x".repeat(500), "x".repeat(500)],
  [`begin${"x".repeat(4000)}end`, `begin${"x".repeat(370)} ... ${"x".repeat(117)}end`],
] as const)("%#: what is long keeps its beginning and its end", ([message, said]) => {
  expect(clipped(message)).toBe(said);
  expect(clipped(message).length).toBeLessThanOrEqual(500);
});

test.for<[string, unknown, string]>([
  ["a sentence", new Error("It is a bare repository."), "It is a bare repository"],
  ["no sentence", new Error("no such file: a..b"), "no such file: a..b"],
  ["anything else", "gone", "gone"],
])("a reason goes on after a semicolon: %s", ([, error, reason]) => {
  expect(failureReason(error)).toBe(reason);
});
