/** Long lines of a story, broken between words: what belongs to the line above stands below its words. */

/** Behind the time of day. */
const HANGING = 10;

export function wrapped(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => wrappedLine(line, width))
    .join("\n");
}

/** Commands are for copying, and stay whole. */
function wrappedLine(line: string, width: number): string {
  if (line.length <= width || !/^\d\d:\d\d:\d\d {2}/.test(line)) return line;
  const lines: string[] = [];
  let last = "";
  for (const word of line.split(" ")) {
    if (last.length > HANGING && last.length + 1 + word.length > width) {
      lines.push(last);
      last = `${" ".repeat(HANGING)}${word}`;
    } else last = last === "" && lines.length === 0 && word !== "" ? word : `${last} ${word}`;
  }
  return [...lines, last].join("\n");
}
