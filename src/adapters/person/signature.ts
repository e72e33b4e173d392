/** What a person's signature looks like, and whether it is one: `ed25519:FINGERPRINT:SIGNATURE`. */

import { sha256 } from "../../format/sha256.ts";
import type { KeyFile } from "./key-file.ts";

const FORM = "ed25519";
const FINGERPRINT_LENGTH = 24;

/** Signs what one person does, until the process ends. */
export type Signer = { readonly fingerprint: string; sign(text: string): string };

export function fingerprintOf(publicKey: string): string {
  return sha256(Buffer.from(publicKey, "base64url")).slice(0, FINGERPRINT_LENGTH);
}

export function signatureOf(signer: Signer, text: string): string {
  return `${FORM}:${signer.fingerprint}:${signer.sign(text)}`;
}

/** The two halves of what `signatureOf` made; undefined for any other text. */
export function partsOf(
  signature: string,
): { readonly fingerprint: string; readonly bytes: string } | undefined {
  const [form, fingerprint = "", bytes = "", ...more] = signature.split(":");
  return form === FORM && more.length === 0 ? { fingerprint, bytes } : undefined;
}

export function isSignedBy(publicKey: string, text: string, bytes: string): boolean {
  const { createPublicKey, verify } = process.getBuiltinModule("node:crypto");
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64url"), format: "der", type: "spki" });
    return verify(null, Buffer.from(text), key, Buffer.from(bytes, "base64url"));
  } catch {
    // What is no key has signed nothing.
    return false;
  }
}

/**
 * The keys of one person, in their order, and whether each was named by the one before it.
 *
 * A key that is replaced signs for the next one. Where it could not, because it was lost, everything from there on is marked:
 * an agent can lose a key as well as a person can.
 */
export type KnownKey = {
  readonly public: string;
  readonly fingerprint: string;
  /** When it was replaced; empty for the one in use. */
  readonly until: string;
  /** Whether the key before it signed for it. The first one needs nobody. */
  readonly isNamed: boolean;
  /** Since when the keys of this person are not named by those before them, any more; empty while they are. */
  readonly lostAt: string;
};

export function keysOf({ former, public: present }: Pick<KeyFile, "former" | "public">): readonly KnownKey[] {
  const known: KnownKey[] = [];
  let before: KeyFile["former"][number] | undefined;
  for (const key of [...former, { public: present, until: "", named: "" }]) {
    const isNamed =
      before === undefined ||
      isSignedBy(before.public, namingText({ ...before, next: key.public }), before.named);
    const lostAt = isNamed ? (known.at(-1)?.lostAt ?? "") : (before?.until ?? "");
    known.push({
      public: key.public,
      fingerprint: fingerprintOf(key.public),
      until: key.until,
      isNamed,
      lostAt,
    });
    before = key;
  }
  return known;
}

/** What a key signs for the one that takes its place. */
export function namingText(of: {
  readonly public: string;
  readonly until: string;
  readonly next: string;
}): string {
  return ["signalbox-key-1", of.public, of.until, of.next].join("\n");
}
