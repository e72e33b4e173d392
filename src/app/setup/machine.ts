/** `signalbox setup`: which files it would write for the agents that a person chose, and writing exactly these. */

import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defaultsFor, withoutChildren } from "../../adapters/agents/defaults.ts";
import {
  agentsMdChange,
  completionChange,
  skillChange,
  textOf,
  type FileChange,
} from "../../adapters/agents/installs.ts";
import { surveySettings } from "../../adapters/config/read.ts";
import { newName } from "../../adapters/home/new-name.ts";
import { configFolder } from "../../adapters/home/paths.ts";
import { builtInWorkflows } from "../../adapters/library/find.ts";
import { parseFound } from "../../adapters/library/load.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import { lineDiff } from "../../core/text/line-diff.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import { parseConfig } from "../../format/settings/config.ts";
import { withSettings } from "../../format/settings/edit.ts";
import { showProblem } from "../../format/problem.ts";
import { sha256 } from "../../format/sha256.ts";
import type { Looking, Reading } from "../declare.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { installedIn } from "../start/harnesses.ts";
import { NOTHING_TRUSTED } from "./settings.ts";

type SetupWish = Omit<InputOf<"setup">, "shown">;

type MachinePlan = {
  readonly agent: string;
  readonly reviewer: string;
  /** Files that would change. */
  readonly changes: readonly FileChange[];
  readonly kept: readonly string[];
};

export async function setupPlan(
  { door }: Looking,
  wish: InputOf<"setup-plan">,
): Promise<Outcome<DataOf<"setup-plan">>> {
  const plan = await planFor(door, wish);
  const message = plan.changes.length === 0 ? "Everything is set up." : "These files would change.";
  return success(message, dataOf(plan), { next: plan.changes.length === 0 ? "" : "signalbox setup" });
}

/** Writes what was shown. Called again, it finds nothing to write. */
export async function setup({ door }: Reading, wish: InputOf<"setup">): Promise<Outcome<DataOf<"setup">>> {
  const plan = await planFor(door, wish);
  const data = dataOf(plan);
  if (wish.shown !== undefined && wish.shown !== data.shown)
    throw new UserError("conflict", "Nothing was written: the files have changed since they were shown", {
      next: "signalbox setup",
      exit: EXIT_CONFLICT,
    });
  for (const change of plan.changes) write(change);
  const message =
    plan.changes.length === 0 ? "Everything was set up already." : `Set up: ${sayAgents(plan)}.`;
  return success(message, data, { next: `signalbox create "what to do"` });
}

function sayAgents({ agent, reviewer }: Pick<MachinePlan, "agent" | "reviewer">): string {
  return agent === reviewer ? `${agent} works and reviews` : `${agent} works, ${reviewer} reviews`;
}

function dataOf({ agent, reviewer, changes, kept }: MachinePlan): DataOf<"setup-plan"> {
  return {
    agent,
    reviewer,
    files: changes.map(({ what, path, before, after }) => ({
      what,
      path,
      isNew: before === undefined,
      diff: lineDiff(before ?? "", after),
    })),
    kept: [...kept],
    shown: sha256(JSON.stringify(changes)),
  };
}

async function planFor({ cwd, env }: Invocation, wish: SetupWish): Promise<MachinePlan> {
  const { settings, layers } = await surveySettings({ repo: cwd, env, store: NOTHING_TRUSTED });
  const own = layers.filter(({ from }) => from === "user");
  const installed = installedIn(settings, env["PATH"] ?? "");
  const agent = chosen(settings, installed, wish.agent ?? usualOf(settings, installed));
  const reviewer = chosen(settings, installed, wish.reviewer ?? agent);
  const { edits, kept } = defaultsFor(await ownDefinitions(), own, {
    agent,
    reviewer,
    isForced: wish.agent !== undefined,
    isInstalled: (name) => installed.includes(name),
  });
  const isWanted = (what: SetupWish["install"][number]): boolean => wish.install.includes(what);
  const tools = isWanted("mcp") ? toolsFor([agent, reviewer], { settings, own }) : { edits: [], kept: [] };
  const changes = [
    settingsChange(env, [...edits, ...tools.edits]),
    ...(isWanted("completion") ? [completionChange(env)] : []),
    ...(isWanted("skill") ? [skillChange(env)] : []),
    ...(isWanted("agents-md") ? [agentsMdChange(repositoryOf(cwd).tree)] : []),
  ];
  return {
    agent,
    reviewer,
    changes: changes.filter(
      ({ before, after }) => before !== after && (before !== undefined || after !== ""),
    ),
    kept: [...kept, ...tools.kept],
  };
}

