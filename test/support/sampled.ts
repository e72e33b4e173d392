/**
 * Rows of one kind: the deep tier tries all of them, the quick one so many.
 *
 * Those are spread over the table, and chosen by the seed of the run. The step is no divisor of anything: where rows take turns, as
 * those before and after something do, there are some of each.
 */
export function sampled<T>(count: number, rows: readonly T[]): readonly T[] {
  if (process.env["SIGNALBOX_DEEP"] !== undefined || rows.length <= count) return rows;
  const first = Number(process.env["SIGNALBOX_SEED"]) % rows.length;
  const step = stepOf(rows.length);
  const places = new Set(Array.from({ length: count }, (_, lot) => (first + lot * step) % rows.length));
  return rows.filter((_, place) => places.has(place));
}

const GOLDEN = 0.618;

/** Near the golden section, which spreads any number of places, and without a divisor in common: no place is taken twice. */
function stepOf(length: number): number {
  let step = Math.round(length * GOLDEN);
  while (divisor(step, length) > 1) step += 1;
  return step;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
