/** What an agent is known by: one token for each attempt, of which only the digest is kept.. */

import { sha256 } from "../../format/sha256.ts";

const TOKEN_BYTES = 32;

export function newToken(): string {
  return process.getBuiltinModule("node:crypto").randomBytes(TOKEN_BYTES).toString("base64url");
}

/** A database that leaks gives nobody the voice of an agent. */
export function hashToken(token: string): string {
  return sha256(token);
}
