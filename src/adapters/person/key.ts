/**
 * The human key in use: made at a person's first need, opened to sign, replaced by one that it names, or when it is lost.
 *
 * Two tiers, in these words and no others. *Detected*: an agent of the same user could read the key if it left its own processes
 * behind; what it does is shown. *Prevented*: the key is under a passphrase.
 */

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { UserError } from "../user-error.ts";
import {
  keyPath,
  readKeyFile,
  setAside,
  writeKeyFile,
  EXIT_DAMAGED,
  seal,
  unseal,
  type KeyFile,
} from "./key-file.ts";
import { acceptLost, holdToPin, type Pins } from "./pin.ts";
import { fingerprintOf, keysOf, namingText, type Signer } from "./signature.ts";
import { EXIT_NOT_YOURS, requirePerson, type Who } from "./who.ts";
import { constants, openSync, writeSync } from "node:fs";
import type { ReadStream } from "node:tty";

type Tier = "detected" | "prevented";

export type KeyView = {
  readonly path: string;
  readonly fingerprint: string;
  readonly tier: Tier;
  readonly madeAt: string;
  /** When the key before it was lost, or one before that; empty where each named the next. */
  readonly lostAt: string;
  readonly former: readonly { readonly fingerprint: string; readonly until: string }[];
};

/** What a key is worked with: where keys are remembered, and who types the passphrase. */
export type Hand = { readonly pins?: Pins | undefined; readonly ask?: AskPassphrase };

const TRIES = 3;

/** Makes the key when a person first needs it. Never for an agent, and never in the place of one that was used here. */
export async function signerOf(who: Who, { pins, ask = askAtTerminal }: Hand = {}): Promise<Signer> {
  const { env, through } = requirePerson(who);
  const path = keyPath(env);
  // Asked before the file is read: it is there before the key is remembered, so that what is remembered now and not found is gone.
  const isPinned = pins !== undefined && (await pins.humanKeys()).length > 0;
  const found = readKeyFile(path);
  if (found === undefined && through !== undefined) throw noKeyYet(through);
  if (pins !== undefined && (isPinned || found !== undefined)) await holdToPin(found, { pins, path });
  const key = found ?? makeKey(path);
  if (pins !== undefined && found === undefined) await holdToPin(key, { pins, path });
  const secret = secretKey(path, key, await openSecret(key, ask));
  return signerWith(key, secret);
}

/** The first key is made by a person's own hand. */
function noKeyYet(through: string): UserError {
  return new UserError(
    "not-a-person",
    `no person has ever signed anything here, and ${through} cannot begin`,
    {
      next: "a person types it in a terminal of their own, once",
      exit: EXIT_NOT_YOURS,
    },
  );
}

function signerWith(key: KeyFile, secret: KeyObject): Signer {
  const fingerprint = fingerprintOf(key.public);
  return { fingerprint, sign: (text) => sign(null, Buffer.from(text), secret).toString("base64url") };
}

