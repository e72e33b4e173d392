/** SHA-256 of a text or of bytes, as hexadecimal digits. */

import { hash } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
