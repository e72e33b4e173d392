/**
 * What the content of a repository would make run, so that a person can judge it before it does.
 *
 * Worked out of the very bytes that are digested. What cannot be understood is named as such; nothing is left out.
 */

import type { Value } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { HarnessFile, ParsedConfig } from "../../format/settings/config.ts";
import { type Problem, showProblem } from "../../format/problem.ts";
import type { SettingTree } from "../../format/settings/workflow-settings.ts";
import type { ParsedWorkflow } from "../../format/workflow/parse.ts";
import type { ContentFile, TrustContent } from "./content.ts";
import { setParams, strayWorkflows } from "../config/workflow.ts";
import { builtInWorkflows } from "../library/find.ts";
import { parseFound } from "../library/load.ts";

type PlannedWorkflow = {
  readonly name: string;
  readonly title: string;
  /** Command lines that the engine runs. */
  readonly checks: readonly { readonly artifact: string; readonly command: string }[];
  readonly roles: readonly { readonly role: string; readonly harness: string }[];
  readonly prompts: readonly string[];
  /** What people would type, and what each does. */
  readonly commands: readonly string[];
  /** With any of these it cannot be run. */
  readonly problems: readonly string[];
};

export type Plan = {
  readonly harness: string;
  readonly harnesses: Readonly<Record<string, HarnessFile>>;
  readonly checks: Readonly<Record<string, string>>;
  /** What runs of workflows begin with, by workflow: commands and harnesses may be among them. */
  readonly params: Readonly<Record<string, SettingTree>>;
  readonly env: readonly string[];
  /** Empty where the repository does not say. */
  readonly terminal: "" | "auto" | "none";
  readonly workflows: readonly PlannedWorkflow[];
  /** Files that are neither settings nor part of a workflow: programs, perhaps. */
  /** `text` is empty for what is no text, or too long to be read at a terminal. */
  readonly others: readonly { readonly path: string; readonly size: number; readonly text: string }[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
};

const WORKFLOW = /^workflows\/([^/]+)\/workflow\.yaml$/;
const PROMPT = /^workflows\/([^/]+)\/prompts\/([^/]+)\.md$/;

export async function planOf(content: TrustContent): Promise<Plan> {
  const { parseConfig } = await import("../../format/settings/config.ts");
  const { parseWorkflow } = await import("../../format/workflow/parse.ts");
  const own = content.files.find(({ path }) => path === "config.yaml");
  const file = ".signalbox/config.yaml";
  const parsed = own === undefined ? undefined : parseConfig({ file, bytes: own.bytes, scope: "repository" });
  const found = content.files.flatMap((each) => {
    const name = WORKFLOW.exec(each.path)?.[1];
    if (name === undefined) return [];
    const prompts = promptsOf(name, content.files);
    const read = parseWorkflow({ file: `.signalbox/${each.path}`, bytes: each.bytes, prompts });
    return [{ name, prompts, read }];
  });
  const byName = new Map(found.map(({ name, read }) => [name, read]));
  const wrong = parsed === undefined ? [] : await wrongSettings(parsed, byName);
  const settings = settingsOf(parsed);
  return {
    ...settings,
    problems: [...settings.problems, ...wrong.map(showProblem)],
    workflows: found.map(({ name, read, prompts }) => planned(name, read, prompts)),
    others: othersIn(content.files),
  };
}

function settingsOf(parsed: ParsedConfig | undefined): Omit<Plan, "workflows" | "others"> {
  const {
    harness = "",
    harnesses = {},
    checks = {},
    env = [],
    terminal = "",
    workflows = {},
  } = parsed?.config ?? {};
  const said = (problems: readonly Problem[] = []): string[] => problems.map(showProblem);
  return {
    harness,
    harnesses,
    checks,
    params: workflows,
    env,
    terminal,
    problems: said(parsed?.problems),
    warnings: said(parsed?.warnings),
  };
}

function promptsOf(
  workflow: string,
  files: readonly ContentFile[],
): Record<string, { file: string; text: string }> {
  const found = files.flatMap(({ path, bytes }) => {
    const [, of, name = ""] = PROMPT.exec(path) ?? [];
    return of === workflow
      ? [[name, { file: `prompts/${name}.md`, text: new TextDecoder().decode(bytes) }] as const]
      : [];
  });
  return Object.fromEntries(found);
}

function planned(
  name: string,
  parsed: ParsedWorkflow,
  prompts: Readonly<Record<string, unknown>>,
): PlannedWorkflow {
  const common = { name, prompts: Object.keys(prompts) };
  if (!parsed.ok) {
    return {
      ...common,
      title: "",
      checks: [],
      roles: [],
      commands: [],
      problems: parsed.problems.map(showProblem),
    };
  }
  const { definition } = parsed.workflow;
  const checks = Object.entries(definition.artifacts).flatMap(([artifact, { reader }]) =>
    reader.type === "check"
      ? [
          ...[reader.command, ...(reader.more ?? [])].map((command) => shown(definition, command)),
          ...(reader.from ?? []).map((from) => `(what a person approves of ${from.artifact}.${from.list})`),
        ]
          .filter((command) => command !== "")
          .map((command) => ({ artifact, command }))
      : [],
  );
  const roles = Object.entries(definition.roles).map(([role, { harness }]) => ({
    role,
    harness: shown(definition, harness),
  }));
  return {
    ...common,
    title: definition.title,
    checks,
    roles,
    commands: commandsIn(definition),
    problems: [],
  };
}

function commandsIn({ name: workflow, commands = {} }: Definition): string[] {
  return Object.entries(commands).map(([name, command]) => {
    const typed = command.short ? name : `${workflow} ${name}`;
    if ("in" in command) {
      const places = Object.entries(command.in).map(([place, verb]) => `${verb} in ${place}`);
      return `${typed}: ${[...(command.begin ? ["begin a run"] : []), ...places].join(", ")}`;
    }
    const options = Object.entries(command.with).map(([option, value]) => ` --${option}=${value}`);
    return `${typed}: ${command.call}${options.join("")}`;
  });
}

/** A parameter may be another one in every run; what it is unless somebody says so is shown with it. */
function shown({ params }: Definition, value: Value<string>): string {
  if (typeof value === "string") return value;
  return `$${value.param} (${String(params[value.param]?.default ?? "")})`;
}

function othersIn(files: readonly ContentFile[]): Plan["others"] {
  return files
    .filter(({ path }) => path !== "config.yaml" && !WORKFLOW.test(path) && !PROMPT.test(path))
    .map(({ path, bytes }) => ({ path, size: bytes.length, text: textOf(bytes) }));
}

const TEXT_BYTES_MAX = 65_536;

function textOf(bytes: Uint8Array): string {
  if (bytes.length > TEXT_BYTES_MAX) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return "";
    throw error;
  }
}

/** Problems of settings for workflows before a person trusts them: own workflows as these bytes have them, all others as built in. */
export async function wrongSettings(
  parsed: ParsedConfig,
  own: ReadonlyMap<string, ParsedWorkflow>,
): Promise<readonly Problem[]> {
  const named = Object.keys(parsed.config.workflows ?? {});
  if (named.length === 0) return [];
  const layers = [{ ...parsed, from: "repository" as const }];
  const builtIn = builtInWorkflows();
  const known = [...own.keys(), ...builtIn.map(({ name }) => name)];
  const definitions = await Promise.all(
    named.map(async (name): Promise<Definition | undefined> => {
      const found = builtIn.find((each) => each.name === name);
      const meant = own.get(name) ?? (found === undefined ? undefined : await parseFound(found));
      return meant?.ok === true ? meant.workflow.definition : undefined;
    }),
  );
  return [
    ...strayWorkflows(layers, known).problems,
    ...definitions.flatMap((each) => (each === undefined ? [] : setParams(each, layers).problems)),
  ];
}
