/** Contents out of a mirror, as they are stored, as many at a time as fit into memory without harm. */

import { gitBytes } from "./call.ts";
import { inMirror } from "./mirror.ts";
import type { On } from "./own.ts";

const BYTES_MAX = 32 * 1024 * 1024;
const LINE_END = 0x0a;

/** Each with its place in the list. What is missing is left out. */
export async function* blobsOf(
  on: On,
  mirror: string,
  oids: readonly string[],
): AsyncGenerator<readonly [place: number, bytes: Buffer]> {
  if (oids.length === 0) return;
  const sizes = await ask(on, mirror, { args: ["cat-file", "--batch-check=%(objectsize)"], oids });
  const lines = sizes.toString("utf8").split("\n");
  const present = oids.flatMap((oid, place) => {
    const length = Number(lines[place]);
    return Number.isNaN(length) ? [] : [{ place, oid, length }];
  });
  for (const some of portions(present)) {
    const args = ["cat-file", "--batch"];
    const bytes = await ask(on, mirror, { args, oids: some.map(({ oid }) => oid) });
    let at = 0;
    for (const { place, length } of some) {
      const start = bytes.indexOf(LINE_END, at) + 1;
      yield [place, bytes.subarray(start, start + length)];
      at = start + length + 1;
    }
  }
}

function* portions<T extends { readonly length: number }>(all: readonly T[]): Generator<readonly T[]> {
  let some: T[] = [];
  let sum = 0;
  for (const each of all) {
    if (some.length > 0 && sum + each.length > BYTES_MAX) {
      yield some;
      some = [];
      sum = 0;
    }
    some.push(each);
    sum += each.length;
  }
  if (some.length > 0) yield some;
}

async function ask(
  on: On,
  mirror: string,
  of: { readonly args: readonly string[]; readonly oids: readonly string[] },
): Promise<Buffer> {
  const input = of.oids.map((oid) => `${oid}\n`).join("");
  return gitBytes(on.env, { ...inMirror(mirror), args: of.args, input });
}
