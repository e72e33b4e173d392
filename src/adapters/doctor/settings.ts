/** Settings, trust, and the programs that agents are: whether a run that is started here could work. */

import { showProblem } from "../../format/problem.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import { builtInHarnesses } from "../config/built-in.ts";
import { surveySettings, type Surveyed } from "../config/read.ts";
import { surveyWorkflows } from "../config/survey-workflows.ts";
import type { Env } from "../home/paths.ts";
import { repositoryOf } from "../trust/repository.ts";
import type { TrustStore } from "../trust/trust.ts";
import { UserError } from "../user-error.ts";
import { lookedLong, ok, type Finding } from "./finding.ts";
import { lackOf, programAt } from "./program.ts";
import { lookAtWorkflows } from "./workflow-harnesses.ts";

type On = { readonly cwd: string; readonly env: Env; readonly store: TrustStore };

export async function lookAtSettings({ cwd, env, store }: On): Promise<readonly Finding[]> {
  return lookedLong("settings", async () => {
    const { repo, why } = mainTree(cwd);
    const surveyed = await surveySettings({ repo: repo ?? cwd, env, store });
    const { settings, layers, files, problems, warnings, isTrusted } = surveyed;
    const ofWorkflows = await surveyWorkflows({ cwd, home: env["HOME"] ?? "" }, layers);
    const wrong = [...problems, ...ofWorkflows.problems].map((problem): Finding => ({
      status: "problem",
      name: "settings",
      text: showProblem(problem),
      next: `mend ${problem.file}:${problem.line}, then: signalbox doctor`,
    }));
    const noted = [...warnings, ...ofWorkflows.warnings].map((warning): Finding => ({
      status: "note",
      name: "settings",
      text: showProblem(warning),
      next: "",
    }));
    const good = files.length === 0 ? "none; what is built in is used" : files.join(", ");
    return [
      ...(wrong.length === 0 ? [ok("settings", good)] : wrong),
      ...noted,
      ...(repo === undefined ? [nowhere(why)] : trustOf(repo, isTrusted)),
      ...harnessesOf(settings, env["PATH"] ?? ""),
      ...(await workflowsOf({ cwd, env }, { settings, layers })),
    ];
  });
}

type Tree = { readonly repo?: string; readonly why?: UserError };

function mainTree(cwd: string): Tree {
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
  return { status: "note", name: "repository", text, next: why?.next ?? "" };
}

function trustOf(repo: string, isTrusted: boolean): readonly Finding[] {
  if (isTrusted) return [ok("repository", `${repo}: nothing in it waits to be trusted`)];
  const text = `${repo}/.signalbox is not trusted: nothing of it is used, and runs of it are refused`;
  return [{ status: "missing", name: "repository", text, next: "signalbox trust" }];
}

function lackIn(program: string): string {
  const { why } = lackOf(program);
  return program.includes("/") ? `${program} ${why}` : `${program} is not on your PATH`;
}

type Program = { readonly name: string; readonly program: string; readonly place: string | undefined };

function programsOf(settings: Settings, path: string): readonly Program[] {
  return settings.harnesses.map((name) => {
    const program = settings.harness(name)?.command[0] ?? "";
    return { name, program, place: programAt(program, path) };
  });
}

/** One is enough, whatever is built in. The one that is used unless a role names another is named first. */
function harnessesOf(settings: Settings, path: string): readonly Finding[] {
  const usual = settings.harness("")?.name ?? "";
  const all = programsOf(settings, path);
  const found = all.filter(({ place }) => place !== undefined);
  const lost = all.filter(({ place }) => place === undefined);
  if (found.length === 0) {
    const own = lost.filter(({ program }) => program.includes("/")).map(({ program }) => lackIn(program));
    const others = lost.filter(({ program }) => !program.includes("/")).map(({ program }) => program);
    const text = [...own, `none of ${others.join(", ")} is on your PATH`].join("; ");
    const next = "install one of them, or name your own: docs/harnesses.md (signalbox demo needs none)";
    return [{ status: "missing", name: "harnesses", text, next }];
  }
  const good = found.map(({ name, place = "" }) =>
    ok(`harness ${name}`, name === usual ? `${place}, the usual one` : place),
  );
  const notes = lost.map(({ name, program }): Finding => {
    const text = `${lackIn(program)}${name === usual ? ", and roles of your own workflows that name no harness use it" : ""}`;
    return { status: "note", name: `harness ${name}`, text, next: "" };
  });
  return [...good, ...notes];
}

/** Whether the built-in workflows find their programs. Where no program is installed at all, that is said already. */
async function workflowsOf(
  { cwd, env }: Pick<On, "cwd" | "env">,
  { settings, layers }: Pick<Surveyed, "settings" | "layers">,
): Promise<readonly Finding[]> {
  const found = programsOf(settings, env["PATH"] ?? "").filter(({ place }) => place !== undefined);
  const builtIn = builtInHarnesses("");
  const own = found.filter(({ name }) => !Object.hasOwn(builtIn, name));
  const instead = (own[0] ?? found[0])?.name;
  if (instead === undefined) return [];
  const where = { cwd, home: env["HOME"] ?? "" };
  // A user who has named a harness of their own means to use that one.
  return lookAtWorkflows({ where, env, settings, layers, instead, hasOwn: own.length > 0 });
}