export function viewKey(path: string): KeyView | undefined {
  const key = readKeyFile(path);
  if (key === undefined) return undefined;
  const keys = keysOf(key);
  return {
    path,
    fingerprint: fingerprintOf(key.public),
    tier: typeof key.secret === "string" ? "detected" : "prevented",
    madeAt: key.madeAt,
    lostAt: keys.at(-1)?.lostAt ?? "",
    former: keys.slice(0, -1).map(({ fingerprint, until }) => ({ fingerprint, until })),
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

/** Another key, named by the one before it: who has not got its passphrase cannot take its place. */
export async function replaceKey(who: Who, { pins, ask = askAtTerminal }: Hand = {}): Promise<void> {
  const path = keyPath(requirePerson(who).env);
  const old = readKeyFile(path);
  if (pins !== undefined) await holdToPin(old, { pins, path });
  const now = new Date().toISOString();
  if (old === undefined) {
    makeKey(path);
    return;
  }
  const signer = signerWith(old, secretKey(path, old, await openSecret(old, ask)));
  const made = freshKey(now);
  const named = signer.sign(namingText({ public: old.public, until: now, next: made.public }));
  const former = [...old.former, { public: old.public, until: now, named }];
  const key = { ...made, former, secret: await keptAs(made, old, ask) };
  writeKeyFile(path, key, true);
  if (pins !== undefined) await holdToPin(key, { pins, path });
}

/** Another key without a word of the one before it, which stays known; that it was so is told with everything it signs. */
export async function replaceLostKey(
  who: Who,
  { pins, ask = askAtTerminal }: Hand = {},
): Promise<{ readonly aside: string }> {
  const path = keyPath(requirePerson(who).env);
  const { key: old, isBroken } = usable(path);
  const now = new Date().toISOString();
  const made = freshKey(now);
  const former = old === undefined ? [] : [...old.former, { public: old.public, until: now, named: "" }];
  const key = { ...made, former, secret: await keptAs(made, old, ask) };
  const aside = isBroken ? setAside(path, now) : "";
  writeKeyFile(path, key, true);
  if (pins !== undefined) await acceptLost(key, pins);
  return { aside };
}

/** The key that is there is a person's, although the one that signed here before has not named it. */
export async function acceptKey(who: Who, pins: Pins | undefined): Promise<void> {
  const path = keyPath(requirePerson(who).env);
  const key = readKeyFile(path);
  if (key === undefined)
    throw new UserError("no-key", `there is no key at ${path}`, "signalbox key --new --lost");
  if (pins !== undefined) await acceptLost(key, pins);
}

/** A new key is not worth less than the one before it. */
async function keptAs(
  made: { readonly public: string; readonly secret: string },
  old: KeyFile | undefined,
  ask: AskPassphrase,
): Promise<KeyFile["secret"]> {
  if (old === undefined || typeof old.secret === "string") return made.secret;
  return seal(Buffer.from(made.secret, "base64url"), await newPassphrase(ask), made.public);
}

function usable(path: string): { readonly key: KeyFile | undefined; readonly isBroken: boolean } {
  try {
    return { key: readKeyFile(path), isBroken: false };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { key: undefined, isBroken: true };
  }
}

function makeKey(path: string): KeyFile {
  const key = freshKey(new Date().toISOString());
  if (writeKeyFile(path, key, false)) return key;
  const other = readKeyFile(path);
  if (other === undefined) throw new Error(`${path} was there and is gone`);
  return other;
}

function freshKey(madeAt: string): KeyFile & { readonly secret: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return {
    version: 1,
    public: publicKey.toString("base64url"),
    madeAt,
    secret: privateKey.toString("base64url"),
    former: [],
  };
}

async function openSecret(key: KeyFile, ask: AskPassphrase): Promise<Buffer> {
  if (typeof key.secret === "string") return Buffer.from(key.secret, "base64url");
  for (let left = TRIES; left > 0; left -= 1) {
    const secret = unseal(key.secret, await ask("Passphrase of the human key: "), key.public);
    if (secret !== undefined) return secret;
  }
  throw new UserError("wrong-passphrase", "that is not the passphrase of the human key", {
    next: "type the same again, or if it is lost: signalbox key --new --lost",
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
    next: "signalbox key --new --lost",
    exit: EXIT_DAMAGED,
  });
}

/**
 * A passphrase, typed at the terminal and shown nowhere.
 *
 * Never from a variable, an argument or a pipe: an agent has those. Without a terminal there is no passphrase.
 */
export type AskPassphrase = (prompt: string) => Promise<string>;

const EXIT_INTERRUPTED = 130;
const INTERRUPT = "\u0003";
const END = "\u0004";
const CLEAR = "\u0015";
const BACKSPACE = new Set(["\u007F", "\b"]);

const askAtTerminal: AskPassphrase = async (prompt) => {
  const terminal = openTerminal();
  // Only a key with a passphrase is asked for one: nobody else waits for this to be loaded.
  const { ReadStream } = process.getBuiltinModule("node:tty");
  const input = new ReadStream(terminal);
  input.setEncoding("utf8");
  input.setRawMode(true);
  writeSync(terminal, prompt);
  try {
    return await readLine(input);
  } finally {
    input.setRawMode(false);
    writeSync(terminal, "\n");
    input.destroy();
  }
};

function openTerminal(): number {
  try {
    return openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY);
  } catch (error) {
    throw noTerminal(error);
  }
}

function noTerminal(cause: unknown): UserError {
  const error = new UserError(
    "no-terminal",
    "the human key is under a passphrase, and there is no terminal to type it at",
    {
      next: "type the same in a terminal of your own",
      exit: EXIT_NOT_YOURS,
    },
  );
  error.cause = cause;
  return error;
}

function readLine(input: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    input.on("error", reject);
    input.on("end", () => reject(interrupted()));
    input.on("data", (chunk) => {
      for (const key of String(chunk)) {
        if (key === "\r" || key === "\n") return resolve(typed.join(""));
        if (key === INTERRUPT || (key === END && typed.length === 0)) return reject(interrupted());
        if (key === CLEAR) typed = [];
        else if (BACKSPACE.has(key)) typed.pop();
        else typed.push(key);
      }
    });
  });
}

function interrupted(): UserError {
  return new UserError("interrupted", "nothing was done", { next: "type it again", exit: EXIT_INTERRUPTED });
}
