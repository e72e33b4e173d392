import { expect, test } from "vitest";
import { countingOf } from "../../src/cli/commands/author/check.ts";

test.for<[columns: number | undefined, times: readonly number[], said: string]>([
  [80, [0, 999], ""],
  [
    80,
    [0, 1000, 1500, 2000],
    "\r\u001B[K  tiny: 1,000 situations so far\r\u001B[K  tiny: 2,000 situations so far\r\u001B[K",
  ],
  [undefined, [0, 999], ""],
  [undefined, [0, 1000, 2000, 9000], "  tiny: 1,000 situations so far\n"],
])("%s columns wide, work that says how far it is at %j ms", ([columns, times, expected]) => {
  let said = "";
  let now = 0;
  const talk = { print: (text: string) => void (said += text), columns: () => columns };
  const counting = countingOf({ talk, env: {} }, () => now);
  for (now of times) counting.tell("tiny", now);
  counting.end();
  expect(said).toBe(expected);
});
