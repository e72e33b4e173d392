/** Finds the start and the end of front matter in a text, without the YAML parser, which takes long to load. */

/** The parts of a text; concatenated in this order they are the text. */
export type Split = {
  /** The byte order mark, or empty. */
  readonly mark: string;
  /** The opening line and the map. Empty without front matter. */
  readonly head: string;
  /** The closing line with its line end. */
  readonly close: string;
  readonly body: string;
};

export const MARK = "\uFEFF";
export const OPEN = /^---[ \t]*\r?\n/;
const CLOSE = /(?<=\n)---[ \t]*(?:\r?\n|$)/;

export function splitFrontMatter(text: string): Split {
  const mark = text.startsWith(MARK) ? MARK : "";
  const content = text.slice(mark.length);
  const close = OPEN.test(content) ? CLOSE.exec(content) : null;
  if (close === null) return { mark, head: "", close: "", body: content };
  const body = content.slice(close.index + close[0].length);
  return { mark, head: content.slice(0, close.index), close: close[0], body };
}
