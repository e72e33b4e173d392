/** A person with a key of their own trusts a repository as it is now, without being asked. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import type { Env } from "../../src/adapters/home/paths.ts";
import { keyPath, readKeyFile, writeKeyFile } from "../../src/adapters/person/key-file.ts";
import { fingerprintOf, type Signer } from "../../src/adapters/person/signature.ts";
import { contentOf } from "../../src/adapters/trust/content.ts";
import { trustRow } from "../../src/adapters/trust/trust.ts";
import type { TrustRow } from "../../src/engine/ports/registry.ts";

export function trustedNow(env: Env, repo: string): TrustRow {
  return trustRow(signerAt(env), { repo, digest: contentOf(repo).digest, at: "2026-01-01T00:00:00Z" });
}

/** The key of this home, made where there is none. */
export function signerAt(env: Env): Signer {
  const path = keyPath(env);
  if (readKeyFile(path) === undefined) {
    const pair = generateKeyPairSync("ed25519", {
      publicKeyEncoding: { type: "spki", format: "der" },
      privateKeyEncoding: { type: "pkcs8", format: "der" },
    });
    const [open, secret] = [pair.publicKey.toString("base64url"), pair.privateKey.toString("base64url")];
    writeKeyFile(path, { version: 1, public: open, madeAt: "", secret, former: [] }, false);
  }
  const file = readKeyFile(path);
  if (typeof file?.secret !== "string") throw new Error("the key has a passphrase");
  const key = createPrivateKey({ key: Buffer.from(file.secret, "base64url"), format: "der", type: "pkcs8" });
  return {
    fingerprint: fingerprintOf(file.public),
    sign: (text) => sign(null, Buffer.from(text), key).toString("base64url"),
  };
}
