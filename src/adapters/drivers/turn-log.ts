/** What the log of a turn says, read by the driver that the turn began with. A program without a driver says nothing. */

import { closeSync, constants, fstatSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProgramFailure } from "../../core/model/event.ts";
import type { AgentEvent, Drivers } from "../../engine/ports/drivers.ts";
import { openOwn } from "../home/own-file.ts";
import { LOG } from "../process/folder.ts";
import { driverNameIn, driverOf, readerIn } from "./drivers.ts";
import { resetTimeIn } from "./reset-time.ts";

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 256 * 1024;
/** It becomes an argument: nothing that a program could take for an option, or for a path. */
const NAME = /^[A-Za-z0-9][\w-]{0,127}$/;

export const drivers: Drivers = {
  of: driverOf,
  conversation: (driver, turnDirs) =>
    turnDirs
      .toReversed()
      .filter((dir) => driverNameIn(dir) === driver)
      .map(printedIn)
      .find((name) => name !== "") ?? "",
  failure: failureIn,
};

function printedIn(dir: string): string {
  // A long log was moved aside once, with its beginning.
  const events = [`${LOG}.1`, LOG].flatMap((name) => eventsIn(dir, bytesOf(join(dir, name), HEAD_BYTES)));
  for (const event of events) if (event.type === "conversation" && NAME.test(event.id)) return event.id;
  return "";
}

/** After an attempt that failed the program may have tried again by itself, and gone on. */
function failureIn(dir: string): ProgramFailure | undefined {
  const events = eventsIn(dir, bytesOf(join(dir, LOG), -TAIL_BYTES));
  const last = events.findLast(({ type }) => !AFTER.has(type));
  if (last?.type !== "failure") return undefined;
  const { type: _, ...failure } = last;
  return failure.class === "quota" && failure.resetAt === undefined ? withResetTime(dir, failure) : failure;
}

/** The sentence is about the time at which it was printed. */
function withResetTime(dir: string, failure: ProgramFailure): ProgramFailure {
  const printedAt = statSync(join(dir, LOG), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const resetAt = printedAt === 0 ? 0 : resetTimeIn(failure.message, Math.floor(printedAt));
  return resetAt === 0 ? failure : { ...failure, resetAt };
}

/** What may follow a failure that ended the turn. */
const AFTER: ReadonlySet<AgentEvent["type"]> = new Set(["notice", "usage", "turn-ended"]);

function eventsIn(dir: string, text: string): readonly AgentEvent[] {
  const reader = readerIn(dir);
  if (reader === undefined || text === "") return [];
  return [...text.split("\n").flatMap((line) => reader.take(line)), ...reader.end()];
}

/** The first bytes of a file, or the last ones where the number is negative; empty where there are none. */
function bytesOf(file: string, count: number): string {
  const opened = openOwn(file, constants.O_RDONLY);
  if (opened.type !== "open") return "";
  try {
    const { size } = fstatSync(opened.fd);
    const bytes = Buffer.alloc(Math.min(size, Math.abs(count)));
    const read = readSync(opened.fd, bytes, 0, bytes.length, count < 0 ? size - bytes.length : 0);
    return bytes.subarray(0, read).toString("utf8");
  } finally {
    closeSync(opened.fd);
  }
}
