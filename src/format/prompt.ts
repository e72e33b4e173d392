/**
 * Prompts: Markdown with named variables, and nothing else.
 *
 * `{summary}` is a variable and `{{summary}}` is the text `{summary}`. All other braces are text, so that an
 * example in JSON needs no care.
 */

import type { Place } from "../core/workflow.ts";
import { placesIn } from "./problem.ts";

const VARIABLE = /\{\{(?<literal>[a-z][a-z0-9_]*)\}\}|\{(?<name>[a-z][a-z0-9_]*)\}/g;

export function variablesOf(
  file: string,
  text: string,
): readonly { readonly name: string; readonly place: Place }[] {
  const placeAt = placesIn(file, text);
  return Array.from(text.matchAll(VARIABLE)).flatMap((match) => {
    const name = match.groups?.["name"];
    return name === undefined ? [] : [{ name, place: placeAt(match.index) }];
  });
}

/** Goes over the text once: what a value brings along is never read as a variable. */
export function fill(text: string, vars: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (_match, literal: string | undefined, name: string) => {
    if (literal !== undefined) return `{${literal}}`;
    const value = Object.hasOwn(vars, name) ? vars[name] : undefined;
    if (value === undefined) throw new Error(`the prompt names {${name}}, which has no value`);
    return value;
  });
}
