/** The name that a program gave its conversation: it is printed at the beginning of a turn. */

import { closeSync, constants, readSync } from "node:fs";
import { join } from "node:path";
import { openOwn } from "../home/own-file.ts";
import { LOG } from "../process/folder.ts";
import { readerIn } from "./drivers.ts";

const HEAD_BYTES = 64 * 1024;
/** It becomes an argument: nothing that a program could take for an option, or for a path. */
const NAME = /^[A-Za-z0-9][\w-]{0,127}$/;

export function conversationIn(turnDirs: readonly string[]): string {
  return (
    turnDirs
      .toReversed()
      .map(printedIn)
      .find((name) => name !== "") ?? ""
  );
}

function printedIn(dir: string): string {
  const reader = readerIn(dir);
  if (reader === undefined) return "";
  // A long log was moved aside once, with its beginning.
  const head = headOf(join(dir, `${LOG}.1`)) + headOf(join(dir, LOG));
  for (const line of head.split("\n"))
    for (const event of reader.take(line))
      if (event.type === "conversation" && NAME.test(event.id)) return event.id;
  return "";
}

function headOf(file: string): string {
  const opened = openOwn(file, constants.O_RDONLY);
  if (opened.type !== "open") return "";
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.subarray(0, readSync(opened.fd, bytes, 0, HEAD_BYTES, 0)).toString("utf8");
  } finally {
    closeSync(opened.fd);
  }
}
