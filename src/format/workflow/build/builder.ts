/** Data that all parts of the build share: the file, its expansion, the declarations, and the used prompts. */

import type { Path } from "../../problem.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { closest } from "../../../core/text/closest.ts";
import { PERFORMABLE } from "../../../core/model/vocabulary.ts";
import type { Action, Definition, SourcePlace, Prompt } from "../../../core/model/workflow.ts";
import { parseAction, RESOURCES, type Mention } from "./actions.ts";
import { objectionToTexts } from "../artifacts/fields.ts";
import { isDoubtful, report, requireName, type BuildContext } from "./context.ts";
import type { WorkflowFile } from "../schema/schema.ts";
import type { Expanded } from "../expand/sink.ts";

export type Prompts = Readonly<Record<string, Prompt>>;

export type Build = {
  readonly context: BuildContext;
  readonly file: WorkflowFile;
  readonly expanded: Expanded;
  readonly prompts: Prompts;
  readonly declared: { readonly artifacts: Definition["artifacts"]; readonly params: Definition["params"] };
  readonly used: Set<string>;
  /** Scopes that moves start again, with their positions. */
  readonly begun: { readonly name: string; readonly path: Path }[];
  /** Named resources, effects and parameters with tags, with their positions. */
  readonly named: {
    readonly kind: "resource" | "deed" | "tag";
    readonly name: string;
    readonly path: Path;
  }[];
};

export function originOf(expanded: Expanded, kind: string, name: string | number): Path {
  return expanded.origins.get(`${kind}.${name}`) ?? [kind, name];
}

/** The position of a piece's keys: for a stage, deeper than the piece itself. */
export function insideOf(expanded: Expanded, kind: string, name: string): Path {
  return expanded.insides.get(`${kind}.${name}`) ?? originOf(expanded, kind, name);
}

export function buildActions(build: Build, actions: readonly string[] | undefined, path: Path): Action[] {
  return (actions ?? []).flatMap((text, index) => {
    const parsed = parseAction(text);
    if (typeof parsed === "string") {
      report(build.context, build.context.placeOf([...path, index]), {
        code: "bad-action",
        message: `write it as: ${parsed}`,
      });
      return [];
    }
    for (const mention of parsed.mentions) requireMention(build, mention, [...path, index]);
    return [parsed.action];
  });
}

function requireMention(build: Build, mention: Mention, path: Path): void {
  const { kind, name } = mention;
  switch (kind) {
    case "role":
      requireName(build.context, { kind: "role", name, path });
      return;
    case "artifact":
    case "check":
    case "tasks":
    case "parts":
    case "texts":
      if (requireName(build.context, { kind: "artifact", name, path })) requireKind(build, mention, path);
      return;
    case "resource":
      requireName(build.context, { kind: "resource", name, known: RESOURCES, path });
      build.named.push({ kind: "resource", name, path });
      return;
    case "performable":
      requireName(build.context, { kind: "deed", name, known: Object.keys(PERFORMABLE), path });
      build.named.push({ kind: "deed", name, path });
      return;
    case "patterns":
      if (requireName(build.context, { kind: "parameter", name, path })) requireText(build, name, path);
      return;
    case "tag":
      if (requireName(build.context, { kind: "parameter", name, path }))
        build.named.push({ kind: "tag", name, path });
      return;
    case "prompt":
      usePrompt(build, name, build.context.placeOf(path));
      return;
  }
}

function requireText(build: Build, name: string, path: Path): void {
  const param = build.declared.params[name];
  if (param === undefined || param.type === "text" || build.context.isTroubled(["params", name])) return;
  report(build.context, build.context.placeOf(path), {
    code: "bad-action",
    message: `${name} is not a text: patterns are lines of a text`,
  });
}

function requireKind(build: Build, { kind, name, role = "", deed = "" }: Mention, path: Path): void {
  const artifact = build.declared.artifacts[name];
  const bad = (message: string): void =>
    report(build.context, build.context.placeOf(path), { code: "bad-action", message });
  if (artifact === undefined || isDoubtful(build.context, name)) return;
  if (kind === "check" && artifact.reader.type !== "check") bad(`${name} is not a check`);
  if (kind === "tasks" && !isStartable(artifact.reader)) bad(`${name} is not a list of tasks`);
  if (kind === "texts") {
    const objection = objectionToTexts(artifact, PERFORMABLE[deed]?.texts ?? []);
    if (objection !== undefined) bad(`${name} has no text for ${deed}: ${objection}`);
  }
  if (kind !== "parts") return;
  if (artifact.each === undefined) bad(`${name} is not a fan-out: it has no "each"`);
  else if (!artifact.by.includes(role)) bad(`${name} counts only from ${artifact.by.join(" or ")}`);
}

/** A list of tasks, or a single child run without a list. */
function isStartable(reader: Artifact["reader"]): boolean {
  return reader.type === "tasks" || (reader.type === "children" && reader.only !== undefined);
}

export function usePrompt(build: Build, name: string, place: SourcePlace): void {
  const { context, prompts } = build;
  if (Object.hasOwn(prompts, name)) build.used.add(name);
  else
    report(context, place, {
      code: "unknown-prompt",
      message: `unknown prompt "${name}": write prompts/${name}.md next to this file`,
      suggestion: closest(name, Object.keys(prompts)),
    });
}

export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
