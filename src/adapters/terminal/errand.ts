/**
 * What the first program of a window does, as a file for `bin/window.sh`: it becomes the shim with the environment and the arguments
 * of the launch.
 *
 * The file is ours alone and is empty before the program starts. In arguments, every user could read the keys in it, and tmux takes
 * only some kilobytes of them.
 */

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Launch } from "../../engine/ports/process.ts";
import { codeOf } from "../files/errno.ts";
import { newName } from "../home/new-name.ts";
import { LOG } from "../process/folder.ts";

export type Errand = {
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  /** The shim and its arguments. */
  readonly shim: readonly string[];
};

/** The terminal says these. */
const OF_TERMINAL = new Set(["TERM", "TMUX", "TMUX_PANE"]);
const PREFIX = "window.";

/** The path of the file. Each has a name of its own: somebody else may be about to launch the same. */
export function writeErrand(errand: Errand): string {
  const { dir } = errand.launch;
  const file = join(dir, `${PREFIX}${newName()}`);
  makeLog(join(dir, LOG));
  writeFileSync(file, textOf(errand, file), { mode: 0o600, flag: "wx" });
  return file;
}

/** Never a link that somebody has put there, and nothing that others may read. Made by whoever comes first. */
function makeLog(log: string): void {
  try {
    writeFileSync(log, "", { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Also of windows that never came to read them. */
export function dropErrands(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(PREFIX)) rmSync(join(folder, name), { recursive: true, force: true });
}

function textOf({ launch, env, shim }: Errand, file: string): string {
  return [
    `cd ${quote(launch.cwd)} && unset OLDPWD || exit 1`,
    ...Object.entries(env)
      .filter(([name]) => !OF_TERMINAL.has(name))
      .map(([name, value]) => `export ${name}=${quote(value)}`),
    // Read as one before any of it is done: after it there is nothing left to read. Taking the file away would take a process.
    `{ : >${quote(file)}; exec /bin/sh ${shim.map(quote).join(" ")}; }`,
    "",
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
