/**
 * SHA-256 of a text or of bytes.
 *
 * Loading `node:crypto` takes longer than opening the database and reading a run. So this implementation hashes the first bytes
 * of a process; after that, the faster `node:crypto` is loaded.
 */

import type * as crypto from "node:crypto";

/** The number of bytes hashed here before `node:crypto` is loaded: hashing them takes about as long as loading it. */
const SMALL = 3000;

/** The first fractional bits of the square roots of the first primes, and of their cube roots. */
const SQUARE_ROOTS = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
const CUBE_ROOTS = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

let hashed = 0;
let native: typeof crypto.hash | undefined;

export function sha256(data: string | Uint8Array): string {
  if (native === undefined) {
    hashed += data.length;
    if (hashed < SMALL) return slowly(data);
  }
  return nodesOwn()("sha256", data, "hex");
}

/** For callers that load it anyway, to sign something: then the slow implementation is not needed. */
export function nodesOwn(): typeof crypto.hash {
  native ??= process.getBuiltinModule("node:crypto").hash;
  return native;
}

/** FIPS 180-4. */
export function slowly(data: string | Uint8Array): string {
  const words = padded(typeof data === "string" ? Buffer.from(data) : data);
  const state = Int32Array.from(SQUARE_ROOTS);
  const schedule = new Int32Array(64);
  for (let block = 0; block < words.length; block += 16)
    compress(state, schedule, words.subarray(block, block + 16));
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The bytes, a one bit, zeros, and the number of bits: whole blocks of sixteen words. */
function padded(data: Uint8Array): Int32Array {
  const { length } = data;
  const bytes = Buffer.alloc(((length + 8) >> 6) * 64 + 64);
  bytes.set(data);
  bytes[length] = 0x80;
  bytes.writeUIntBE(length * 8, bytes.length - 6, 6);
  bytes.swap32();
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

function compress(state: Int32Array, schedule: Int32Array, block: Int32Array): void {
  schedule.set(block);
  for (let at = 16; at < 64; at += 1) {
    const near = schedule[at - 2] ?? 0;
    const far = schedule[at - 15] ?? 0;
    const mixed =
      (turn(near, 17) ^ turn(near, 19) ^ (near >>> 10)) + (turn(far, 7) ^ turn(far, 18) ^ (far >>> 3));
    schedule[at] = mixed + (schedule[at - 7] ?? 0) + (schedule[at - 16] ?? 0);
  }
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const one =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (CUBE_ROOTS[at] ?? 0) + (schedule[at] ?? 0)) |
      0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at += 1) state[at] = (state[at] ?? 0) + (mixed[at] ?? 0);
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
