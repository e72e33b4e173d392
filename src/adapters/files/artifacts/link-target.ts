/**
 * Where paths that a workflow names lead: to a file of the workspace, by themselves or through links. A link that leads anywhere else is not
 * followed, and that is said.
 */

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Lead, Place } from "../../../engine/ports/files.ts";
import { codeOf } from "../errno.ts";
import { inFolder } from "../replace/folder.ts";

export function leadsIn({ root }: Pick<Place, "root">, files: readonly string[]): readonly Lead[] {
  const named = [...new Set(files.map((file) => file.replace(/^(?:\.\/)+/, "")))];
  return named.flatMap((file) => leadOf(root, file) ?? []);
}

/** Undefined where nothing is there. */
export function leadOf(root: string, file: string): Lead | undefined {
  const looked = inFolder({ root, file }, (folder, name) =>
    kindOf(() => lstatSync(folder.at(name), { throwIfNoEntry: false })),
  );
  if (looked.type === "missing") return undefined;
  if (looked.type === "refused") return { file, reason: looked.reason };
  if (looked.value === "link") return { file, ...targetOf(root, file) };
  return looked.value === "file" ? { file, to: file } : undefined;
}

type Stat = { isFile(): boolean; isSymbolicLink(): boolean };

function kindOf(look: () => Stat | undefined): "file" | "link" | "other" {
  try {
    const stat = look();
    return stat?.isSymbolicLink() === true ? "link" : stat?.isFile() === true ? "file" : "other";
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return "other";
  }
}

function targetOf(root: string, file: string): { readonly to: string } | { readonly reason: string } {
  try {
    const path = realpathSync(join(root, file));
    const to = relative(realpathSync(root), path).split(sep).join("/");
    // What git keeps for itself is no file of the work.
    if (/^\.\.(?:\/|$)|^\/|^\.git(?:\/|$)/.test(to))
      return { reason: "is a link that leads out of the workspace" };
    return statSync(path).isFile() ? { to } : { reason: "is a link that leads to no ordinary file" };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { reason: "is a link that leads to nothing" };
  }
}
