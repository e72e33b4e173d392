import { expect, test } from "vitest";
import { clipped } from "../../src/engine/clip.ts";

test.for([
  ["", ""],
  ["short", "short"],
  ["x".repeat(500), "x".repeat(500)],
  [`begin${"x".repeat(4000)}end`, `begin${"x".repeat(370)} ... ${"x".repeat(117)}end`],
] as const)("%#: what is long keeps its beginning and its end", ([message, said]) => {
  expect(clipped(message)).toBe(said);
  expect(clipped(message).length).toBeLessThanOrEqual(500);
});
