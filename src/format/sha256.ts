/** SHA-256 of a text or of bytes, as hexadecimal digits. */

export function sha256(data: string | Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", data, "hex");
}
