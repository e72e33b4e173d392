/**
 * A tag around the whole text, like `<proposal>`: it would hide, as HTML, what follows it without an empty line.
 *
 * Nothing moves: what is taken away becomes blank, so that every place stays what it is in the file.
 */

import { splitFrontMatter } from "../front-matter/parts.ts";

/** Not those in which Markdown ends only at their end. */
const TAG = /^\s*<(?!(?:pre|script|style|textarea)>)([a-z][a-z-]*)>[ \t]*\r?(?:\n|$)/;

/** What stands behind the closing tag is no part of the document. */
export function withoutWrapper(text: string): string {
  const { mark, head, close, body } = splitFrontMatter(text);
  const [opening, name] = TAG.exec(body) ?? [];
  if (opening === undefined || name === undefined) return text;
  const end = new RegExp(String.raw`^</${name}>[ \t]*\r?$`, "m").exec(body)?.index ?? body.length;
  return `${mark}${head}${close}${blank(opening)}${body.slice(opening.length, end)}${blank(body.slice(Math.max(end, opening.length)))}`;
}

function blank(text: string): string {
  return text.replaceAll(/[^\r\n]/g, " ");
}
