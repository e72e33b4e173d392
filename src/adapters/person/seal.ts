/** A secret under a passphrase: scrypt makes a key of it, AES-256-GCM keeps the secret and notices every change. */

import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";

export type Sealed = {
  readonly cost: number;
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
};

/** 64 MB and some tenths of a second for each try. */
const COST = 65_536;
/** A file must not be able to ask for more memory than this. */
export const COST_MAX = 262_144;
const BLOCK = 8;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** `about` is not secret, but belongs to it: with another one the seal does not open. */
export function seal(secret: Buffer, passphrase: string, about: string): Sealed {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv("aes-256-gcm", derive(passphrase, salt, COST), nonce);
  cipher.setAAD(Buffer.from(about));
  const data = Buffer.concat([cipher.update(secret), cipher.final()]);
  const text = (bytes: Buffer): string => bytes.toString("base64url");
  return {
    cost: COST,
    salt: text(salt),
    nonce: text(nonce),
    tag: text(cipher.getAuthTag()),
    data: text(data),
  };
}

/** Undefined where the passphrase is not the one, or anything was changed. */
export function unseal(sealed: Sealed, passphrase: string, about: string): Buffer | undefined {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64url");
  const key = derive(passphrase, bytes(sealed.salt), sealed.cost);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes(sealed.nonce), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(about));
    decipher.setAuthTag(bytes(sealed.tag));
    return Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()]);
  } catch {
    // Whatever is wrong with it, it does not open, and why is nobody's business.
    return undefined;
  }
}

function derive(passphrase: string, salt: Buffer, cost: number): Buffer {
  const maxmem = 2 * 128 * cost * BLOCK;
  // The same passphrase typed on another keyboard may be other code points.
  return scryptSync(passphrase.normalize("NFKC"), salt, KEY_BYTES, { N: cost, r: BLOCK, p: 1, maxmem });
}
