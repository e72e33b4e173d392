/** Whether a YAML file has any content. Separate from the parser, so that callers with only this question do not load it. */

export function saysNothing(bytes: Uint8Array): boolean {
  // A lone carriage return ends a line in YAML, and therefore a comment: `.` does not match it.
  return new TextDecoder()
    .decode(bytes)
    .split("\n")
    .every((line) => /^[ \t]*(?:#.*)?\r?$/.test(line));
}
