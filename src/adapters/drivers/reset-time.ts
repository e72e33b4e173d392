/** The time at which a quota is renewed, where a program says it in its sentence only. */

const SECOND_MS = 1000;
const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };
const DURATION =
  /\b(?:in|after):? ((?:(?:and )?\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)[ ,]*)+)/i;
const PART = /(\d+(?:\.\d+)?)\s*([dhms])/gi;
const CLOCK =
  /\b(?:at|resets?)\b:? (?:([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}),? )?(?:at )?)?(\d{1,2})(?::(\d\d))? ?([ap])m\b(?: \(([\w/+-]+)\))?/i;
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** A time of day is printed without its seconds: the whole minute must be over. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Milliseconds since 1970; 0 where the sentence, printed at `at`, names no time. A time of day is one of this machine's time zone, or UTC. */
export function resetTimeIn(sentence: string, at: number): number {
  const duration = DURATION.exec(sentence)?.[1];
  if (duration !== undefined) {
    const seconds = [...duration.matchAll(PART)].map(
      ([, count, unit = ""]) => Number(count) * (UNITS[unit.toLowerCase()] ?? 0),
    );
    return at + Math.ceil(seconds.reduce((sum, each) => sum + each, 0) * SECOND_MS);
  }
  const [whole, month, day, year, hour, minute = "0", half = "", zone] = CLOCK.exec(sentence) ?? [];
  if (whole === undefined) return 0;
  const isUtc = zone !== undefined && /^(?:UTC|GMT|Z)$/i.test(zone);
  if (zone !== undefined && !isUtc && zone !== Intl.DateTimeFormat().resolvedOptions().timeZone) return 0;
  const hours = (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const here = new Date(at);
  const [thisYear, thisMonth, today] = isUtc
    ? [here.getUTCFullYear(), here.getUTCMonth(), here.getUTCDate()]
    : [here.getFullYear(), here.getMonth(), here.getDate()];
  const named = [
    year === undefined ? thisYear : Number(year),
    month === undefined ? thisMonth : MONTHS.indexOf(month.toLowerCase()),
    day === undefined ? today : Number(day),
    hours,
    Number(minute),
  ] as const;
  const time = isUtc ? Date.UTC(...named) : new Date(...named).getTime();
  // Without a date it is the next time that the clock shows this.
  const next = month === undefined && time + MINUTE_MS <= at ? time + DAY_MS : time;
  return next + MINUTE_MS;
}
