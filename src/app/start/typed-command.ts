/** A command line that begins a run, as somebody could type it: with what was typed, and something more. */

import { UserError } from "../../adapters/user-error.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import type { Given } from "../invocation.ts";

/** Options that are replaced by those that are added. */
const ENTRY = ["stage", "plan", "from"];
const REPLACED = new Set([...ENTRY, "json", "quiet"]);

export function typed(workflow: string, { words, options, lists }: Given, more: readonly string[]): string {
  const [, goal = ""] = words;
  const named = Object.entries(options)
    .filter(([name]) => !REPLACED.has(name))
    .flatMap(([name, value]) => (value === "" ? [`--${name}`] : [`--${name}`, value]));
  const many = Object.entries(lists).flatMap(([name, values]) =>
    values.flatMap((value) => {
      if (name === "no-STAGE") return [`--no-${value}`];
      return name === "VALUE" ? [`--${value}`] : [`--${name}`, value];
    }),
  );
  const all = ["signalbox", "run", workflow, ...(goal === "" ? [] : [goal]), ...named, ...many, ...more];
  return all.map(shellWord).join(" ");
}

/** The same line once more, with another goal where there is one. */
export function typedAgain(workflow: string, given: Given, goal = given.words[1] ?? ""): string {
  const entry = ENTRY.flatMap((name) => {
    const value = given.options[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  return typed(workflow, { ...given, words: [workflow, goal] }, entry);
}

/** Options of the form NAME=VALUE. */
export function pairsOf({ lists }: Given, option: string, help: string): (readonly [string, string])[] {
  return (lists[option] ?? []).map((pair) => {
    const at = pair.indexOf("=");
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new UserError("bad-usage", `--${option} ${pair}: a name, = and a value are needed`, help);
  });
}
