/** Where a run is to begin: a repository that is trusted, with settings that can be used, and a workflow that is proven. */

import { join, sep } from "node:path";
import type { SettingsFile } from "../../adapters/config/read.ts";
import { listWorkflows } from "../../adapters/library/find.ts";
import { EXIT_UNTRUSTED } from "../../adapters/trust/content.ts";
import { repositoryOf as treeOf } from "../../adapters/trust/repository.ts";
import { requireSound } from "../../adapters/trust/trust.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import type { Acting } from "../context.ts";
import { requireClean } from "../workflows/check.ts";
import type { Invocation } from "../invocation.ts";
import { projectFolder } from "../setup/repository.ts";
import { rememberNames } from "../runs/environment.ts";
import { requireWorkflow, type Loaded } from "../workflows/load.ts";

export type Site = {
  readonly loaded: Extract<Loaded, { ok: true }>;
  /** Real path of the main working tree. */
  readonly repo: string;
  /** The working tree that somebody stands in. */
  readonly tree: string;
  readonly base: string;
  /** The branch that is checked out where somebody stands; empty for none. */
  readonly branch: string;
  readonly settings: Settings;
  /** Parameters of the workflow that settings have a value for. */
  readonly set: Readonly<Record<string, Literal>>;
};

/** `cwd` is where somebody stands, or the repository that was named. Nothing has begun when this throws. */
export async function siteOf(on: Acting, wanted: string, cwd: string): Promise<Site> {
  const { box } = on;
  const at = await projectFolder(box.store, { ...on.door, cwd });
  const door = { ...on.door, cwd: at };
  // Before anything of the repository is read that could make something run.
  const { main, tree } = treeOf(at);
  await requireSound({ store: box.store, env: door.env }, main);
  const loaded = await requireWorkflow(wanted, door);
  requireTrusted(loaded, main);
  await requireClean(box.store, loaded, wanted);
  const { repositoryOf } = await import("../../adapters/git/repository/repository.ts");
  const { path: repo, head: base, branch } = await repositoryOf(at, door.env);
  const { readSettings } = await import("../../adapters/config/read.ts");
  // Settings that cannot be used are told before anything has begun.
  const settings = await readSettings({ repo, env: door.env, store: box.store });
  const set = await setIn(door, loaded, settings.layers);
  rememberNames(on.home, settings);
  return { loaded, repo, tree, base, branch, settings, set };
}

/** Most have no settings for workflows, and pay nothing for them. */
async function setIn(
  door: Invocation,
  { workflow }: Extract<Loaded, { ok: true }>,
  layers: readonly SettingsFile[],
): Promise<Site["set"]> {
  if (layers.every(({ config }) => config.workflows === undefined)) return {};
  const { setParams, strayWorkflows } = await import("../../adapters/config/workflow.ts");
  const { refuseProblems } = await import("../../adapters/config/read.ts");
  const known = listWorkflows(door).map(({ name }) => name);
  const { values, problems } = setParams(workflow.definition, layers);
  refuseProblems([...problems, ...strayWorkflows(layers, known).problems]);
  return Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));
}

/**
 * Only what a person has trusted runs: built in, or part of the main working tree's `.signalbox`. In a worktree, a workflow may
 * have been written by an agent; a file anywhere else was never shown by `trust`.
 */
function requireTrusted({ found, name }: Extract<Loaded, { ok: true }>, main: string): void {
  const own = join(main, ".signalbox", sep);
  if (found.from === "built-in" || found.folder.startsWith(own)) return;
  throw new UserError(
    "untrusted",
    `the workflow ${name} in ${found.folder} is not part of what was trusted`,
    {
      next:
        found.from === "path" ? `copy it to ${own}workflows/${name}, then: signalbox trust` : `cd ${main}`,
      exit: EXIT_UNTRUSTED,
    },
  );
}
