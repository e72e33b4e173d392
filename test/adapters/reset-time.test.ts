/** Times in the sentences of programs and providers. The tests run in one time zone: that of the machine. */

import { expect, test } from "vitest";
import { resetTimeIn } from "../../src/adapters/drivers/reset-time.ts";

/** Twelve minutes and twenty seconds past five in the afternoon, here. */
const AT = new Date(2026, 2, 14, 17, 12, 20).getTime();
const MINUTE = 60_000;

const here = (hours: number, minutes: number, day = 14): number =>
  new Date(2026, 2, day, hours, minutes + 1).getTime();

test.for<[sentence: string, time: number]>([
  ["You’ve hit your usage limit. Upgrade to Pro (https://x.y) or try again at 5:27 PM.", here(17, 27)],
  // The time of day is that of now: the minute is not over yet.
  ["try again at 5:12 PM.", here(17, 12)],
  ["try again at 5:27 AM.", here(5, 27, 15)],
  ["try again at Mar 16th, 2026 12:05 AM.", here(0, 5, 16)],
  ["You've hit your usage limit. Your limit will reset at 7pm.", here(19, 0)],
  [
    "You've hit your 5-hour limit · resets 6:28pm (UTC)",
    Date.UTC(2026, 2, new Date(AT).getUTCDate(), 18, 29),
  ],
  ["Your quota will reset after 1h2m3s.", AT + 62 * MINUTE + 3000],
  ["Try again in 1 day 2 hours 5 minutes.", AT + (26 * 60 + 5) * MINUTE],
  ["Please retry in 20s.", AT + 20_000],
  ["Please retry in 12.5s.", AT + 12_500],
  ["resets 3am (Mars/Olympus)", 0],
  ["Please wait and try again later.", 0],
  ["Rate limit reached for mock-model", 0],
  ["exceeded retry limit, last status: 429 Too Many Requests", 0],
])("%s", ([sentence, time]) => {
  const found = resetTimeIn(sentence, AT);
  // A time of day in another zone may be tomorrow's here.
  expect(sentence.includes("UTC") && found > time ? found - 1440 * MINUTE : found).toBe(time);
});
