/**
 * The human key in use: made at a person's first need, opened to sign, replaced when it is lost.
 *
 * Two tiers, in these words and no others. *Detected*: an agent of the same user could read the key if it left its own processes
 * behind; what it does is shown. *Prevented*: the key is under a passphrase.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from "node:crypto";
import { UserError } from "../user-error.ts";
import {
  keyPath,
  readKeyFile,
  setAside,
  writeKeyFile,
  EXIT_DAMAGED,
  type FormerKey,
  type KeyFile,
} from "./key-file.ts";
import { askAtTerminal, type AskPassphrase } from "./passphrase.ts";
import { seal, unseal } from "./seal.ts";
import { EXIT_NOT_YOURS, requirePerson, type Who } from "./who.ts";

export type Tier = "detected" | "prevented";

/** Signs what one person does, until the process ends. */
export type Signer = { readonly fingerprint: string; sign(text: string): string };

export type KeyView = {
  readonly path: string;
  readonly fingerprint: string;
  readonly tier: Tier;
  readonly madeAt: string;
  readonly former: readonly { readonly fingerprint: string; readonly until: string }[];
};

const FINGERPRINT_LENGTH = 24;
const TRIES = 3;

export function fingerprintOf(publicKey: string): string {
  return createHash("sha256")
    .update(Buffer.from(publicKey, "base64url"))
    .digest("hex")
    .slice(0, FINGERPRINT_LENGTH);
}

/** Makes the key when a person first needs it. Never for an agent. */
export async function signerOf(who: Who, ask: AskPassphrase = askAtTerminal): Promise<Signer> {
  const { env } = requirePerson(who);
  const path = keyPath(env);
  const key = readKeyFile(path) ?? makeKey(path);
  const secret = secretKey(path, key, await openSecret(key, ask));
  const fingerprint = fingerprintOf(key.public);
  return { fingerprint, sign: (text) => sign(null, Buffer.from(text), secret).toString("base64url") };
}

export function viewKey(path: string): KeyView | undefined {
  const key = readKeyFile(path);
  if (key === undefined) return undefined;
  return {
    path,
    fingerprint: fingerprintOf(key.public),
    tier: typeof key.secret === "string" ? "detected" : "prevented",
    madeAt: key.madeAt,
    former: key.former.map((one) => ({ fingerprint: fingerprintOf(one.public), until: one.until })),
  };
}

/** Puts the key under a passphrase, or takes it from under one. */
export async function setPassphrase(
  who: Who,
  wanted: boolean,
  ask: AskPassphrase = askAtTerminal,
): Promise<void> {
  const path = keyPath(requirePerson(who).env);
  const key = readKeyFile(path) ?? makeKey(path);
  const secret = await openSecret(key, ask);
  secretKey(path, key, secret);
  const kept = wanted ? seal(secret, await newPassphrase(ask), key.public) : secret.toString("base64url");
  writeKeyFile(path, { ...key, secret: kept }, true);
}

/** For a key that is lost or cannot be used. The old one stays known, so that what it signed is told apart. */
export async function replaceKey(
  who: Who,
  ask: AskPassphrase = askAtTerminal,
): Promise<{ readonly aside: string }> {
  const path = keyPath(requirePerson(who).env);
  const { key: old, aside } = usableOr(path);
  const now = new Date().toISOString();
  const former: readonly FormerKey[] =
    old === undefined ? [] : [...old.former, { public: old.public, until: now }];
  const made = freshKey(now, former);
  const isSealed = old !== undefined && typeof old.secret !== "string";
  // A new key is not worth less than the one before it.
  const secret = isSealed
    ? seal(Buffer.from(made.plain, "base64url"), await newPassphrase(ask), made.key.public)
    : made.plain;
  writeKeyFile(path, { ...made.key, secret }, true);
  return { aside };
}

function usableOr(path: string): { readonly key: KeyFile | undefined; readonly aside: string } {
  try {
    return { key: readKeyFile(path), aside: "" };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { key: undefined, aside: setAside(path, new Date().toISOString()) };
  }
}

function makeKey(path: string): KeyFile {
  const { key, plain } = freshKey(new Date().toISOString(), []);
  if (writeKeyFile(path, { ...key, secret: plain }, false)) return { ...key, secret: plain };
  const other = readKeyFile(path);
  if (other === undefined) throw new Error(`${path} was there and is gone`);
  return other;
}

function freshKey(
  madeAt: string,
  former: readonly FormerKey[],
): { key: Omit<KeyFile, "secret">; plain: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return {
    key: { version: 1, public: publicKey.toString("base64url"), madeAt, former },
    plain: privateKey.toString("base64url"),
  };
}

async function openSecret(key: KeyFile, ask: AskPassphrase): Promise<Buffer> {
  if (typeof key.secret === "string") return Buffer.from(key.secret, "base64url");
  for (let left = TRIES; left > 0; left -= 1) {
    const secret = unseal(key.secret, await ask("Passphrase of the human key: "), key.public);
    if (secret !== undefined) return secret;
  }
  throw new UserError("wrong-passphrase", "that is not the passphrase of the human key", {
    next: "type the same again, or if it is lost: signalbox key --new",
    exit: EXIT_NOT_YOURS,
  });
}

async function newPassphrase(ask: AskPassphrase): Promise<string> {
  const first = await ask("New passphrase for the human key: ");
  if (first === "")
    throw new UserError(
      "empty-passphrase",
      "an empty passphrase protects nothing",
      "signalbox key --passphrase",
    );
  if ((await ask("The same again: ")) !== first)
    throw new UserError(
      "other-passphrase",
      "the two were not the same; nothing was changed",
      "signalbox key --passphrase",
    );
  return first;
}

/** The two halves must belong together: a file put together from two keys signs nothing. */
function secretKey(path: string, key: KeyFile, secret: Buffer): KeyObject {
  try {
    const object = createPrivateKey({ key: secret, format: "der", type: "pkcs8" });
    const own = createPublicKey(object).export({ type: "spki", format: "der" }).toString("base64url");
    if (own === key.public) return object;
  } catch {
    // What is no key is damaged like one with another half.
  }
  throw new UserError("damaged-key", `the human key ${path} is damaged`, {
    next: "signalbox key --new",
    exit: EXIT_DAMAGED,
  });
}
