/** Names that runs generate: the day and the first words of a text. */

import type { Literal } from "../model/value.ts";
import type { Definition } from "../model/workflow.ts";

const WORDS_MAX = 4;

/** They take the place of words that tell one name from another. */
const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);

/** In characters of any script. With the day and a number, every file system accepts the name. */
const LENGTH_MAX = 48;

/** Parameters without a value whose name must be generated, each with the parameter that it is derived from. */
export function unnamedIn(
  { params }: Definition,
  given: Readonly<Record<string, unknown>>,
): (readonly [name: string, of: string])[] {
  return Object.entries(params).flatMap(([name, param]) => {
    if (param.type !== "text" || param.named === undefined) return [];
    return (given[name] ?? param.default) === "" ? [[name, param.named] as const] : [];
  });
}

/** Name parameters that the caller has set. */
export function namedIn(
  { params }: Definition,
  given: Readonly<Record<string, Literal>>,
): (readonly [name: string, said: string])[] {
  return Object.entries(params).flatMap(([name, param]) => {
    if (param.type !== "text" || param.named === undefined) return [];
    const said = String(given[name] ?? param.default);
    return said === "" ? [] : [[name, said] as const];
  });
}

const NAME_MAX = 80;

/** The name becomes a folder, appears inside sentences of prompts, and is typed by people. */
export function isName(said: string): boolean {
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u.test(said);
  return isPlain && !said.includes("..") && Array.from(said).length <= NAME_MAX;
}

/** `otherwise` is used if the text has no word. */
export function nameFor(day: string, about: string, otherwise: string): string {
  return `${day}_${slugOf(about) || otherwise}`;
}

/** The first words of a text as one word that people type; empty if the text has none. */
export function slugOf(about: string): string {
  const plain = about
    .normalize("NFKD")
    // Removes accents of Latin letters, because people type the name.
    .replaceAll(/[\u0300-\u036F]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const all = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const telling = all.filter((word) => !ARTICLES.has(word));
  const words = telling.length === 0 ? all : telling;
  return Array.from(words.slice(0, WORDS_MAX).join("-")).slice(0, LENGTH_MAX).join("").replace(/-$/, "");
}

/** The name itself, or with the first number that makes it unique. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}-${number}`;
  return free;
}
