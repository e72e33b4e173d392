/**
 * A pipe at which commands of agents ask without having started Node, by `bin/ask.sh`.
 *
 * All that is said there is which process asks. The kernel tells what it asks for, so that nothing has to be believed. The answer goes
 * into a pipe that whoever asks has made beside it and holds, line by line: `taken`, what is to be printed (`1 TEXT` and `2 TEXT`), and
 * `code NUMBER`; or nothing more, and the command does it itself. Only where the kernel tells of other processes.
 */

import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeSync,
} from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { claimFolder, clearWay } from "../home/clear-way.ts";
import type { Home } from "../home/paths.ts";
import { startOf } from "../process/table.ts";
import type { Call, Listening, Printed } from "./listen.ts";
import { hasProc, questionOfProcess } from "./question.ts";

const DOOR = "door";
const PRIVATE = "600";
/** What comes without a line end is no question. */
const LINE_BYTES_MAX = 64;
/** So much a pipe takes without anybody reading. */
const ANSWER_BYTES_MAX = 60_000;
const AT_ONCE = 8;
/** Looking for one takes a moment, and whoever says more at a time means nobody. */
const NAMES_MAX = 64;
/** Where `bin/ask.sh` has its pipe open. */
const REPLY_FD = 7;
const { O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/** Undefined where there can be none: everybody works as well without. Only for who holds the supervisor's lock. */
export function openDoor(
  home: Home,
  answer: (call: Call) => Promise<Printed | undefined>,
): Listening | undefined {
  if (!hasProc) return undefined;
  const folder = join(home.root, "asks");
  const fd = doorIn(home, folder);
  if (fd === undefined) return undefined;
  const busy = new Set<Promise<void>>();
  const hear = (name: string): void => {
    const fifo = replyFor(folder, name);
    if (fifo === undefined) return;
    const done = reply(fifo, busy.size < AT_ONCE ? { pid: Number(name), answer } : undefined)
      // Whoever asked sees the end of the pipe and does it itself.
      .catch(() => undefined)
      .finally(() => {
        closeSync(fifo);
        busy.delete(done);
      });
    busy.add(done);
  };
  const pipe = new Socket({ fd, readable: true, writable: false });
  let said = "";
  pipe.setEncoding("latin1");
  pipe.on("error", () => pipe.destroy());
  pipe.on("data", (part: string) => {
    const lines = (said + part).split("\n");
    said = (lines.pop() ?? "").slice(0, LINE_BYTES_MAX);
    for (const line of lines.filter((each) => each !== "").slice(0, NAMES_MAX)) hear(line);
  });
  return {
    async close() {
      // First of all: whoever finds none does not ask.
      if (isPipe(join(folder, DOOR))) rmSync(join(folder, DOOR), { force: true });
      pipe.destroy();
      await Promise.all(busy);
    },
  };
}

/** A pipe that nobody else holds: what was said to the one before us is not for us. */
function doorIn(home: Home, folder: string): number | undefined {
  try {
    claimFolder(home, folder);
    for (const name of readdirSync(folder)) if (isLeft(name)) clear(home, join(folder, name));
    const door = join(folder, DOOR);
    if (spawnSync("mkfifo", ["-m", PRIVATE, door]).status !== 0) return undefined;
    return openSync(door, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
  } catch {
    // The folder is not ours to write to, or there is no such program.
    return undefined;
  }
}

/** Whoever waits for an answer is alive. */
function isLeft(name: string): boolean {
  return !/^[1-9]\d*$/.test(name) || startOf(Number(name)) === undefined;
}

function clear(home: Home, path: string): void {
  if (isPipe(path)) rmSync(path, { force: true });
  else clearWay(home, path, "it is no pipe of ours");
}

function isPipe(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/** The pipe of whoever asks. Its name goes at once, so that nobody else finds it. */
function replyFor(folder: string, name: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(name)) return undefined;
  const path = join(folder, name);
  let fifo: number | undefined;
  try {
    fifo = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fstatSync(fifo).isFIFO()) {
      rmSync(path, { force: true });
      return fifo;
    }
  } catch {
    // Nobody is there any more, or something else is.
  }
  if (fifo !== undefined) closeSync(fifo);
  return undefined;
}

async function reply(
  fifo: number,
  of: { readonly pid: number; readonly answer: (call: Call) => Promise<Printed | undefined> } | undefined,
): Promise<void> {
  const question = of === undefined ? undefined : questionOfProcess(of.pid);
  if (of === undefined || question === undefined || !isHeldBy(of.pid, fifo)) {
    say(fifo, "declined\n");
    return;
  }
  // Whoever does not hear that has begun to do it itself.
  if (!say(fifo, "taken\n")) return;
  failpoint("served.before-work");
  const printed = await of.answer({ question, read: () => Promise.reject(new Error("it has no texts")) });
  const text = printed === undefined ? undefined : linesOf(printed);
  failpoint("served.before-answer");
  if (text !== undefined) say(fifo, text);
  failpoint("served.after-answer");
}

/** The number may be that of another process, for whoever has a world of its own processes: it would get somebody else's answer. */
function isHeldBy(pid: number, fifo: number): boolean {
  try {
    // Where it leads, and not what is there: that could be anything, and keep us waiting.
    return readlinkSync(`/proc/${pid}/fd/${REPLY_FD}`) === readlinkSync(`/proc/self/fd/${fifo}`);
  } catch {
    // It has none, or has ended.
    return false;
  }
}

/** Whether somebody may read it. */
function say(fifo: number, text: string): boolean {
  try {
    writeSync(fifo, text);
    return true;
  } catch {
    // Its process has ended, or has gone on.
    return false;
  }
}

/** Undefined for what cannot be said in lines. */
function linesOf({ code, stdout, stderr }: Printed): string | undefined {
  const marked = (text: string, mark: string): string =>
    // Not by a pattern: there, other characters begin a line, too.
    text === "" ? "" : `${mark} ${text.slice(0, -1).replaceAll("\n", `\n${mark} `)}\n`;
  const isWhole = [stdout, stderr].every((text) => text === "" || text.endsWith("\n"));
  const lines = `${marked(stdout, "1")}${marked(stderr, "2")}code ${code}\n`;
  return isWhole && Buffer.byteLength(lines) <= ANSWER_BYTES_MAX ? lines : undefined;
}
