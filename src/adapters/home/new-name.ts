/** Twelve hexadecimal digits for the name of a file of ours that lives for a moment. No secret: loading a better source takes longer. */

const DIGITS = 12;

export function newName(): string {
  return Math.floor(Math.random() * 16 ** DIGITS)
    .toString(16)
    .padStart(DIGITS, "0");
}
