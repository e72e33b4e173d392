/** Prints all of a text, without the streams of the process where they are not needed: loading them takes time. */

import { fstatSync, statSync, writeSync } from "node:fs";

/** Why a text does not arrive: a code of the system. */
export type Lost = (code: string) => void;

export function isTerminal(stream: 1 | 2): boolean {
  try {
    // Files, pipes and the null device are no terminals; only what might be one is worth a closer look.
    const stats = fstatSync(stream);
    if (!stats.isCharacterDevice() || stats.rdev === nullDevice()) return false;
    return process[stream === 1 ? "stdout" : "stderr"].isTTY;
  } catch {
    // The stream is closed.
    return false;
  }
}

function nullDevice(): number | undefined {
  return statSync("/dev/null", { throwIfNoEntry: false })?.rdev;
}

/** What cannot be printed is told to `lost`, at once or later, and never thrown. */
export function print(stream: 1 | 2, text: string, lost: Lost = () => undefined): void {
  if (text === "") return;
  let bytes = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(stream, bytes));
  } catch (error) {
    const code = codeOf(error);
    // A pipe that is full, and does not wait: the stream of the process writes the rest when there is room.
    if (code === "EAGAIN") printLater(stream, bytes, lost);
    else lost(code);
  }
}

function printLater(stream: 1 | 2, bytes: Uint8Array, lost: Lost): void {
  const { stdout, stderr } = process;
  const pipe = stream === 1 ? stdout : stderr;
  pipe.on("error", (error) => lost(codeOf(error)));
  pipe.write(bytes);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  return String(error.code);
}
