/**
 * Prompts: Markdown with named variables, and nothing else.
 *
 * `{plan.summary}` is a variable if an artifact `plan` exists. All other braces are text, so that JSON examples need no escaping.
 */

import type { SourcePlace } from "../core/model/workflow.ts";
import { VARIABLE } from "../core/text/prompt-variables.ts";
import { placesIn } from "./problem.ts";

const DOTTED = /\{\{?(?<word>[A-Za-z0-9][\w-]*(?:\.[\w-]+)+)\}/g;
const ANY = new RegExp(`${VARIABLE.source}|${DOTTED.source.replace("word", "dotted")}\\}?`, "g");

/** A field of an artifact that a prompt names. */
export type PromptWord = {
  readonly word: string;
  readonly artifact: string;
  readonly field: string;
  readonly place: SourcePlace;
};

/** Names of artifacts may contain dots: the longest match counts. A word without an artifact is text. */
export function wordsIn(
  { file, text }: { readonly file: string; readonly text: string },
  artifacts: readonly string[],
): readonly PromptWord[] {
  const placeAt = placesIn(file, text);
  return Array.from(text.matchAll(DOTTED)).flatMap((match) => {
    const word = match.groups?.["word"] ?? "";
    const artifact = artifacts
      .filter((name) => word.startsWith(`${name}.`) && /^[A-Za-z_]/.test(word.slice(name.length + 1)))
      .toSorted((a, b) => b.length - a.length)[0];
    if (artifact === undefined || match[0].startsWith("{{")) return [];
    const field = word.slice(artifact.length + 1);
    return [{ word, artifact, field, place: placeAt(match.index) }];
  });
}

/** As `fill`, for a person: removes a line with a label and a variable if the variable is empty. */
export function fillAsked(text: string, vars: Readonly<Record<string, string>>): string {
  const lines = text.split("\n").flatMap((line) => {
    const filled = fill(line, vars);
    return /^[^{}]+: \{[^{}]+\}$/.test(line) && filled.endsWith(": ") ? [] : [filled];
  });
  return lines.join("\n").trim();
}

/** One pass: values are never scanned for variables. */
export function fill(text: string, vars: Readonly<Record<string, string>>): string {
  return text.replace(ANY, (match: string, ...[literal, name = "", dotted]: (string | undefined)[]) => {
    if (literal !== undefined) return `{${literal}}`;
    if (dotted !== undefined) return fillDotted(match, dotted, vars);
    const value = Object.hasOwn(vars, name) ? vars[name] : undefined;
    if (value === undefined) throw new Error(`the prompt names {${name}}, which has no value`);
    return value;
  });
}

/** Here only a word with a value is a variable: other words with a dot are text. */
function fillDotted(match: string, word: string, vars: Readonly<Record<string, string>>): string {
  const value = Object.hasOwn(vars, word) ? vars[word] : undefined;
  if (value === undefined) return match;
  const isLiteral = match.startsWith("{{") && match.endsWith("}}");
  return isLiteral ? match.slice(1, -1) : match.replace(`{${word}}`, () => value);
}
