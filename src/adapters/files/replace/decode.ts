/** Bytes as text that can be written back: the byte order mark stays. `undefined` for what is no UTF-8. */

export function decodeWhole(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder says no more than that it is none.
    return undefined;
  }
}
