/** Whether a YAML file says anything at all. Apart from the parser, so that who only asks this does not load it. */

export function saysNothing(bytes: Uint8Array): boolean {
  // A lone carriage return ends a line in YAML, and so a comment: `.` does not match it.
  return new TextDecoder()
    .decode(bytes)
    .split("\n")
    .every((line) => /^[ \t]*(?:#.*)?\r?$/.test(line));
}
