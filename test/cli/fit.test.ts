/** Lines that are too long for a terminal. */
import { describe, expect, test } from "vitest";
import { fitted, wrapped } from "../../src/cli/fit.ts";
import { harmless, paintOf } from "../../src/cli/paint.ts";
import { run } from "../../src/cli/run.ts";

const { bold } = paintOf(true);

const CONFIG = [
  ["defaults.harness", "claude", "built-in", "text, --param harness="],
  ["stages.IMPLEMENT.tasks.complexityHarnesses.easy", "claude", "built-in", "text, --param easy_harness="],
];
const CHOICES = [
  ["  type: signalbox answer k restart", "Begin the stage again: on to 1.1 (Brainstorm)"],
  ["  type: signalbox answer k skip --shown b7594fff --text", "Go on without it (recorded as a waiver)"],
];

test("colours are ours only: a text that brings some has them taken away", () => {
  expect(harmless(`${bold("a")} \u001B[31mred\u001B[39m \u001B[1mb`)).toBe("\u001B[1ma\u001B[22m red b");
  expect(harmless("\u001B[2J\u001B]0;title\u0007")).toBe("\uFFFD[2J\uFFFD]0;title\uFFFD");
});

describe("rows", () => {
  test.for<[what: string, rows: readonly (readonly string[])[], width: number | undefined, lines: string[]]>([
    [
      "without a terminal",
      CHOICES,
      undefined,
      [
        "  type: signalbox answer k restart                       Begin the stage again: on to 1.1 (Brainstorm)",
        "  type: signalbox answer k skip --shown b7594fff --text  Go on without it (recorded as a waiver)",
      ],
    ],
    ["that fit", [["a", "b"]], 4, ["a  b"]],
    [
      "with words below their column",
      [
        ["state", "done"],
        ["waits for", "a person, who may move it to one or another"],
      ],
      42,
      ["state      done", "waits for  a person, who may move it to", "           one or another"],
    ],
    [
      "with commands, which stay whole",
      CHOICES,
      60,
      [
        "  type: signalbox answer k restart",
        "      Begin the stage again: on to 1.1 (Brainstorm)",
        "  type: signalbox answer k skip --shown b7594fff --text",
        "      Go on without it (recorded as a waiver)",
      ],
    ],
    [
      "with many columns",
      CONFIG,
      72,
      [
        "defaults.harness                                 claude  built-in",
        "    text, --param harness=",
        "stages.IMPLEMENT.tasks.complexityHarnesses.easy  claude  built-in",
        "    text, --param easy_harness=",
      ],
    ],
    [
      "whose first cell is too long already",
      [["a-very-long-word", "and more"]],
      10,
      ["a-very-long-word", "    and more"],
    ],
    ["painted, as they are seen", [[bold("a"), "b c"]], 6, [`${bold("a")}  b c`]],
  ])("%s", ([, rows, width, lines]) => {
    expect(fitted(rows, width).split("\n")).toEqual([...lines, ""]);
  });
});

test.for<[text: string, width: number | undefined, lines: string[]]>([
  ["12:00:00  one two three four", undefined, ["12:00:00  one two three four"]],
  ["12:00:00  one two three four", 20, ["12:00:00  one two", "          three four"]],
  ["12:00:00  short\n", 20, ["12:00:00  short", ""]],
  ["12:00:00  unbreakably-long two", 20, ["12:00:00  unbreakably-long", "          two"]],
])("%j in %s", ([text, width, lines]) => {
  expect(wrapped(text, width, 10).split("\n")).toEqual(lines);
});

test("settings are no wider than a terminal, and without one than most are", async () => {
  const { code, stdout } = await run(["config", "staged"], {
    cwd: process.cwd(),
    env: { HOME: "/nowhere", NO_COLOR: "1" },
    terminal: true,
    width: 80,
  });
  const plain = await run(["config", "staged"], { cwd: process.cwd(), env: { HOME: "/nowhere" } });
  expect([code, Math.max(...stdout.split("\n").map(({ length }) => length)) <= 80]).toEqual([0, true]);
  expect(plain.stdout).toBe(stdout);
});
