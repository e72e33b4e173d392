/** Words that a parameter can be, as people type them on the command line: `--lean` is `--param mode=lean`; and what they are told of them. */

import { UserError } from "../app/failure.ts";
import type { Workflow } from "../core/model/compile.ts";
import type { Literal } from "../core/model/value.ts";
import type { Definition, Param } from "../core/model/workflow.ts";
import { unknownOption, type Known } from "./arguments.ts";
import type { Door } from "./command.ts";
import { wrapped } from "./fit.ts";
import { harmless } from "./paint.ts";
import type { Typed } from "../app/start/stages.ts";

const HELP = "signalbox run --help";

/** Parameters as they were typed, and those that are set by one of their words. `known` are the options of the command. */
export function withValues(
  { definition }: Workflow,
  words: readonly string[],
  { typed, known }: { readonly typed: Typed; readonly known: Known },
): Typed {
  const values = valuesOf(definition);
  const all = [...typed];
  for (const word of words) {
    const fitting = values.filter(([, value]) => value === word);
    const [only, another] = fitting;
    if (only === undefined) {
      const param = word.replaceAll("-", "_");
      if (Object.hasOwn(definition.params, param)) throw isParam(word, `${param}=VALUE`);
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

/** A parameter that was typed as if it were an option. */
export function isParam(word: string, pair: string): UserError {
  return new UserError("bad-usage", `there is no option --${word}: use --param ${pair}`, HELP);
}

function valuesOf({ params }: Definition): readonly (readonly [name: string, value: string])[] {
  return Object.entries(params).flatMap(([name, param]) =>
    param.type === "enum" ? param.values.map((value) => [name, value] as const) : [],
  );
}

/** Those that can be typed alone: of one parameter only, and like an option. */
export function valueOptions(
  definition: Definition,
): readonly { readonly word: string; readonly about: string; readonly param: string }[] {
  const all = valuesOf(definition);
  return all
    .filter(([, value]) => /^\w[\w.+-]+$/.test(value) && !value.startsWith("no-"))
    .filter(([, value]) => all.filter(([, other]) => other === value).length === 1)
    .map(([name, value]) => {
      const about = aboutValue(definition.params[name], value) ?? `${name} is ${value}`;
      return { word: `--${value}`, about, param: name };
    });
}

function aboutValue(param: Param | undefined, value: Literal): string | undefined {
  const about = param?.type === "enum" ? Object.entries(param.about ?? {}) : [];
  return about.find(([word]) => word === value)?.[1];
}

/** What the workflow says about the words that a run begins with, before it begins: whoever reads it can still think again. */
export function tellAbout(
  { talk }: Pick<Door, "talk">,
  { definition }: Workflow,
  params: Readonly<Record<string, Literal>>,
): void {
  for (const [name, param] of Object.entries(definition.params)) {
    const value = params[name] ?? param.default;
    const about = aboutValue(param, value)?.trim();
    if (about === undefined || talk === undefined) continue;
    talk.print(harmless(`${wrapped(`  ${name} ${String(value)}: ${about}`, talk.columns())}\n`));
  }
}
