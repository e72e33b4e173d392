/** The log of a process, as far as it is there, and what is added to it later. */

import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { openOwn, readOwn } from "../../adapters/home/own-file.ts";

const LOG = "out.log";
const CHUNK_BYTES = 65_536;

/** All that is kept: what was rotated away, then what is there. */
export function wholeLog(dir: string): string {
  return plain(textOf(join(dir, `${LOG}.1`)) + textOf(join(dir, LOG)));
}

const LAST_BYTES = 65_536;

/** The last lines, whole ones only; none where nothing is there. */
export function lastLinesIn(dir: string): readonly string[] {
  const opened = openOwn(join(dir, LOG), constants.O_RDONLY);
  if (opened.type !== "open") return [];
  try {
    const { size } = fstatSync(opened.fd);
    const bytes = Buffer.alloc(Math.min(size, LAST_BYTES));
    const read = readSync(opened.fd, bytes, 0, bytes.length, size - bytes.length);
    const lines = plain(bytes.subarray(0, read).toString("utf8")).split("\n");
    return size > bytes.length ? lines.slice(1) : lines;
  } finally {
    closeSync(opened.fd);
  }
}

/** The exit code of a process that has ended; null where it has not, or none was recorded. */
export function exitCodeIn(dir: string): number | null {
  const kept = readOwn(join(dir, "exit"));
  const code = kept.type === "text" ? /^\d+/.exec(kept.text)?.[0] : undefined;
  return code === undefined ? null : Number(code);
}

export type Tail = {
  /** Whole lines that are new; at the end also a last one that nobody ended. */
  take(isOver: boolean): string[];
};

export function tailOf(dir: string): Tail {
  const decoder = new StringDecoder("utf8");
  let at = 0;
  let rest = "";
  return {
    take(isOver) {
      const read = readFrom(join(dir, LOG), at);
      at = read.at;
      const lines = (rest + plain(decoder.write(read.bytes))).split("\n");
      rest = lines.pop() ?? "";
      if (!isOver || rest === "") return lines;
      const last = rest;
      rest = "";
      return [...lines, last];
    },
  };
}

function readFrom(file: string, from: number): { readonly bytes: Buffer; readonly at: number } {
  const opened = openOwn(file, constants.O_RDONLY);
  // Nobody has written yet, or it is no log.
  if (opened.type !== "open") return { bytes: Buffer.alloc(0), at: 0 };
  const { fd } = opened;
  try {
    // A log that is shorter than it was has been cut off in its place, and begins again.
    let at = fstatSync(fd).size < from ? 0 : from;
    const parts: Buffer[] = [];
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) return { bytes: Buffer.concat(parts), at };
      parts.push(chunk.subarray(0, read));
      at += read;
    }
  } finally {
    closeSync(fd);
  }
}

function textOf(file: string): string {
  return readFrom(file, 0).bytes.toString("utf8");
}

/** What programs say to terminals is for theirs and not for ours. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[P^_X][^\u001B]*\u001B\\|[ -/]*[0-~])/g;

export function plain(text: string): string {
  return text.replaceAll(SEQUENCES, "").replaceAll(/\r+\n/g, "\n").replaceAll("\r", "\n");
}
