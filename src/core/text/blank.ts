/** Texts that say nothing: white space, and signs that nobody sees, as zero-width ones, byte order marks and soft hyphens. */

/** Besides white space: controls, format characters, what is left out where it cannot be drawn, and the Braille pattern without a dot. */
const UNSEEN = /(?!\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

export function isBlank(text: string): boolean {
  return withoutUnseen(text).trim() === "";
}

export function withoutUnseen(text: string): string {
  return text.replaceAll(UNSEEN, "");
}
