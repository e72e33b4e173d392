/** The text of `git diff`, by file. Agents write the files: no line of theirs may pass as the head of a file, or be left out unseen. */

import type { DataOf } from "../schemas.ts";

type ChangedFile = DataOf<"diff">["files"][number];

const LINES_MAX = 2000;
const LINE_CHARACTERS_MAX = 2000;

/** Only a line feed ends a line here: with other line ends, a line of a file could look like the head of another file. */
export function filesIn(text: string): readonly ChangedFile[] {
  return text === "" ? [] : text.split(/(?<=\n)(?=diff --git )/).map(fileIn);
}

export function fileIn(part: string): ChangedFile {
  const lines = part.split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const head = first === -1 ? lines : lines.slice(0, first);
  const body =
    first === -1 ? [] : lines.slice(first).filter((line, at, all) => line !== "" || at < all.length - 1);
  return {
    path: pathIn(head),
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
    text: body.slice(0, LINES_MAX).map(shortened).join("\n"),
    cut: body.length > LINES_MAX,
  };
}

/** Whoever reads a line must see that it goes on. */
function shortened(line: string): string {
  const more = line.length - LINE_CHARACTERS_MAX;
  return more <= 0 ? line : `${line.slice(0, LINE_CHARACTERS_MAX)} ... and ${more} more characters`;
}

/** The new name, or the old one of a deleted file. Git quotes unusual names, and they are shown as git prints them. */
function pathIn(head: readonly string[]): string {
  const named = ["+++ ", "--- "]
    .map((mark) =>
      head
        .find((line) => line.startsWith(mark))
        ?.slice(mark.length)
        .replace(/\t$/, ""),
    )
    .find((name) => name !== undefined && name !== "/dev/null");
  if (named !== undefined) return named.replace(/^("?)[ab]\//, "$1");
  const [, both = ""] = /^diff --git (.*)$/.exec(head[0] ?? "") ?? [];
  return both.slice(0, Math.floor(both.length / 2)).replace(/^("?)a\//, "$1");
}
