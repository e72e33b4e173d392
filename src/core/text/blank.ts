/**
 * Detects texts without visible content: white space and invisible characters, such as zero-width characters, byte order marks
 * and soft hyphens.
 */

/** Besides white space: control and format characters, default ignorable code points, and the blank Braille pattern. */
const UNSEEN = /(?!\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export function isBlank(text: string): boolean {
  return withoutUnseen(text).trim() === "";
}

export function withoutUnseen(text: string): string {
  return text.replaceAll(UNSEEN, "");
}
