/**
 * What the first program of a window does, as a file for `bin/window.sh`: it says whose the pane is, has its output logged, and
 * becomes the shim with the environment and the arguments of the launch.
 *
 * Done by the window itself, nothing is between the log and the first byte, and nobody has to be there to open a gate. The file is
 * ours alone and is gone before the program starts. In arguments, every user could read the keys in it, and tmux takes only some
 * kilobytes of them.
 */

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Launch, Window } from "../../engine/ports/process.ts";
import { codeOf } from "../files/errno.ts";
import { newName } from "../home/new-name.ts";
import { LOG } from "../process/folder.ts";
import { keyOf } from "./names.ts";

export type Errand = {
  readonly launch: Launch;
  readonly window: Window;
  readonly env: Readonly<Record<string, string>>;
  readonly tmux: string;
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

/** Of windows that never came to read them. */
export function dropErrands(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(PREFIX)) rmSync(join(folder, name), { recursive: true, force: true });
}

function textOf({ launch, window, env, tmux, shim }: Errand, file: string): string {
  const set = (name: string, value: string, flags: string): string =>
    `set-option ${flags} -t "$TMUX_PANE" ${name} ${quote(value)} \\;`;
  const log = join(launch.dir, LOG);
  return [
    // Beside the rest, which takes as long; nobody is started before it is over.
    `command -p rm -f ${quote(file)} &`,
    // Somebody may just have let the server go.
    `${quote(tmux)} set-option -s exit-empty off \\; ${set("@signalbox_session", window.session, "")} \\`,
    `  ${set("@signalbox_job", launch.id, "-p")} \\`,
    `  ${set("@signalbox_run", window.session, "-p")} \\`,
    `  ${set("@signalbox_key", keyOf(window.name), "-p")} \\`,
    `  pipe-pane -t "$TMUX_PANE" ${quote(`exec cat >>"$(printf '${octal(log)}')"`)} || exit 1`,
    "wait",
    `cd ${quote(launch.cwd)} && unset OLDPWD || exit 1`,
    ...Object.entries(env)
      .filter(([name]) => !OF_TERMINAL.has(name))
      .map(([name, value]) => `export ${name}=${quote(value)}`),
    `exec /bin/sh ${shim.map(quote).join(" ")}`,
    "",
  ].join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Safe in a format of tmux, which runs commands, and in the shell that it starts. */
function octal(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const sign = String.fromCharCode(byte);
    return /[A-Za-z0-9/._-]/.test(sign) ? sign : `\\${byte.toString(8).padStart(3, "0")}`;
  }).join("");
}
