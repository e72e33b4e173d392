/** Words that a parameter can be, as people type them on the command line: `--lean` is `--param mode=lean`; and what they are told of them. */

import { UserError } from "../adapters/user-error.ts";
import type { Workflow } from "../core/compile.ts";
import type { Literal } from "../core/value.ts";
import { unknownOption, type Known } from "./arguments.ts";
import type { Door } from "./command.ts";
import { wrapped } from "./fit.ts";
import { harmless } from "./paint.ts";
import type { Typed } from "./stages.ts";

const HELP = "signalbox run --help";

/** Parameters as they were typed, and those that are set by one of their words. `known` are the options of the command. */
export function withValues(
  { definition }: Workflow,
  words: readonly string[],
  { typed, known }: { readonly typed: Typed; readonly known: Known },
): Typed {
  const values = Object.entries(definition.params).flatMap(([name, param]) =>
    param.type === "enum" ? param.values.map((value) => [name, value] as const) : [],
  );
  const all = [...typed];
  for (const word of words) {
    const fitting = values.filter(([, value]) => value === word);
    const [only, another] = fitting;
    if (only === undefined) {
      const others = Object.fromEntries(values.map(([, value]) => [value, { about: "" }] as const));
      throw unknownOption(`--${word}`, { ...others, ...known }, HELP);
    }
    if (another !== undefined) {
      const ways = fitting.map((pair) => `--param ${pair.join("=")}`).join(" or ");
      throw new UserError("bad-usage", `--${word} could be ${ways}`, HELP);
    }
    const other = all.find(([name, value]) => name === only[0] && value !== word);
    if (other !== undefined)
      throw new UserError("bad-usage", `--${word} and --param ${other.join("=")} do not go together`, HELP);
    all.push(only);
  }
  return all;
}

/** What the workflow says about the words that a run begins with, before it begins: whoever reads it can still think again. */
export function tellAbout(
  { talk }: Pick<Door, "talk">,
  { definition }: Workflow,
  params: Readonly<Record<string, Literal>>,
): void {
  for (const [name, param] of Object.entries(definition.params)) {
    const about = param.type === "enum" ? Object.entries(param.about ?? {}) : [];
    const value = params[name] ?? param.default;
    const found = about.find(([word]) => word === value);
    if (found === undefined || talk === undefined) continue;
    const text = `  ${name} ${found.join(": ")}`;
    talk.print(harmless(`${wrapped(text, talk.columns()).trimEnd()}\n`));
  }
}
