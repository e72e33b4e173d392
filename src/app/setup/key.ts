/** The key that people sign with: where it is, what it protects against, and how to change that. */

import { keyPath } from "../../adapters/person/key-file.ts";
import {
  acceptKey,
  replaceKey,
  replaceLostKey,
  setPassphrase,
  viewKey as keyAt,
} from "../../adapters/person/key.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Reading } from "../declare.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";

export function viewKey(door: Invocation): Outcome<DataOf<"key">> {
  return viewed(door, "");
}

function viewed({ env }: Invocation, aside: string): Outcome<DataOf<"key">> {
  const path = keyPath(env);
  const view = keyAt(path);
  return success(
    view === undefined ? "there is no key yet" : `the key is ${view.fingerprint}`,
    {
      exists: view !== undefined,
      path,
      fingerprint: view?.fingerprint ?? "",
      tier: view?.tier ?? "",
      madeAt: view?.madeAt ?? "",
      lostAt: view?.lostAt ?? "",
      former: view?.former ?? [],
      aside,
    },
    { next: view?.tier === "detected" ? "signalbox key --passphrase" : "" },
  );
}

/** A key under a passphrase asks for it at the terminal. */
export function isSealed({ env }: Pick<Invocation, "env">): boolean {
  try {
    return keyAt(keyPath(env))?.tier === "prevented";
  } catch (error) {
    // The command says what is wrong with the key.
    if (error instanceof UserError) return false;
    throw error;
  }
}

export async function changeKey(
  { door, store, who }: Reading,
  { how }: InputOf<"change-key">,
): Promise<Outcome<DataOf<"change-key">>> {
  switch (how) {
    case "new-lost":
      return viewed(door, (await replaceLostKey(who, { pins: store })).aside);
    case "new":
      await replaceKey(who, { pins: store });
      break;
    case "lost":
      await acceptKey(who, store);
      break;
    case "passphrase":
    case "no-passphrase":
      await setPassphrase(who, how === "passphrase");
      break;
  }
  return viewed(door, "");
}
