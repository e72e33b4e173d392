/** Processes that outlive us, each under a shim of a few lines of shell: `bin/shim.sh`. */

import {
  readdirSync,
  realpathSync,
  unlinkSync,
  closeSync,
  constants,
  ftruncateSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Process, Processes } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import { codeOf } from "../files/errno.ts";
import { claimFolder, clearWay } from "../home/clear-way.ts";
import type { Env, Home } from "../home/paths.ts";
import { closeSession, removeWindow } from "../terminal/close.ts";
import { dropErrands } from "../terminal/errand.ts";
import { Holds } from "../terminal/hold.ts";
import { judge } from "../terminal/judge.ts";
import { tellPane } from "../terminal/tell.ts";
import { hasTmux } from "../terminal/tmux.ts";
import { Children } from "./children.ts";
import { endAll } from "./end.ts";
import {
  aliveIn,
  claim,
  dropExit,
  endIn,
  exitIn,
  identityIn,
  LOG,
  makePrivate,
  probeFolder,
  writeExit,
} from "./folder.ts";
import { launchShim } from "./launch.ts";
import { markOf } from "./marker.ts";
import { startOf } from "./table.ts";
import { newName } from "../home/new-name.ts";
import { openOwn } from "../home/own-file.ts";

export type ProcessOptions = {
  readonly home: Home;
  /** Where tmux is looked for, and what its server may know. */
  readonly env?: Env;
  /** Between asking to end and ending. */
  readonly graceMs?: number;
  /** How long a launch waits for its shim to be seen. */
  readonly launchMs?: number;
  /** How long a claim is believed without looking for its shim. */
  readonly startingMs?: number;
  readonly logBytesMax?: number;
  /** Between a text and Enter. */
  readonly pauseMs?: number;
  /** A shim that we started is gone: it reports a moment before that. */
  readonly onEnd?: () => void;
};

/** A shim that has said how its program ended goes by itself, a moment later. */
const LEAVING_MS_MAX = 1000;

/** As if by SIGKILL. */
const KILLED = 137;

export function shimProcesses(on: ProcessOptions): Processes {
  const { home, env = process.env, graceMs = 3000, launchMs = 5000, startingMs = 2000 } = on;
  const { logBytesMax = 8 * 1024 * 1024, pauseMs = 300, onEnd = () => undefined } = on;
  const children = new Children(onEnd);
  const holds = new Holds();
  const terminals = { home, env };
  const lookHere = (folder: string): Process => {
    const told = holds.told(folder)?.shim;
    if (told !== undefined) return probeKnown(folder, told);
    return children.probe(folder) ?? probeFolder(folder, startingMs);
  };
  const look = (folder: string): Process => {
    const seen = lookHere(folder);
    const hold = holds.of(folder);
    return hold === undefined
      ? seen
      : judge(terminals, { folder, hold, seen, again: () => lookHere(folder) });
  };
  const probe = (dir: string): Process => {
    const folder = realOf(dir);
    return folder === undefined ? { type: "absent" } : look(folder);
  };
  /** A status that the program has forged itself keeps us for a moment, and no longer. */
  const letLeave = async (folder: string): Promise<Process> => {
    const giveUpAt = performance.now() + LEAVING_MS_MAX;
    for (;;) {
      const seen = look(folder);
      const isLeaving = seen.type === "alive" && exitIn(folder) !== undefined;
      if (!isLeaving || performance.now() > giveUpAt) return seen;
      await pause(10);
    }
  };
  return {
    probe,
    async launch(launch) {
      claimFolder(home, home.exits);
      makePrivate(launch.dir);
      const dir = realpathSync(launch.dir);
      return launchShim({ ...launch, dir }, { home, env, children, holds, launchMs, probe: look });
    },
    async kill({ dir }) {
      makePrivate(dir);
      const folder = realpathSync(dir);
      const found = look(folder);
      failpoint("process.before-kill");
      // A shim that comes later finds the claim and leaves.
      claim(folder);
      const before = found.type === "alive" ? await letLeave(folder) : found;
      const since = children.startOf(folder);
      await endAll({ mark: markOf(folder), graceMs, since, leader: () => identityIn(folder) });
      failpoint("process.after-kill");
      await children.told(folder);
      const after = look(folder);
      dropErrands(folder);
      // A status that its shim did not end with is a forged one; and what was lost has not ended by itself.
      const isNone = after.type === "lost" || before.type === "lost";
      if (isNone && exitIn(folder) !== undefined) dropExit(folder);
      // What was lost before stays lost: a later caller must still learn that we did not end it.
      if (before.type === "lost" && before.infrastructure) return before;
      const hold = holds.of(folder);
      if (before.type === "lost" || before.type === "ended") {
        // Its window stays, to be read.
        holds.forget(folder);
        return before;
      }
      children.forget(folder);
      writeExit(folder, KILLED);
      holds.forget(folder);
      if (hold !== undefined) await removeWindow(terminals, hold);
      return before;
    },
    reported() {
      const ids = namesIn(home.exits);
      failpoint("process.before-forget");
      for (const id of ids) forget(home, id);
      failpoint("process.after-forget");
      return ids;
    },
    hasTerminals: () => hasTmux(env),
    async tell({ dir }, text) {
      const folder = realOf(dir);
      const hold = folder === undefined ? undefined : holds.of(folder);
      if (folder === undefined || hold === undefined || look(folder).type !== "alive") return "gone";
      return tellPane(terminals, { hold, text, pauseMs });
    },
    close: (session) => closeSession(terminals, session),
    rotate(dir) {
      rotateLog(join(dir, LOG), logBytesMax);
    },
  };
}

