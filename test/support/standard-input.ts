/** The standard input of the test process: empty, or a text for the time of one call. */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The standard input of a test worker is a socket that never ends: a command that reads it would block the worker for ever. */
export function closeStandardInput(): void {
  replaceStandardInput("/dev/null");
}

export async function withStandardInput<T>(text: string, action: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "input-"));
  const file = join(folder, "input");
  writeFileSync(file, text);
  replaceStandardInput(file);
  try {
    return await action();
  } finally {
    closeStandardInput();
    rmSync(folder, { recursive: true });
  }
}

/** A file that is opened gets the lowest free descriptor, which is 0 once the standard input is closed. */
function replaceStandardInput(file: string): void {
  closeSync(0);
  const descriptor = openSync(file, "r");
  if (descriptor !== 0) throw new Error(`${file} was opened as descriptor ${descriptor} instead of 0`);
}
