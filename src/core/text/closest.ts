/** Suggests the known word that an unknown word probably means. */

/** A longer word is not a typing error, and comparing it would cost the square of its length. */
const WORD_MAX = 64;

export function closest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > WORD_MAX) return undefined;
  const wanted = word.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > WORD_MAX) continue;
    const allowed = Math.floor(Math.max(word.length, candidate.length) / 3);
    if (Math.abs(word.length - candidate.length) > allowed) continue;
    const distance = distanceBetween(wanted, candidate.toLowerCase());
    if (distance > allowed) continue;
    const isCloser =
      best === undefined ||
      distance < best.distance ||
      // Letters are left out more often than added.
      (distance === best.distance && candidate.length > best.candidate.length);
    if (isCloser) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Damerau-Levenshtein: an insertion, deletion, replacement, or swap of neighbours costs one. */
function distanceBetween(a: string, b: string): number {
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replace = at(above, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = swapped ? at(twoAbove, column - 2) + 1 : replace;
      current.push(Math.min(replace, swap, at(above, column) + 1, at(current, column - 1) + 1));
    }
    twoAbove = above;
    above = current;
  }
  return at(above, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
