/**
 * Rows of one kind: the deep tier tries all of them, the quick one so many.
 *
 * Those are spread over the table, and chosen by the seed of the run.
 */
export function sampled<T>(count: number, rows: readonly T[]): readonly T[] {
  if (process.env["SIGNALBOX_DEEP"] !== undefined || rows.length <= count) return rows;
  const first = Number(process.env["SIGNALBOX_SEED"]) % rows.length;
  const chosen = Array.from({ length: count }, (_, lot) => Math.floor((lot * rows.length) / count));
  const places = new Set(chosen.map((lot) => (first + lot) % rows.length));
  return rows.filter((_, place) => places.has(place));
}
