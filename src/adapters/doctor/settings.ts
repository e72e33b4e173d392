/** Settings, trust, and the programs that agents are: whether a run that is started here could work. */

import { showProblem } from "../../format/problem.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import { agentsHere, type FoundAgent } from "../agents/agents.ts";
import { driverOf } from "../drivers/drivers.ts";
import { paramsForHarnesses, withoutChildren } from "../agents/defaults.ts";
import { BUILT_IN_HARNESSES } from "../config/built-in.ts";
import { surveySettings, type Surveyed, type SettingsFile } from "../config/read.ts";
import { surveyWorkflows } from "../config/survey-workflows.ts";
import { configFolder, homeOf, type Env } from "../home/paths.ts";
import { probeSandbox } from "../sandbox/probe.ts";
import { repositoryOf } from "../trust/repository.ts";
import type { TrustStore } from "../trust/trust.ts";
import { UserError } from "../user-error.ts";
import { lookedLong, missing, note, ok, problem, some, type Finding } from "./finding.ts";
import { lackOf, programAt } from "../process/program.ts";
import { basename, join } from "node:path";
import { settingOf } from "../../core/model/param.ts";
import { isBegunByDefault, type Definition } from "../../core/model/workflow.ts";
import { setParams } from "../config/workflow.ts";
import { listWorkflows, type SearchPlace } from "../library/find.ts";
import { parseFound } from "../library/load.ts";

type SettingsLook = { readonly cwd: string; readonly env: Env; readonly store: TrustStore };

export async function lookAtSettings({ cwd, env, store }: SettingsLook): Promise<readonly Finding[]> {
  return lookedLong("settings", async () => {
    const { repo, why } = mainTree(cwd);
    const surveyed = await surveySettings({ repo: repo ?? cwd, env, store });
    const { settings, layers, files, problems, warnings, isTrusted } = surveyed;
    const ofWorkflows = await surveyWorkflows({ cwd, home: env["HOME"] ?? "" }, layers);
    const wrong = [...problems, ...ofWorkflows.problems].map((each) =>
      problem("settings", showProblem(each), `mend ${each.file}:${each.line}, then: signalbox doctor`),
    );
    const noted = [...warnings, ...ofWorkflows.warnings].map((warning) =>
      note("settings", showProblem(warning), ""),
    );
    const good = files.length === 0 ? "none; what is built in is used" : files.join(", ");
    return [
      ...(wrong.length === 0 ? [ok("settings", good)] : wrong),
      ...noted,
      ...(repo === undefined ? [nowhere(why)] : trustOf(repo, isTrusted)),
      ...sandboxOf(settings, env),
      ...(await harnessesOf(settings, env)),
      ...(await workflowsOf({ cwd, env }, { settings, layers })),
    ];
  });
}

type MainTree = { readonly repo?: string; readonly why?: UserError };

function mainTree(cwd: string): MainTree {
  try {
    return { repo: repositoryOf(cwd).main };
  } catch (error) {
    if (error instanceof UserError) return { why: error };
    throw error;
  }
}

function nowhere(why: UserError | undefined): Finding {
  const isBare = why?.code === "bare-repository";
  const text = isBare ? why.message : "this folder is in no git repository; runs begin in one";
  return note("repository", text, why?.next ?? "");
}

function trustOf(repo: string, isTrusted: boolean): readonly Finding[] {
  if (isTrusted) return [ok("repository", `${repo}: nothing in it waits to be trusted`)];
  const text = `${repo}/.signalbox is not trusted: nothing of it is used, and runs of it are refused`;
  return [missing("repository", text, "signalbox trust")];
}

function lackIn(program: string): string {
  const { why } = lackOf(program);
  return program.includes("/") ? `${program} ${why}` : `${program} is not on your PATH`;
}

/** Found out by starting one, as the supervisor does. */
function sandboxOf({ sandbox }: Settings, env: Env): readonly Finding[] {
  const home = homeOf(env);
  if (sandbox === "off")
    return [ok("sandbox", "off by the settings: agents and checks reach what you reach")];
  if (home === undefined) return [];
  const state = probeSandbox({ home, path: env["PATH"] ?? "", onlyLooks: true });
  if (state.works) return [ok("sandbox", "agents and checks run in one")];
  const text = `${state.why}: agents and checks reach what you reach`;
  return sandbox === "required"
    ? [missing("sandbox", `required by the settings, but ${state.why}: no agent is started`, state.next)]
    : [note("sandbox", text, state.next)];
}

