/** Where a program is, as whoever starts it would find it. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Its path, or undefined where there is none that we may run. */
export function programAt(name: string, path: string): string | undefined {
  if (name.includes("/")) return isProgram(name) ? name : undefined;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Why there is none, and what would help. One that is called by its path is not looked for elsewhere. */
export function lackOf(name: string): { readonly why: string; readonly next: string } {
  if (!name.includes("/")) return { why: "is not installed, or not on the PATH", next: "install it" };
  if (!existsSync(name)) return { why: "is not there", next: "put it there" };
  return { why: "may not be executed", next: `chmod +x '${name.replaceAll("'", String.raw`'\''`)}'` };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us: either way it cannot be started.
    return false;
  }
}
