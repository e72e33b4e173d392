/** The place of the state home, looked at before anything is made there: what is in its way is a mistake that is easily made. */

import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../files/errno.ts";
import { UserError } from "../user-error.ts";
import type { Env, Home } from "./paths.ts";

export function requireRoot({ root }: Home, env: Env): void {
  const why = whyNoFolder(root);
  if (why === undefined) return;
  const name = variableOf(root, env);
  throw new UserError(
    "no-home",
    `${name} says that runs are kept in ${root}, but ${why}`,
    `export ${name}=..., with a folder of your own, or one that is not there yet`,
  );
}

/** The variable that it comes from. */
function variableOf(root: string, env: Env): string {
  if (env["SIGNALBOX_HOME"] === root) return "SIGNALBOX_HOME";
  return env["XDG_STATE_HOME"]?.startsWith("/") === true ? "XDG_STATE_HOME" : "HOME";
}

function whyNoFolder(root: string): string | undefined {
  for (let path = root; ; path = dirname(path)) {
    const what = whatIsAt(path);
    if (what !== undefined)
      return what === "a folder" ? undefined : `${path === root ? "that" : path} is ${what}`;
    if (dirname(path) === path) return undefined;
  }
}

/** Undefined where nothing is. */
function whatIsAt(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined)
      return lstatSync(path, { throwIfNoEntry: false }) === undefined
        ? undefined
        : "a link that leads nowhere";
    if (stats.isDirectory()) return "a folder";
    return stats.isFile() ? "a file" : "no folder";
  } catch (error) {
    switch (codeOf(error)) {
      case "ENOTDIR":
        // Told of what is above it.
        return undefined;
      case "ELOOP":
        return "a link that leads in a circle";
      case "ENAMETOOLONG":
        return "too long a name";
      case "EACCES":
        return "behind a folder that you may not look into";
      case undefined:
        throw error;
    }
    throw error;
  }
}
