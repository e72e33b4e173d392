/**
 * The file of the human key: an Ed25519 pair, the secret half optionally under a passphrase.
 *
 * A pair and not one secret: everybody may check what a person has signed, without the passphrase. It is outside the state home
 * and for its owner alone; a file that is anything else is refused, not mended.
 */

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { makeFolder, syncFolder } from "../home/folders.ts";
import { configFolder, type Env } from "../home/paths.ts";
import { UserError } from "../user-error.ts";

export const EXIT_DAMAGED = 8;

/** Of a key that was replaced: enough to say what is signed with it, and by what it named the next one; empty where it was lost. */
type FormerKey = { readonly public: string; readonly until: string; readonly named: string };

export type KeyFile = {
  readonly version: 1;
  /** SPKI, base64url. */
  readonly public: string;
  readonly madeAt: string;
  /** PKCS #8, base64url; or the same under a passphrase. */
  readonly secret: string | SealedKey;
  readonly former: readonly FormerKey[];
};

export const KEY_NAME = "human.key";
const SIZE_MAX = 65_536;
const OTHERS = 0o077;

export function keyPath(env: Env): string {
  const folder = configFolder(env);
  if (folder === undefined)
    throw new UserError(
      "no-home",
      "neither HOME nor XDG_CONFIG_HOME says where the human key is",
      "export HOME=...",
    );
  return join(folder, KEY_NAME);
}

/** Undefined where there is none yet. Throws, with exit 8, where there is one that must not be used. */
export function readKeyFile(path: string): KeyFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP")
      throw unusable(path, "is a symbolic link", "remove it, then: signalbox key --new --lost");
    if (code === "EACCES") throw unusable(path, "cannot be read", `chmod 600 ${path}`);
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw unusable(path, "is no file", "move it away, then: signalbox key --new --lost");
    if (stats.uid !== process.getuid?.())
      throw unusable(path, "belongs to another user", "signalbox key --new --lost");
    if ((stats.mode & OTHERS) !== 0)
      throw unusable(
        path,
        "can be read or changed by others",
        `chmod 600 ${path}, and if somebody did: signalbox key --new`,
      );
    const key = stats.size > SIZE_MAX ? undefined : parse(readFileSync(fd, "utf8"));
    if (key === undefined) throw unusable(path, "is damaged", "signalbox key --new --lost");
    return key;
  } finally {
    closeSync(fd);
  }
}

/** Written whole or not at all. Gives `false` where there is one already and `replace` was not asked for. */
export function writeKeyFile(path: string, key: KeyFile, replace: boolean): boolean {
  const folder = dirname(path);
  makeFolder(folder);
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const fd = openSync(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    fchmodSync(fd, 0o600);
    writeFileSync(fd, `${JSON.stringify(key, undefined, 2)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  failpoint("key.before-write");
  const written = replace ? moved(draft, path) : linked(draft, path);
  failpoint("key.after-write");
  syncFolder(folder);
  return written;
}

/** A file that cannot be used is kept under another name. */
export function setAside(path: string, now: string): string {
  const aside = `${path}.unusable-${now.replaceAll(/[^0-9]/g, "")}`;
  renameSync(path, aside);
  return aside;
}

function moved(draft: string, path: string): true {
  renameSync(draft, path);
  return true;
}

/** Of two that make a key at the same time, the first one's counts. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function unusable(path: string, what: string, next: string): UserError {
  return new UserError("damaged-key", `the human key ${path} ${what}`, { next, exit: EXIT_DAMAGED });
}

function parse(text: string): KeyFile | undefined {
  const data = jsonOf(text);
  const secret = secretOf(field(data, "secret"));
  const former = field(data, "former");
  const [open, madeAt] = [field(data, "public"), field(data, "madeAt")];
  if (field(data, "version") !== 1 || secret === undefined || !Array.isArray(former)) return undefined;
  if (typeof open !== "string" || typeof madeAt !== "string") return undefined;
  const list = former.map((one: unknown) => formerOf(one));
  if (list.includes(undefined)) return undefined;
  return { version: 1, public: open, madeAt, secret, former: list.filter((one) => one !== undefined) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Half a file, or none of ours: damaged either way.
    return undefined;
  }
}

function secretOf(value: unknown): KeyFile["secret"] | undefined {
  if (typeof value === "string") return value;
  const [cost, salt, nonce] = [field(value, "cost"), field(value, "salt"), field(value, "nonce")];
  const [tag, data] = [field(value, "tag"), field(value, "data")];
  if (typeof cost !== "number" || cost < 2 || cost > COST_MAX || (cost & (cost - 1)) !== 0) return undefined;
  if (typeof salt !== "string" || typeof nonce !== "string") return undefined;
  if (typeof tag !== "string" || typeof data !== "string") return undefined;
  return { cost, salt, nonce, tag, data };
}

function formerOf(value: unknown): FormerKey | undefined {
  const [open, until, named] = [field(value, "public"), field(value, "until"), field(value, "named") ?? ""];
  if (typeof open !== "string" || typeof until !== "string" || typeof named !== "string") return undefined;
  return { public: open, until, named };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** A secret under a passphrase: scrypt makes a key of it, AES-256-GCM keeps the secret and notices every change. */
type SealedKey = {
  readonly cost: number;
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly data: string;
};

/** 64 MB and some tenths of a second for each try. */
const COST = 65_536;
/** A file must not be able to ask for more memory than this. */
const COST_MAX = 262_144;
const BLOCK = 8;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** `about` is not secret, but belongs to it: with another one the seal does not open. */
export function seal(secret: Buffer, passphrase: string, about: string): SealedKey {
  const { createCipheriv, randomBytes } = process.getBuiltinModule("node:crypto");
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
export function unseal(sealed: SealedKey, passphrase: string, about: string): Buffer | undefined {
  const { createDecipheriv } = process.getBuiltinModule("node:crypto");
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
  const { scryptSync } = process.getBuiltinModule("node:crypto");
  const maxmem = 2 * 128 * cost * BLOCK;
  // The same passphrase typed on another keyboard may be other code points.
  return scryptSync(passphrase.normalize("NFKC"), salt, KEY_BYTES, { N: cost, r: BLOCK, p: 1, maxmem });
}
