/** Processes as Linux shows them. */

import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { MARK } from "./marker.ts";
import type { TableEntry, Younger } from "./table.ts";

const NAME = Buffer.from(`\0${MARK}=`);

export function tableOfProc(only?: Younger): readonly TableEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && only?.older.has(Number(name)) !== true)
    .flatMap((name) => {
      const seen = look(Number(name));
      if (seen === undefined) return [];
      if (only !== undefined && Number(seen.start) < Number(only.since)) {
        only.older.add(seen.pid);
        return [];
      }
      const mark = markIn(seen.pid);
      return [{ ...seen, mark, command: mark === "" ? [] : commandOf(seen.pid) }];
    });
}

export function startInProc(pid: number): string | undefined {
  return look(pid)?.start;
}

export function bootOfProc(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Field 7 is the number of its terminal, zero for none. */
export function hasTerminalInProc(pid: number): boolean {
  return (fieldsOf(pid)?.[4] ?? "0") !== "0";
}

/** The name in parentheses may hold anything, so fields are counted from the last parenthesis: the first is field 3. */
function fieldsOf(pid: number): readonly string[] | undefined {
  const stat = bytesOf(`/proc/${pid}/stat`)?.toString("latin1");
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function look(pid: number): Omit<TableEntry, "mark" | "command"> | undefined {
  const fields = fieldsOf(pid);
  if (fields === undefined) return undefined;
  const state = fields[0] ?? "X";
  const start = fields[19];
  if (start === undefined || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]), start };
}

function markIn(pid: number): string {
  const bytes = bytesOf(`/proc/${pid}/environ`);
  if (bytes === undefined) return "";
  // Every variable then begins after a zero, the first one too.
  const block = Buffer.concat([Buffer.of(0), bytes]);
  const at = block.indexOf(NAME);
  if (at === -1) return "";
  const from = at + NAME.length;
  const end = block.indexOf(0, from);
  return block.subarray(from, end === -1 ? undefined : end).toString();
}

function commandOf(pid: number): readonly string[] {
  return bytesOf(`/proc/${pid}/cmdline`)?.toString().split("\0").slice(0, -1) ?? [];
}

/** Reused: there are hundreds of processes, and these files do not tell their size beforehand. */
const chunk = Buffer.allocUnsafe(64 * 1024);

/** A process that is gone, or another user's, is nothing that we can see. Given until the next call. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return wholeOf(openSync(file, "r"));
  } catch {
    return undefined;
  }
}

function wholeOf(fd: number): Buffer {
  try {
    let whole: Buffer = chunk;
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      if (length === whole.length) whole = Buffer.concat([whole], 2 * whole.length);
      read = readSync(fd, whole, length, whole.length - length, null);
    }
    return whole.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
