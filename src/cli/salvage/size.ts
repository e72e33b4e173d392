/** How much lies in a folder. Links are not followed, and counting stops where it would take long. */

import { lstatSync, readdirSync } from "node:fs";
import { codeOf } from "../../adapters/files/errno.ts";

export type Size = {
  readonly files: number;
  readonly bytes: number;
  /** There is more than was counted. */
  readonly more: boolean;
};

const FILES_MAX = 20_000;
const KB = 1024;

export function sizeOf(paths: readonly string[]): Size {
  const size = { files: 0, bytes: 0, more: false };
  const open: Buffer[] = paths.map((path) => Buffer.from(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (size.files >= FILES_MAX) return { ...size, more: true };
    try {
      const stat = lstatSync(path);
      if (stat.isDirectory()) {
        for (const name of readdirSync(path, { encoding: "buffer" }))
          open.push(Buffer.concat([path, Buffer.from("/"), name]));
        continue;
      }
      size.files += 1;
      size.bytes += stat.size;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      // It went away, or is closed to us: it is there to be told of, not to be counted.
      size.more = true;
    }
  }
  return size;
}

export function saySize({ files, bytes, more }: Size): string {
  const plus = more ? "+" : "";
  return `${files}${plus} ${files === 1 && !more ? "file" : "files"}, ${sayBytes(bytes)}${plus}`;
}

function sayBytes(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  if (bytes < KB * KB) return `${Math.ceil(bytes / KB)} KB`;
  return `${(bytes / KB / KB).toFixed(1)} MB`;
}