type Program = { readonly name: string; readonly program: string; readonly place: string | undefined };

function programsOf(settings: Settings, path: string): readonly Program[] {
  return settings.harnesses.map((name) => {
    const program = settings.harness(name)?.program[0] ?? "";
    return { name, program, place: programAt(program, path) };
  });
}

/** One is enough, whatever is built in. The one that is used unless a role names another is named first. */
async function harnessesOf(settings: Settings, env: Env): Promise<readonly Finding[]> {
  const path = env["PATH"] ?? "";
  const usual = settings.harness("")?.name ?? "";
  const all = programsOf(settings, path);
  const found = all.filter(({ place }) => place !== undefined);
  const lost = all.filter(({ place }) => place === undefined);
  if (found.length === 0) {
    const own = lost.filter(({ program }) => program.includes("/")).map(({ program }) => lackIn(program));
    const others = lost.filter(({ program }) => !program.includes("/")).map(({ program }) => program);
    const text = [...own, `none of ${others.join(", ")} is on your PATH`].join("; ");
    const next = "install one of them, or name your own: docs/harnesses.md (signalbox demo needs none)";
    return [missing("harnesses", text, next)];
  }
  const agents = await agentsHere(settings, env);
  const good = found.map(({ name, place = "" }) =>
    lookAtAgent(
      agents.find((agent) => agent.name === name),
      { name, place, isUsual: name === usual },
    ),
  );
  const notes = lost.map(({ name, program }): Finding => {
    const text = `${lackIn(program)}${name === usual ? ", and roles of your own workflows that name no harness use it" : ""}`;
    return note(`harness ${name}`, text, "");
  });
  return [...good, ...notes];
}

/** That its file exists says little: whether it starts and whether the user is logged in is asked, too, but no model. */
function lookAtAgent(
  agent: FoundAgent | undefined,
  { name, place, isUsual }: { readonly name: string; readonly place: string; readonly isUsual: boolean },
): Finding {
  const { version = "", login = "unknown", driver = "command" } = agent ?? {};
  const usual = isUsual ? ", the usual one" : "";
  if (driver !== "command" && version === "" && driverOf(driver).program === basename(place))
    return note(`harness ${name}`, `${place} does not say its version${usual}`, `${place} --version`);
  const text = version === "" ? place : `${version} (${place})`;
  if (login !== "no") return ok(`harness ${name}`, `${text}${login === "yes" ? ", logged in" : ""}${usual}`);
  // Codex says so, too, where a key in the environment is all that it needs: only a trial turn shows.
  const next = `start ${name} in a terminal and log in, or try it: signalbox doctor --trial`;
  return note(`harness ${name}`, `${text}, without a login of its own${usual}`, next);
}

/** Whether the built-in workflows find their programs. Where no program is installed at all, that is said already. */
async function workflowsOf(
  { cwd, env }: Pick<SettingsLook, "cwd" | "env">,
  { settings, layers }: Pick<Surveyed, "settings" | "layers">,
): Promise<readonly Finding[]> {
  const found = programsOf(settings, env["PATH"] ?? "").flatMap(({ name, place }) =>
    place === undefined ? [] : [name],
  );
  if (found.length === 0) return [];
  const hasOwn = found.some((name) => !Object.hasOwn(BUILT_IN_HARNESSES, name));
  const where = { cwd, home: env["HOME"] ?? "" };
  // A user who has named a harness of their own means to use that one.
  return lookAtWorkflows({ where, env, settings, layers, instead: insteadOf(found, layers), hasOwn });
}

type Instead = { readonly from: SettingsFile["from"]; readonly names: readonly string[] };

/** A line in a settings file can name only harnesses that exist wherever the file counts. Built-in ones come first: any role can have one. */
function insteadOf(found: readonly string[], layers: readonly SettingsFile[]): Instead {
  const first = found.find((name) => Object.hasOwn(BUILT_IN_HARNESSES, name));
  if (first !== undefined) return { from: "user", names: [first] };
  const ofUser = layers.find(({ from }) => from === "user")?.config.harnesses ?? {};
  const own = found.filter((name) => Object.hasOwn(ofUser, name));
  return own.length > 0 ? { from: "user", names: own } : { from: "repository", names: found };
}

