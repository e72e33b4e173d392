/**
 * Which key a state home has seen people sign with, so that another one in its place is noticed.
 *
 * The file of the key is where agents of the same user can write. A key that was put there counts here only when the one before
 * it has named it, or when a person said that the one before it is lost, which is remembered.
 */

import type { Store } from "../../engine/ports/store.ts";
import { UserError } from "../user-error.ts";
import { EXIT_DAMAGED, type KeyFile } from "./key-file.ts";
import { fingerprintOf, keysOf, type KnownKey } from "./signature.ts";

export type Pins = Pick<Store, "humanKeys" | "commit">;
type Pinned = Pick<Store, "humanKeys">;

/** The keys that count in this state home: all of the file, unless it was exchanged; then those that were known before. */
export async function countedKeys(file: KeyFile, pins: Pinned): Promise<readonly KnownKey[]> {
  const keys = keysOf(file);
  const pin = await pinOf(pins);
  if (pin === undefined) return keys;
  const at = keys.findIndex(({ fingerprint }) => fingerprint === pin);
  const broken = keys.findIndex(({ isNamed }, index) => index > at && !isNamed);
  return at === -1 ? [] : broken === -1 ? keys : keys.slice(0, broken);
}

/** What is wrong with the key that is there now, and what to do about it. */
export async function keyFault(
  file: KeyFile | undefined,
  { pins, path }: { readonly pins: Pinned; readonly path: string },
): Promise<UserError | undefined> {
  const pin = await pinOf(pins);
  if (pin === undefined) return undefined;
  if (file === undefined)
    return other(`the human key ${pin}, which people have signed with here, is gone from ${path}`, {
      next: "put it back; or if it is lost: signalbox key --new --lost",
    });
  const fingerprint = fingerprintOf(file.public);
  if ((await countedKeys(file, pins)).at(-1)?.fingerprint === fingerprint) return undefined;
  return other(
    `forged, or exchanged: the human key ${path} is ${fingerprint}, and the key ${pin}, which people have signed with here, has not named it`,
    { next: `put the key ${pin} back; or if it was you, and that one is lost: signalbox key --lost` },
  );
}

/** Before anything is signed. Remembers the first key, and each that was named by the one before it. */
export async function holdToPin(
  file: KeyFile | undefined,
  on: { readonly pins: Pins; readonly path: string },
): Promise<void> {
  const fault = await keyFault(file, on);
  if (fault !== undefined) throw fault;
  if (file === undefined) return;
  const fingerprint = fingerprintOf(file.public);
  const pin = await pinOf(on.pins);
  if (pin !== fingerprint) await keep(on.pins, fingerprint, pin === undefined ? "first" : "named");
}

/** A person says that the key before this one is lost. */
export async function acceptLost(file: KeyFile, pins: Pins): Promise<void> {
  const fingerprint = fingerprintOf(file.public);
  const pin = await pinOf(pins);
  if (pin !== fingerprint) await keep(pins, fingerprint, pin === undefined ? "first" : "lost");
}

async function keep(pins: Pins, fingerprint: string, how: "first" | "named" | "lost"): Promise<void> {
  const key = { fingerprint, how, at: new Date().toISOString() };
  await pins.commit([{ type: "put-human-key", key }]);
}

async function pinOf(pins: Pinned): Promise<string | undefined> {
  return (await pins.humanKeys()).at(-1)?.fingerprint;
}

function other(message: string, { next }: { readonly next: string }): UserError {
  return new UserError("other-key", message, { next, exit: EXIT_DAMAGED });
}
