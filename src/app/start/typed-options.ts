/** What people type as options without a value: stages that are left out (`--no-test`), and words that a parameter can be (`--lean` is `--param mode=lean`). */

import type { Workflow } from "../../core/model/compile.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Definition, Param, Stage } from "../../core/model/workflow.ts";
import { closest, unknownOption, UserError } from "../failure.ts";

const HELP = "signalbox run --help";

/** Options of every run that begin like one that disables a stage. */
const OTHERS = ["--no-start", "--no-color"];

export type Typed = readonly (readonly [name: string, value: string])[];

/** Parameters as they were typed, and those that `--no-STAGE` sets. */
export function withoutStages(workflow: Workflow, names: readonly string[], typed: Typed): Typed {
  const off = names.map((name) => {
    const param = paramOf(workflow, name);
    const other = typed.find(([known, value]) => known === param && value !== "false");
    if (other === undefined) return [param, "false"] as const;
    throw new UserError("bad-usage", `--no-${name} and --param ${other.join("=")} do not go together`, HELP);
  });
  return [...typed, ...off];
}

function paramOf(workflow: Workflow, name: string): string {
  const { enabled } = stageNamed(workflow, name) ?? { enabled: true };
  if (typeof enabled === "object") return enabled.param;
  const all = optionsOf(workflow);
  const near = closest(`--no-${name}`, [...all, ...OTHERS]);
  const list = all.length === 0 ? "it has none" : `there are ${all.join(", ")}`;
  const hint = near === undefined ? list : `did you mean ${near}?`;
  const what = `${workflow.definition.name} has no stage "${name}" that can be disabled`;
  throw new UserError("unknown-stage", `${what}; ${hint}`, HELP);
}

export function stageNamed({ definition }: Workflow, name: string): Stage | undefined {
  const stages = definition.stages ?? [];
  return (
    stages.find((stage) => stage.name === name) ??
    stages.find((stage) => stage.name.toLowerCase() === name.toLowerCase())
  );
}

function optionsOf({ definition }: Workflow): string[] {
  return (definition.stages ?? []).map(offOption).filter((option) => option !== "");
}

/** `--no-test` and the like; empty for a stage that is always there. */
export function offOption({ name, enabled }: Stage): string {
  return typeof enabled === "object" ? `--no-${name.toLowerCase()}` : "";
}

/** Parameters as they were typed, and those that are set by one of their words. `known` are the options of the command. */
export function withValues(
  { definition }: Workflow,
  words: readonly string[],
  { typed, known }: { readonly typed: Typed; readonly known: readonly string[] },
): Typed {
  const values = valuesOf(definition);
  const all = [...typed];
  for (const word of words) {
    const fitting = values.filter(([, value]) => value === word);
    const [only, another] = fitting;
    if (only === undefined) {
      const param = word.replaceAll("-", "_");
      if (Object.hasOwn(definition.params, param)) throw isParam(word, `${param}=VALUE`);
      throw unknownOption(`--${word}`, [...values.map(([, value]) => value), ...known], HELP);
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
export function aboutValues(
  { definition }: Workflow,
  params: Readonly<Record<string, Literal>>,
): readonly string[] {
  return Object.entries(definition.params).flatMap(([name, param]) => {
    const value = params[name] ?? param.default;
    const about = aboutValue(param, value)?.trim();
    return about === undefined ? [] : [`${name} ${String(value)}: ${about}`];
  });
}
