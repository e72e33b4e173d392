/**
 * Finds workflows: by path, or by name in the repository's `.signalbox/workflows` and then among the built-in ones.
 *
 * Only looks at names and kinds of files; `read` opens them.
 */

import { isTree } from "../trust/repository.ts";
import { readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { closest } from "../../core/text/closest.ts";
import { codeOf, unreadable } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import { packageRoot } from "./package.ts";

export type SearchPlace = { readonly cwd: string; readonly home: string };

export type FoundWorkflow = {
  /** The folder's name, or the file's without its ending. */
  readonly name: string;
  /** Real path of the folder that holds the file and its prompts. */
  readonly folder: string;
  readonly file: string;
  /** *built-in* and *override* were looked up by name; *path* was named as such. */
  readonly from: "built-in" | "override" | "path";
  /** One of a list: what cannot be read of it is a problem of its own and must not hide the others. */
  readonly isListed?: true;
};

const WORKFLOW_FILE = "workflow.yaml";
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;

export function findWorkflow(wanted: string, where: SearchPlace): FoundWorkflow {
  if (wanted === "")
    throw new UserError("bad-usage", "the name of a workflow is empty", "signalbox workflows");
  if (NAME.test(wanted) && !/\.ya?ml$/.test(wanted)) {
    const named = findNamed(wanted, where);
    if (named !== undefined) return named;
    if (look(resolve(where.cwd, wanted)) === undefined) throw unknownName(wanted, where);
  }
  return findPath(wanted, where);
}

/** Undefined where no workflow has the name. Looks only where it would be: most calls name one workflow, and a list would open every folder. */
export function findNamed(name: string, where: SearchPlace): FoundWorkflow | undefined {
  if (!NAME.test(name)) return undefined;
  const override = workflowIn(overridesIn(signalboxFolder(where)), name, "override");
  return override ?? workflowIn(builtInFolder(), name, "built-in");
}

/** Every workflow that has a name here; an override hides the built-in one. */
export function listWorkflows(where: SearchPlace): FoundWorkflow[] {
  const overrides = namedIn(overridesIn(signalboxFolder(where)), "override");
  const hidden = new Set(overrides.map(({ name }) => name));
  const builtIn = builtInWorkflows().filter(({ name }) => !hidden.has(name));
  return [...overrides, ...builtIn].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Names only: whether each is a workflow shows when it is opened. */
export function workflowNames(where: SearchPlace): readonly string[] {
  const folders = [overridesIn(signalboxFolder(where)), builtInFolder()];
  return [...new Set(folders.flatMap(namesIn))].filter((name) => NAME.test(name));
}

export function builtInWorkflows(): FoundWorkflow[] {
  return namedIn(builtInFolder(), "built-in");
}

function builtInFolder(): string {
  return join(packageRoot(), "workflows");
}

export function overridesIn(signalbox: string): string {
  return join(signalbox, "workflows");
}

/** The nearest `.signalbox` of this repository; where there is none yet, the one that its root would have. */
export function signalboxFolder({ cwd, home }: SearchPlace): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (look(join(folder, ".signalbox"))?.isDirectory() === true) return join(folder, ".signalbox");
    if (isTree(folder)) return join(folder, ".signalbox");
    // What lies above a home belongs to somebody else.
    if (folder === home || dirname(folder) === folder) return join(cwd, ".signalbox");
  }
}

function namedIn(folder: string, from: "built-in" | "override"): FoundWorkflow[] {
  const names = namesIn(folder).filter((name) => NAME.test(name));
  return names.flatMap((name) => listed(folder, name, from) ?? []);
}

function listed(folder: string, name: string, from: "built-in" | "override"): FoundWorkflow | undefined {
  try {
    const found = workflowIn(folder, name, from);
    return found === undefined ? undefined : { ...found, isListed: true };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // It is there under its name; reading it tells what is wrong.
    return { name, folder: join(folder, name), file: WORKFLOW_FILE, from, isListed: true };
  }
}

function workflowIn(folder: string, name: string, from: "built-in" | "override"): FoundWorkflow | undefined {
  if (look(join(folder, name, WORKFLOW_FILE)) === undefined) return undefined;
  return { name, folder: real(join(folder, name)), file: WORKFLOW_FILE, from };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw unreadable(folder, error);
  }
}

function findPath(wanted: string, { cwd }: SearchPlace): FoundWorkflow {
  const path = resolve(cwd, wanted);
  const stats = look(path);
  if (stats === undefined)
    throw new UserError("not-found", `there is no file or folder ${wanted}`, "signalbox workflows");
  const place = real(path);
  if (!stats.isDirectory())
    return {
      name: basename(place).replace(/\.ya?ml$/, ""),
      folder: dirname(place),
      file: basename(place),
      from: "path",
    };
  if (look(join(place, WORKFLOW_FILE)) === undefined) {
    throw new UserError("no-workflow", `the folder ${wanted} has no ${WORKFLOW_FILE}`, "signalbox workflows");
  }
  return { name: basename(place), folder: place, file: WORKFLOW_FILE, from: "path" };
}

function unknownName(wanted: string, where: SearchPlace): UserError {
  const names = listWorkflows(where).map(({ name }) => name);
  const near = closest(wanted, names);
  const hint = near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-workflow", `there is no workflow "${wanted}"${hint}`, "signalbox workflows");
}

/** What is there, if anything is. Whether it may be opened shows when it is. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENAMETOOLONG") return undefined;
    throw unreadable(path, error);
  }
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}
