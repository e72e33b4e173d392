/**
 * Finds an HTML element that is opened before a heading and not closed there.
 *
 * For CommonMark the heading belongs to the file; a reader of the rendered page sees it folded, hidden or struck out.
 */

import { startOf } from "./outline.ts";
import type { Block, Outline } from "./outline.ts";

type Tag = { readonly name: string; readonly isEnd: boolean; readonly offset: number };

/** Elements that a heading does not close. Templates use other words in angle brackets. */
const CONTAINERS = new Set(
  [
    "a abbr article aside audio b bdi bdo big blockquote body button canvas center cite code data del details dfn",
    "dialog div dl em fieldset figcaption figure font footer form frameset header hgroup i iframe ins kbd label legend",
    "main map mark marquee math menu nav nobr noembed noframes noscript object ol output picture plaintext pre q ruby s",
    "samp script search section select small span strike strong style sub sup svg table template textarea time tt u ul",
    "var video xmp",
  ].flatMap((names) => names.split(" ")),
);

/** Limits the search for each closing tag, which goes through all open ones. */
const OPEN_MAX = 500;

/** The innermost element around this block. */
export function elementAround(outline: Outline, block: Block): Tag | undefined {
  const open: Tag[] = [];
  for (const other of outline.blocks.slice(0, outline.blocks.indexOf(block))) {
    if (other.type !== "html") continue;
    for (const tag of tagsIn(visibleHtml(other.value))) {
      const begun = open.findLastIndex(({ name }) => name === tag.name);
      if (!tag.isEnd) open.push({ ...tag, offset: startOf(other) });
      else if (begun !== -1) open.length = begun;
      if (open.length > OPEN_MAX) return open.at(-1);
    }
  }
  return open.at(-1);
}

/** Replaces comments by white space of the same length; an unclosed comment reaches to the end. */
export function visibleHtml(html: string): string {
  return html.replaceAll(/<!--[^]*?(?:-->|$)/g, (comment) => comment.replaceAll(/[^\r\n]/g, " "));
}

/** Scans the text once, for any content. */
function tagsIn(html: string): readonly Tag[] {
  const tags: Tag[] = [];
  const start = /<(\/?)([a-z][a-z0-9-]*)/gi;
  for (let match = start.exec(html); match !== null; match = start.exec(html)) {
    const name = (match[2] ?? "").toLowerCase();
    const end = endOfTag(html, start.lastIndex);
    if (end === -1) break;
    // Only `svg` and `math` can be self-closing: in other tags the slash has no meaning.
    const isEmpty = html[end - 1] === "/" && (name === "svg" || name === "math");
    if (CONTAINERS.has(name) && !isEmpty) tags.push({ name, isEnd: match[1] === "/", offset: match.index });
    start.lastIndex = end + 1;
  }
  return tags;
}

/** Quoted text does not end a tag. */
function endOfTag(html: string, from: number): number {
  const sign = /["'>]/g;
  sign.lastIndex = from;
  for (let match = sign.exec(html); match !== null; match = sign.exec(html)) {
    if (match[0] === ">") return match.index;
    const close = html.indexOf(match[0], match.index + 1);
    if (close === -1) return -1;
    sign.lastIndex = close + 1;
  }
  return -1;
}
