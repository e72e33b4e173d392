/** Names of runs: short enough to type, safe in paths and branches, and never of two meanings when read aloud. */

const LETTERS = "abcdefghjkmnpqrstvwxyz";
const SIGNS = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 8;

/** The journal refuses a name that is taken: whoever draws one then draws again. */
export function newRunId(draw: (length: number) => Uint8Array = drawBytes): string {
  const bytes = draw(LENGTH);
  // The first is a letter, so that a name is never mistaken for a number.
  return Array.from(bytes, (byte, index) => sign(index === 0 ? LETTERS : SIGNS, byte)).join("");
}

function sign(of: string, byte: number): string {
  return of.charAt(byte % of.length);
}

function drawBytes(length: number): Uint8Array {
  return process.getBuiltinModule("node:crypto").randomBytes(length);
}
