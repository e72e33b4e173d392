/**
 * Detects texts without visible content: white space and invisible characters, such as zero-width characters, byte order marks
 * and soft hyphens.
 */

export function isBlank(text: string): boolean {
  // Most texts have a visible ASCII character, and to compile the expression below takes a millisecond.
  if (/[!-~]/.test(text)) return false;
  return withoutUnseen(text).trim() === "";
}

/** Besides white space: control and format characters, default ignorable code points, and the blank Braille pattern. */
export function withoutUnseen(text: string): string {
  return text.replaceAll(/(?!\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, "");
}
