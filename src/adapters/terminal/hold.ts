/**
 * Which pane of which server a job has: as its shim has written it down, or as the server told whoever opened the window.
 *
 * The program can write into the folder, too; what the server told counts more.
 */

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { textOfOwn } from "../home/own-file.ts";
import { identityIn } from "../process/folder.ts";
import { isServerAlive, type Server } from "./tmux.ts";

export type Hold = { readonly pane: string; readonly server: Server; readonly shim: Shim | undefined };
type Shim = { readonly pid: number; readonly start: string };

const NOTE = "terminal";
const BYTES_MAX = 256;

/** The session of a run: while its server lives, no other one ever gets this id. */
type TmuxSession = { readonly server: Server; readonly session: string };

export class Holds {
  readonly #told = new Map<string, Hold>();
  readonly #sessions = new Map<string, TmuxSession>();

  keepSession(run: string, { server, session }: TmuxSession): void {
    this.#sessions.set(run, { server, session });
  }

  /** Where the last window of a run was opened. It may be closed by now. */
  sessionOf(run: string): string | undefined {
    const known = this.#sessions.get(run);
    if (known !== undefined && isServerAlive(known.server)) return known.session;
    this.#sessions.delete(run);
    return undefined;
  }

  /** The window that we opened is the one whose shim made the claim. */
  keep(folder: string, hold: Hold): void {
    this.#told.set(folder, hold);
  }

  /** Undefined for a job without a terminal. */
  of(folder: string): Hold | undefined {
    return this.#told.get(folder) ?? heldIn(folder);
  }

  told(folder: string): Hold | undefined {
    return this.#told.get(folder);
  }

  /** It is over, and was looked at: from now on its server says nothing about it. */
  forget(folder: string): void {
    this.#told.delete(folder);
    rmSync(join(folder, NOTE), { recursive: true, force: true });
  }
}

function heldIn(folder: string): Hold | undefined {
  const [pane = "", pid = "", start = "", end] = textOfOwn(join(folder, NOTE), BYTES_MAX)?.split("\n") ?? [];
  if (!/^%\d+$/.test(pane) || !/^[1-9]\d*$/.test(pid) || start === "" || end !== "") return undefined;
  const server = { pid: Number(pid), start: start.trim().split(/\s+/).join(" ") };
  return { pane, server, shim: identityIn(folder) };
}

/** Whether its terminal went away while it lived. */
export function wasHungUp(folder: string): boolean {
  return existsSync(join(folder, "hup"));
}