/** Of a shim that has no other name. */
function probeKnown(
  folder: string,
  { pid, start }: { readonly pid: number; readonly start: string },
): Process {
  return startOf(pid) === start ? aliveIn(folder, pid) : endIn(folder, false);
}

/** Whatever it is, it does not stand here twice, and it is no reason to stop. */
function forget(home: Home, id: string): void {
  const file = join(home.exits, id);
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") clearWay(home, file, "it is no exit status");
  }
}

function realOf(dir: string): string | undefined {
  try {
    return realpathSync(dir);
  } catch {
    // It was never made.
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The first launch makes it.
    return [];
  }
}

const CHUNK_BYTES = 1024 * 1024;
/** How many times the limit is kept of a log that grew faster than anybody looked. */
const KEPT = 2;

/**
 * Keeps a log from growing for ever.
 *
 * The program has the file open, so it cannot be moved away: what it holds is copied, then the file is cut off in place; the
 * program goes on at its new end. What it writes in the moment between the two is lost; nothing else is.
 */
function rotateLog(log: string, bytesMax: number): void {
  const size = lstatSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= bytesMax) return;
  failpoint("process.before-rotate");
  const opened = openOwn(log, constants.O_RDWR);
  // A file that has replaced it is not cut: it may be a link to a file of a person.
  if (opened.type !== "open") return;
  const from = opened.fd;
  const kept = `${log}.1.${newName()}.new`;
  const to = openSync(kept, "wx", 0o600);
  try {
    const at = copyOn(Math.max(0, fstatSync(from).size - KEPT * bytesMax), { from, to });
    renameSync(kept, `${log}.1`);
    failpoint("process.between-rotate");
    // Last, what was written while we copied.
    copyOn(at, { from, to });
    ftruncateSync(from, 0);
  } finally {
    closeSync(from);
    closeSync(to);
    rmSync(kept, { force: true });
  }
  failpoint("process.after-rotate");
}

function copyOn(start: number, { from, to }: { readonly from: number; readonly to: number }): number {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  // A program that writes faster than we copy does not keep us here for ever.
  const end = fstatSync(from).size + CHUNK_BYTES;
  let at = start;
  for (let read = -1; read !== 0 && at < end; at += read) {
    read = readSync(from, chunk, 0, chunk.length, at);
    for (let written = 0; written < read;) written += writeSync(to, chunk, written, read - written);
  }
  return at;
}
