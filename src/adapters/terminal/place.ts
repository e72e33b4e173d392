/**
 * Where the terminal server of a state home is reached, and what it is told at its start.
 *
 * The path of a socket has some hundred bytes. Where the state home is too long for it, the socket is in a short folder that is
 * ours alone, and the state home says which: the next process may have another environment.
 */

import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../../format/sha256.ts";
import { codeOf } from "../files/errno.ts";
import { claimFolder } from "../home/clear-way.ts";
import { writePrivate } from "../home/folders.ts";
import { textOfOwn } from "../home/own-file.ts";
import type { Env, Home } from "../home/paths.ts";
import { UserError } from "../user-error.ts";

export type TmuxPlace = { readonly socket: string; readonly config: string; readonly server: string };

const SOCKET_BYTES_MAX = 100;
const TEXT_BYTES_MAX = 4096;
const DIGITS = 16;
const EXIT_FAILED = 1;

/**
 * Nobody's focus, title or clipboard changes because of us, and what a dead program left can be read. The server stays when somebody
 * closes its last window: an agent that was ended so must not look as if its server had died. It is let go with the last session.
 * That a program has ended is told in the status line: written below it, as tmux does, it would push what is to be read off a smaller terminal.
 */
const CONFIG = `# Written by signalbox before it starts a server; changes are lost.
set -sq exit-empty off
set -sq escape-time 0
set -sq set-clipboard off
set -sq default-terminal screen-256color
set -gq update-environment ""
set -gq remain-on-exit on
set -gq remain-on-exit-format ""
set -gq history-limit 50000
set -gq default-size 200x50
set -gq destroy-unattached off
set -gq set-titles off
set -gq status-interval 0
set -gq status-left-length 60
set -gq status-left "#{session_name} "
set -gq status-right-length 60
set -gq status-right "#{?pane_dead,ended: #{?pane_dead_signal,signal #{pane_dead_signal},exit code #{pane_dead_status}},}"
set -gwq aggressive-resize on
set -gwq automatic-rename off
set -gwq allow-rename off
set -gwq allow-passthrough off
`;

/** Undefined where no terminal was ever opened. Changes nothing. */
export function findPlace(home: Home): TmuxPlace | undefined {
  if (lstatSync(home.terminals, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const folder = realpathSync(home.terminals);
  const near = placeIn(folder, folder);
  if (isShort(near.socket)) return near;
  const far = textOfOwn(join(folder, "elsewhere"), TEXT_BYTES_MAX)?.trim() ?? "";
  return far.startsWith("/") && isOurs(far) ? placeIn(folder, far) : undefined;
}

export function makePlace(home: Home, env: Env): TmuxPlace {
  claimFolder(home, home.terminals);
  const folder = realpathSync(home.terminals);
  const near = placeIn(folder, folder);
  const place = isShort(near.socket) ? near : placeIn(folder, elsewhere(folder, env));
  if (textOfOwn(place.config) !== CONFIG) writePrivate(place.config, CONFIG);
  return place;
}

/** Makes the folder of a socket again that somebody has tidied away. */
export function mendFolder({ socket }: TmuxPlace): void {
  makeOurs(socket.slice(0, socket.lastIndexOf("/")));
}

function placeIn(folder: string, sockets: string): TmuxPlace {
  return {
    socket: join(sockets, "socket"),
    config: join(folder, "tmux.conf"),
    server: join(folder, "server"),
  };
}

function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_BYTES_MAX;
}

function elsewhere(folder: string, env: Env): string {
  const note = join(folder, "elsewhere");
  const noted = textOfOwn(note, TEXT_BYTES_MAX)?.trim() ?? "";
  const name = `signalbox-${sha256(folder).slice(0, DIGITS)}`;
  const above = [env["XDG_RUNTIME_DIR"] ?? "", tmpdir(), "/tmp"].filter((path) => path.startsWith("/"));
  for (const path of [noted, ...above.map((each) => join(each, name))]) {
    if (!path.startsWith("/") || !isShort(join(path, "socket")) || !makeOurs(path)) continue;
    if (path !== noted) writePrivate(note, `${path}\n`);
    return path;
  }
  throw new UserError(
    "no-socket",
    `The path of ${folder} is too long for a socket, and there is no shorter folder of ours: ${name} in ${above.join(", ")} cannot be made, or is somebody else's.`,
    { next: "set SIGNALBOX_HOME to a folder with a short path", exit: EXIT_FAILED },
  );
}

/** Whether it is there now, and nobody else can reach into it. */
function makeOurs(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
  return isOurs(path);
}

/** In a folder that everybody may write to, somebody else could have made it first. */
function isOurs(path: string): boolean {
  const seen = lstatSync(path, { throwIfNoEntry: false });
  return seen?.isDirectory() === true && seen.uid === process.getuid?.() && (seen.mode & 0o077) === 0;
}
