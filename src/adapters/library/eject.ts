/** Copies a built-in workflow to where it overrides: all of it, or nothing. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, sep } from "node:path";
import { closest } from "../../core/text/closest.ts";
import { UserError } from "../user-error.ts";
import { codeOf, unreadable } from "../files/errno.ts";
import { builtInWorkflows, overridesIn, signalboxFolder, type SearchPlace } from "./find.ts";
import { packageRoot } from "./package.ts";

export type Ejected = { readonly name: string; readonly folder: string; readonly schema: string };

const SCHEMA_FILE = "workflow-1.schema.json";

export function ejectWorkflow(name: string, where: SearchPlace): Ejected {
  const builtIn = builtInWorkflows();
  const found = builtIn.find((workflow) => workflow.name === name);
  if (found === undefined)
    throw notBuiltIn(
      name,
      builtIn.map((workflow) => workflow.name),
    );
  const signalbox = signalboxFolder(where);
  const folder = join(overridesIn(signalbox), name);
  const schema = join(signalbox, "schema", SCHEMA_FILE);
  const ours = join(packageRoot(), "schema", SCHEMA_FILE);
  for (const parent of [signalbox, dirname(folder), dirname(schema)])
    requireFolder(parent, dirname(signalbox));
  if (isThere(folder)) throw exists(folder);
  const hasSchema = isThere(schema);
  if (hasSchema && !isSame(schema, ours)) throw exists(schema);
  try {
    write({ from: found.folder, folder, schema: hasSchema ? undefined : schema, ours });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const next = `ls -ld ${dirname(signalbox)}`;
    throw new UserError(
      "not-written",
      `${folder} cannot be written: ${unreadable(folder, error).message.split(": ").at(-1) ?? ""}`,
      next,
    );
  }
  return { name, folder, schema };
}

/** The folder appears with one rename: nobody ever finds half a workflow under its name. */
function write(on: { from: string; folder: string; schema: string | undefined; ours: string }): void {
  mkdirSync(dirname(on.folder), { recursive: true });
  const draft = `${dirname(on.folder)}/.eject-${process.pid}`;
  try {
    cpSync(on.from, draft, { recursive: true, errorOnExist: true, force: false });
    if (on.schema !== undefined) {
      mkdirSync(dirname(on.schema), { recursive: true });
      copyFileSync(on.ours, on.schema);
    }
    renameSync(draft, on.folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** What is there already must be a folder of this repository: nothing is written through a link to elsewhere. */
function requireFolder(path: string, repository: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  if (!stats.isSymbolicLink())
    throw new UserError(
      "no-folder",
      `${path} is there and is no folder; nothing was written`,
      `mv ${path} ${path}~`,
    );
  const place = targetOf(path);
  if (place !== undefined && `${place}${sep}`.startsWith(`${realpathSync.native(repository)}${sep}`)) return;
  const target = place === undefined ? "to what is no folder" : `out of the repository, to ${place}`;
  throw new UserError(
    "leads-out",
    `${path} is a link that leads ${target}; nothing was written`,
    `ls -ld ${path}`,
  );
}

/** The folder that a link leads to, if it leads to one. */
function targetOf(link: string): string | undefined {
  try {
    const place = realpathSync.native(link);
    return lstatSync(place).isDirectory() ? place : undefined;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    // Whatever the reason, there is no folder behind it.
    return undefined;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isSame(a: string, b: string): boolean {
  return existsSync(a) && lstatSync(a).isFile() && readFileSync(a).equals(readFileSync(b));
}

function exists(path: string): UserError {
  return new UserError("exists", `${path} is there already; nothing was written`, `mv ${path} ${path}~`);
}

function notBuiltIn(name: string, names: readonly string[]): UserError {
  const near = closest(name, names);
  const hint = near === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError(
    "unknown-workflow",
    `there is no built-in workflow "${name}"${hint}`,
    "signalbox workflows",
  );
}
