/** An object of git, written as git writes it, without starting git: a file of its own, which is there whole or not at all. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { unless } from "../files/errno.ts";
import { newName } from "../home/new-name.ts";
import { sync } from "./move.ts";
import type { Bench } from "./own.ts";

type Of = { readonly type: "commit" | "tree"; readonly body: Buffer; readonly isDurable: boolean };

/** Durable where that is asked for, but for the names in folders. */
export function putObject(bench: Pick<Bench, "commonDir" | "oidBytes">, of: Of): string {
  const whole = Buffer.concat([Buffer.from(`${of.type} ${of.body.length}\0`), of.body]);
  const { createHash } = process.getBuiltinModule("node:crypto");
  const oid = createHash(bench.oidBytes === 32 ? "sha256" : "sha1")
    .update(whole)
    .digest("hex");
  const file = looseFile(bench, oid);
  if (isFresh(file)) {
    // The same of a moment ago: whether it is on the disk, nobody knows.
    if (of.isDurable) sync(file);
    return oid;
  }
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const aside = join(folder, `tmp_obj_${newName()}`);
  const bytes = process.getBuiltinModule("node:zlib").deflateSync(whole);
  writeNew(aside, { bytes, mode: 0o444, isDurable: of.isDurable });
  renameSync(aside, file);
  return oid;
}

/** Where an object is that is in no pack. */
export function looseFile({ commonDir }: Pick<Bench, "commonDir">, oid: string): string {
  return join(commonDir, "objects", oid.slice(0, 2), oid.slice(2));
}

/** Whoever throws away old objects that nothing holds must take it for a new one. */
function isFresh(file: string): boolean {
  const now = new Date();
  return unless(["ENOENT", "EPERM", "EACCES", "EROFS"], () => (utimesSync(file, now, now), true)) === true;
}

type Writing = { readonly bytes: Buffer; readonly mode: number; readonly isDurable: boolean };

/** Whole, or not there at all. */
export function writeNew(file: string, { bytes, mode, isDurable }: Writing): void {
  const fd = openSync(file, "wx", mode);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    if (isDurable) fsyncSync(fd);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}
