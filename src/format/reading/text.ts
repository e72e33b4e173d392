/** Decodes the bytes of an artifact as text, or reports why they are not text. */

import type { Fault } from "../../core/model/event.ts";

const UNREADABLE = "\uFFFD";

type Decoded = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly fault: Fault };

/** A byte order mark is not part of the text; lines and columns count without it. */
export function decode(file: string, bytes: Uint8Array, max: number): Decoded {
  const refuse = (offset: number, reason: string): Decoded => ({
    ok: false,
    fault: { at: { file, ...placeOfByte(bytes, offset) }, reason },
  });
  if (bytes.length > max) {
    return refuse(0, `is larger than ${max} bytes (it has ${bytes.length})`);
  }
  const invalid = firstInvalid(bytes);
  if (invalid !== undefined) return refuse(invalid, "is not valid UTF-8");
  const nul = bytes.indexOf(0);
  if (nul !== -1) return refuse(nul, "holds a NUL byte, so it is not a text");
  return { ok: true, text: new TextDecoder().decode(bytes).replace(/^\uFEFF+/, "") };
}

/** The decoder writes U+FFFD for invalid bytes: the first one that the file does not itself contain is the position. */
function firstInvalid(bytes: Uint8Array): number | undefined {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let byte = 0;
  let from = 0;
  for (let at = text.indexOf(UNREADABLE); at !== -1; at = text.indexOf(UNREADABLE, from)) {
    byte += new TextEncoder().encode(text.slice(from, at)).length;
    if (bytes[byte] !== 0xef || bytes[byte + 1] !== 0xbf || bytes[byte + 2] !== 0xbd) return byte;
    byte += 3;
    from = at + 1;
  }
  return undefined;
}

/** The position of the first byte that is not valid UTF-8. */
export function placeOfInvalid(bytes: Uint8Array): { line: number; col: number } | undefined {
  const invalid = firstInvalid(bytes);
  return invalid === undefined ? undefined : placeOfByte(bytes, invalid);
}

function placeOfByte(bytes: Uint8Array, offset: number): { line: number; col: number } {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, col: Array.from(new TextDecoder().decode(bytes.subarray(start, offset))).length + 1 };
}
