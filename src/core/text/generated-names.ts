/** Names that runs give to what they make: the day, and the first words of what it is about. */

import type { Literal } from "../model/value.ts";
import type { Definition } from "../model/workflow.ts";

const WORDS_MAX = 4;

/** In characters of any script: with the day and a number it is still a name that every file system takes. */
const LENGTH_MAX = 48;

/** Parameters that are given a name, and of which one each is made, where nobody has said anything else. */
export function unnamedIn(
  { params }: Definition,
  given: Readonly<Record<string, unknown>>,
): (readonly [name: string, of: string])[] {
  return Object.entries(params).flatMap(([name, param]) => {
    if (param.type !== "text" || param.named === undefined) return [];
    return (given[name] ?? param.default) === "" ? [[name, param.named] as const] : [];
  });
}

/** The names that somebody has said. */
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

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$/u;
const NAME_MAX = 80;

/** It becomes a folder, stands in prompts between other words, and is typed. */
export function isName(said: string): boolean {
  return NAME.test(said) && !said.includes("..") && Array.from(said).length <= NAME_MAX;
}

/** `otherwise` stands in where the text has no word. */
export function nameFor(day: string, about: string, otherwise: string): string {
  const plain = about
    .normalize("NFKD")
    // Accents of Latin letters: a name is typed.
    .replaceAll(/[\u0300-\u036F]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const words = (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX);
  const slug = Array.from(words.join("-")).slice(0, LENGTH_MAX).join("").replace(/-$/, "");
  return `${day}_${slug === "" ? otherwise : slug}`;
}

/** The name itself, or with the first number that makes it nobody else's. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}-${number}`;
  return free;
}
