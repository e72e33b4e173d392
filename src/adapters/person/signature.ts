/** What a person's signature looks like, and whether it is one: `ed25519:FINGERPRINT:SIGNATURE`. */

import { createPublicKey, verify } from "node:crypto";
import { sha256 } from "../../format/sha256.ts";

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
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64url"), format: "der", type: "spki" });
    return verify(null, Buffer.from(text), key, Buffer.from(bytes, "base64url"));
  } catch {
    // What is no key has signed nothing.
    return false;
  }
}
