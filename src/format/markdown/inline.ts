/**
 * The few inline constructs of Markdown that are interpreted.
 *
 * Lines are used as written. Entities, escapes, links and HTML stay uninterpreted, so that this reader and a person who opens the
 * file see the same text.
 */

import { withoutUnseen } from "../../core/text/blank.ts";

const FILLERS = new Set(["todo", "tbd", "tba", "fixme", "xxx", "wip", "placeholder", "lorem ipsum"]);
const ONLY_BRACKETS = /^(?:(?:<[^<>]*>|\[[^[\]]*\]|\{+[^{}]*\}+)[\s,.;:]*)+$/;
const FILLER_MAX = 40;
const PLAIN_MAX = 400;
const ONLY_SIGNS = /^[\s\-*+_.,:;?!#=~|…–—]*$/;

/** Spaces and tabs only: other white space counts as a visible character and must not be ignored. */
export function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** Removes emphasis or code marks around the whole text; inside code, marks have no meaning. */
export function unwrap(text: string): { readonly text: string; readonly code: boolean } {
  const match = /^(\*{1,3}|_{1,3}|`{1,2})([^\n]+)\1$/.exec(text);
  const [, mark = "", inner = ""] = match ?? [];
  if (match === null) return { text, code: false };
  if (mark.startsWith("`"))
    return inner.includes("`") ? { text, code: false } : { text: trimBlank(inner), code: true };
  const closesInside = mark.startsWith("*") ? inner.includes("*") : /(?:^|\W)_|_(?:\W|$)/.test(inner);
  if (closesInside || trimBlank(inner) !== inner) return { text, code: false };
  return unwrap(inner);
}

/** Removes all emphasis and code marks, for names and lists that people read. */
export function plain(text: string): string {
  const start = withoutComments(text.slice(0, PLAIN_MAX));
  return start.replaceAll(/\*+|`+|(?<!\w)_+|_+(?!\w)/g, "").trim();
}

/** True for placeholders of templates. "N/A" and "none" are answers. */
export function isPlaceholder(text: string): boolean {
  const bare = unwrap(withoutComments(withoutUnseen(text)).trim()).text.trim();
  if (ONLY_SIGNS.test(bare) || ONLY_BRACKETS.test(bare)) return true;
  return bare.length <= FILLER_MAX && FILLERS.has(bare.replace(/[\s.:!…]+$/, "").toLowerCase());
}

/** An unclosed comment is text. */
export function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  for (let open = text.indexOf("<!--"); open !== -1; open = text.indexOf("<!--", from)) {
    const close = text.indexOf("-->", open + 4);
    if (close === -1) break;
    kept += text.slice(from, open);
    from = close + 3;
  }
  return kept + text.slice(from);
}
