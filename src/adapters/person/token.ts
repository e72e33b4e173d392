/** What an agent is known by: one token for each attempt, of which only the digest is kept. */

import { createHash, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** A database that leaks gives nobody the voice of an agent. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
