/** Messages of the world may quote paths of any length; people read the beginning and the end. */

const CHARS_MAX = 500;
const END = 120;

export function clipped(message: string): string {
  if (message.length <= CHARS_MAX) return message;
  const mark = " ... ";
  return `${message.slice(0, CHARS_MAX - END - mark.length)}${mark}${message.slice(-END)}`;
}

/** Why something failed, as part of a sentence. */
export function failureReason(error: unknown): string {
  return clipped(error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}
