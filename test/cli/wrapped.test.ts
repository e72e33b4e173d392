/** Lines of a demo that are too long for a terminal. */
import { expect, test } from "vitest";
import { wrapped } from "../../src/cli/cast.ts";

test.for<[text: string, width: number, lines: string[]]>([
  ["12:00:00  short", 20, ["12:00:00  short"]],
  ["12:00:00  one two three four", 20, ["12:00:00  one two", "          three four"]],
  ["12:00:00  unbreakably-long two", 20, ["12:00:00  unbreakably-long", "          two"]],
  ["12:00:00  one two three\n", 19, ["12:00:00  one two", "          three", ""]],
  ["  cd /a/very/long/path && signalbox show abcd", 20, ["  cd /a/very/long/path && signalbox show abcd"]],
])("%j in %i", ([text, width, lines]) => {
  expect(wrapped(text, width).split("\n")).toEqual(lines);
});
