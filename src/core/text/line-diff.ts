/** The difference of two texts by lines, as hunks in the unified format. */

const CONTEXT = 3;
/** More lines than this are shown as replaced: nobody reads such a difference line by line. */
const LINES_MAX = 2000;

type DiffLine = { readonly mark: " " | "-" | "+"; readonly text: string };

export function lineDiff(before: string, after: string): string {
  const lines = diffOf(linesOf(before), linesOf(after));
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== " "),
  );
  const hunks: string[][] = [];
  let [old, now] = [1, 1];
  for (let at = 0; at < lines.length;) {
    const end = isShown[at] === true ? nextHidden(isShown, at) : at + 1;
    const hunk = lines.slice(at, end);
    const [removed, added] = [
      hunk.filter(({ mark }) => mark !== "+"),
      hunk.filter(({ mark }) => mark !== "-"),
    ];
    if (isShown[at] === true)
      hunks.push([
        `@@ -${old},${removed.length} +${now},${added.length} @@`,
        ...hunk.map(({ mark, text }) => `${mark}${text}`),
      ]);
    old += removed.length;
    now += added.length;
    at = end;
  }
  return hunks.flat().join("\n");
}

function nextHidden(isShown: readonly boolean[], from: number): number {
  const at = isShown.indexOf(false, from);
  return at === -1 ? isShown.length : at;
}

/** Line ends are not part of a line, and the last one ends no further line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n?|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function diffOf(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ mark: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** By the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length > LINES_MAX || after.length > LINES_MAX)
    return [...marked("-", before), ...marked("+", after)];
  const width = after.length + 1;
  const length = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      length[i * width + j] =
        before[i] === after[j]
          ? 1 + (length[(i + 1) * width + j + 1] ?? 0)
          : Math.max(length[(i + 1) * width + j] ?? 0, length[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ mark: " ", text: before[i] ?? "" });
      [i, j] = [i + 1, j + 1];
    } else if ((length[(i + 1) * width + j] ?? 0) >= (length[i * width + j + 1] ?? 0)) {
      lines.push({ mark: "-", text: before[i] ?? "" });
      i += 1;
    } else {
      lines.push({ mark: "+", text: after[j] ?? "" });
      j += 1;
    }
  }
  return [...lines, ...marked("-", before.slice(i)), ...marked("+", after.slice(j))];
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}