async function ownDefinitions(): Promise<readonly Definition[]> {
  const parsed = await Promise.all(builtInWorkflows().map(parseFound));
  return withoutChildren(parsed.flatMap((each) => (each.ok ? [each.workflow.definition] : [])));
}

function usualOf(settings: Settings, installed: readonly string[]): string | undefined {
  const usual = settings.harness("")?.name ?? "";
  return installed.includes(usual) ? usual : installed[0];
}

function chosen(settings: Settings, installed: readonly string[], name: string | undefined): string {
  const here = installed.length === 0 ? "none is installed" : `installed here: ${installed.join(", ")}`;
  if (name === undefined)
    throw new UserError(
      "no-program",
      `There is no agent program on your PATH: ${settings.harnesses.join(", ")}`,
      {
        next: "install one of them, or name your own: docs/harnesses.md",
      },
    );
  if (settings.harness(name) === undefined)
    throw new UserError("unknown-harness", `There is no agent "${name}"; ${here}`, "signalbox agents");
  if (!installed.includes(name))
    throw new UserError("no-program", `${name} is not installed; ${here}`, `install ${name}`);
  return name;
}

function toolsFor(
  agents: readonly string[],
  { settings, own }: { readonly settings: Settings; readonly own: Parameters<typeof defaultsFor>[1] },
): { readonly edits: Parameters<typeof withSettings>[1]; readonly kept: readonly string[] } {
  const all = [...new Set(agents)].filter((name) =>
    WITH_TOOLS.has(settings.harness(name)?.driver ?? "command"),
  );
  const isSet = (name: string): boolean =>
    own.some(({ config }) => config.harnesses?.[name]?.mcp !== undefined);
  return {
    edits: all
      .filter((name) => !isSet(name))
      .map((name) => ({ path: ["harnesses", name, "mcp"], value: true })),
    kept: all
      .filter((name) => settings.harness(name)?.mcp === false && isSet(name))
      .map((name) => `harnesses.${name}.mcp: false`),
  };
}

/** Drivers that tell their program of `signalbox mcp`. */
const WITH_TOOLS: ReadonlySet<string> = new Set(["claude", "codex"]);

const HEAD =
  "# Signalbox: your own settings, for all repositories. docs/configuration.md explains every key.\n";

function settingsChange(env: Invocation["env"], edits: Parameters<typeof withSettings>[1]): FileChange {
  const folder = configFolder(env);
  if (folder === undefined)
    throw new UserError(
      "no-home",
      "neither HOME nor XDG_CONFIG_HOME says where your settings are",
      "export HOME=...",
    );
  const path = join(folder, "config.yaml");
  const before = textOf(path);
  if (edits.length === 0) return { what: "settings", path, before, after: before ?? "" };
  requireGood(path, before ?? "");
  const after = withSettings(before ?? HEAD, edits);
  requireGood(path, after);
  return { what: "settings", path, before, after };
}

function requireGood(file: string, text: string): void {
  const [problem] = parseConfig({ file, bytes: new TextEncoder().encode(text), scope: "user" }).problems;
  if (problem === undefined) return;
  throw new UserError("invalid-config", showProblem(problem), `fix ${file}, then: signalbox setup`);
}

const MODE = 0o644;

/** Whole or not at all. Where the name is a link, as those of many dotfiles are, the file behind it is replaced. */
function write({ path, before, after }: FileChange): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = before === undefined ? path : realpathSync(path);
  const mode = before === undefined ? MODE : statSync(file).mode & 0o777;
  const aside = `${file}.${process.pid}.${newName()}.new`;
  try {
    writeFileSync(aside, after, { mode, flag: "wx" });
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}