/** Whether the programs that workflows would call, with the effective settings, are installed; and how to choose others. */

type HarnessLook = {
  readonly where: SearchPlace;
  readonly env: Env;
  readonly settings: Settings;
  readonly layers: Surveyed["layers"];
  /** Harnesses that are installed, as a suggestion, and the settings file that can name them. */
  readonly instead: Instead;
  /** The user has a harness of their own that is installed: a missing one may not be needed. */
  readonly hasOwn: boolean;
};

async function lookAtWorkflows(on: HarnessLook): Promise<readonly Finding[]> {
  const parsed = await Promise.all(listWorkflows(on.where).map(parseFound));
  // `check` reports what is wrong with a workflow.
  const all = parsed.flatMap((each) => (each.ok ? [each.workflow.definition] : []));
  const own = withoutChildren(all);
  return own
    .toSorted((a, b) => Number(isBegunByDefault(b)) - Number(isBegunByDefault(a)))
    .flatMap((definition) => lookAtWorkflow(on, definition));
}

function lookAtWorkflow(on: HarnessLook, definition: Definition): readonly Finding[] {
  const { name } = definition;
  const lacking = paramsForHarnesses(definition)
    .map((param) => ({ param, harness: valueOf(on, definition, param) }))
    .filter(({ harness }) => isMissing(on, harness));
  if (lacking.length === 0) return [];
  const harnesses = [...new Set(lacking.map(({ harness }) => harness))];
  const verb = harnesses.length === 1 ? "is" : "are";
  const used = some(lacking.map(({ param, harness }) => `${param}: ${harness}`));
  const { names } = on.instead;
  // A script is written for one role: the user knows for which.
  const [value = ""] = names.length === 1 ? names : ["NAME"];
  const choice = names.length === 1 ? "" : ` (NAME is one of ${names.join(", ")})`;
  const line = lineFor(definition, { params: lacking.map(({ param }) => param), value });
  return [
    {
      status: isBegunByDefault(definition) && !on.hasOwn ? "missing" : "note",
      name: `workflow ${name}`,
      text: `uses ${harnesses.join(" and ")}, which ${verb} not installed (${used})`,
      next: `install ${harnesses.join(" and ")}, or ${howToSet(on, definition.name, line)}${choice}`,
    },
  ];
}

function valueOf({ layers }: HarnessLook, definition: Definition, param: string): string {
  const set = setParams(definition, layers).values[param]?.value;
  return String(set ?? definition.params[param]?.default ?? "");
}

/** A harness that has no name here is another finding. */
function isMissing({ settings, env }: HarnessLook, name: string): boolean {
  const harness = settings.harness(name);
  const program = harness?.program[0] ?? "";
  if (program === "" || program.includes("{")) return false;
  return programAt(program, harness?.set["PATH"] ?? env["PATH"] ?? "") === undefined;
}

type YamlTree = { [key: string]: YamlTree | string };

/** In one line of YAML: what to set below the name of the workflow. */
function lineFor(
  { params }: Definition,
  of: { readonly params: readonly string[]; readonly value: string },
): string {
  const tree: YamlTree = {};
  for (const param of of.params) {
    const known = params[param];
    const keys = known === undefined ? [param] : settingOf(param, known);
    let at = tree;
    for (const key of keys.slice(0, -1)) {
      const next = at[key];
      at = typeof next === "object" ? next : (at[key] = {});
    }
    at[keys.at(-1) ?? param] = of.value;
  }
  return flow(tree);
}

function flow(tree: YamlTree): string {
  const parts = Object.entries(tree).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : flow(value)}`,
  );
  return `{ ${parts.join(", ")} }`;
}

/** A key that the file has already is not to be written a second time. */
function howToSet({ env, layers, instead }: HarnessLook, name: string, line: string): string {
  const layer = layers.find(({ from }) => from === instead.from);
  const file = layer?.file ?? join(configFolder(env) ?? "~/.config/signalbox", "config.yaml");
  const known = layer?.config.workflows;
  if (known === undefined) return `put this line into ${file}: workflows: { ${name}: ${line} }`;
  if (!Object.hasOwn(known, name)) return `put this line below workflows: in ${file}: ${name}: ${line}`;
  return `set this below workflows: ${name}: in ${file}: ${line}`;
}
