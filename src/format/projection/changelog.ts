/** A Markdown changelog: the newest entry comes first, below the heading of the file. */

export type LogEntry = {
  /** For example 2026-01-31. */
  readonly date: string;
  readonly id: string;
  readonly text: string;
};

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ENTRY = /^ {0,3}##(?=[ \t]|$)/;
const HEADING = /^( {0,3})#{1,2}(?=[ \t]|$)/;

export function withEntry(log: string | undefined, { date, id, text }: LogEntry): string {
  const body = inPlainLines(text.trim(), (line) => line.replace(HEADING, "$1###"));
  const entry = `## ${date} ${id}\n\n${body}\n`;
  if (log === undefined || log.trim() === "") return `# Changelog\n\n${entry}`;
  let isPut = false;
  const put = (line: string): string => {
    if (isPut || !ENTRY.test(line)) return line;
    isPut = true;
    return `${entry}\n${line}`;
  };
  const whole = inPlainLines(log, put);
  return isPut ? whole : `${log.trimEnd()}\n\n${entry}`;
}

/** Lines in a code block stay unchanged: they contain no headings. */
function inPlainLines(text: string, change: (line: string) => string): string {
  let fence = "";
  return text
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[1] ?? "";
      if (fence === "" && mark !== "") fence = mark;
      else if (fence !== "" && mark.startsWith(fence)) fence = "";
      return fence === "" ? change(line) : line;
    })
    .join("\n");
}
