/**
 * What a job in a terminal is, by its folder, its process, and the word of its server.
 *
 * A server that is gone took its programs with it: that says nothing about them. While it lives, it knows how a shim ended, and no
 * program can write that.
 */

import type { Process } from "../../engine/ports/process.ts";
import { codeOf } from "../files/errno.ts";
import { hasTerminal } from "../process/table.ts";
import { wasHungUp, type Hold } from "./hold.ts";
import { panesNow, type Pane } from "./panes.ts";
import { isServerAlive, standStill, type TmuxAccess } from "./tmux.ts";

const LOST: Process = { type: "lost", infrastructure: false };
const SERVER_LOST: Process = { type: "lost", infrastructure: true };
/** Statuses above are those of signals. */
const STATUS_MAX = 128;
/** A server notices the end of a program a moment later than we do. */
const LOOKS_MAX = 50;
const LOOK_MS = 10;

export type Case = {
  readonly folder: string;
  readonly hold: Hold;
  /** What folder and process say; and if they are asked again. */
  readonly seen: Process;
  readonly again: () => Process;
};

export function judge(on: TmuxAccess, { folder, hold, seen, again }: Case): Process {
  switch (seen.type) {
    case "absent":
    case "starting":
      return seen;
    case "alive":
      return isServerAlive(hold.server) && hasTerminal(seen.pid)
        ? seen
        : withoutTerminal(on, { folder, hold, seen, again });
    case "lost":
      return !seen.infrastructure && serversWord(on, hold) === "gone" ? SERVER_LOST : seen;
    case "ended":
      return ended(seen, serversWord(on, hold), folder);
  }
}

/** Its window was closed, and it goes on, so that nobody can see or tell it anything; or it is just about to end. */
function withoutTerminal(on: TmuxAccess, { folder, hold, again }: Case): Process {
  const word = serversWord(on, hold);
  if (word === "gone") return SERVER_LOST;
  if (word === "closed") return LOST;
  const now = again();
  return now.type === "ended" ? ended(now, word, folder) : now;
}

function ended(seen: Process & { type: "ended" }, word: Word, folder: string): Process {
  if (word === "gone") return seen.code > STATUS_MAX || wasHungUp(folder) ? SERVER_LOST : seen;
  // Whoever closes a window over a program has ended it, whatever that says about itself.
  if (word === "closed") return wasHungUp(folder) ? LOST : seen;
  if (word === "silent" || !word.isDead) return seen;
  // Somebody killed the shim, or has written another status than the one it ended with.
  return word.status === seen.code ? seen : LOST;
}

/** `gone`: it is another server now, or none, or it is about to end. `closed`: the window is no longer there. */
type Word = Pane | "gone" | "closed" | "silent";

function serversWord(on: TmuxAccess, hold: Hold): Word {
  for (let looks = 1; ; looks += 1) {
    if (!isServerAlive(hold.server)) return "gone";
    const panes = panesNow(on);
    if (panes === "silent") return "silent";
    if (panes === undefined || panes.some(({ server }) => server !== hold.server.pid)) return "gone";
    const pane = panes.find((each) => each.pane === hold.pane && each.pid === hold.shim?.pid);
    if (pane === undefined) return "closed";
    if (pane.isSettled || looks >= LOOKS_MAX) return pane;
    lookAfterChildren(hold);
    standStill(LOOK_MS);
  }
}

/** What keeps the list of logins for tmux takes the signal away that a program has ended, so that a server may never learn of it. */
function lookAfterChildren({ server }: Hold): void {
  try {
    process.kill(server.pid, "SIGCHLD");
  } catch (error) {
    // It has ended meanwhile: the next look finds out.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
