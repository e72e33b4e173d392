/** Prints all of a text, without the streams of the process where they are not needed: loading them takes time. */

import { fstatSync, statSync, writeSync } from "node:fs";

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

export function print(stream: 1 | 2, text: string): void {
  if (text === "") return;
  let bytes = Buffer.from(text);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(stream, bytes));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // A pipe that is full, and does not wait: the stream of the process writes the rest when there is room.
    if (code === "EAGAIN") printLater(stream, bytes);
    // Who reads has seen enough, as with `| head`, or was never there.
    else if (code !== "EPIPE" && code !== "EBADF") throw error;
  }
}

function printLater(stream: 1 | 2, bytes: Uint8Array): void {
  const { stdout, stderr } = process;
  const pipe = stream === 1 ? stdout : stderr;
  pipe.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  pipe.write(bytes);
}
