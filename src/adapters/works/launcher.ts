/** The signalbox that agents find: exactly this one, whatever else is installed. */

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";
import { failpoint } from "../failpoint.ts";

/** How this program is called from anywhere. */
export function selfCommand(): readonly [node: string, program: string] {
  return [process.execPath, join(packageRoot(), "dist", "signalbox.cjs")];
}

export function writeLauncher(home: Home): void {
  const file = join(home.bin, "signalbox");
  const [node, program] = selfCommand();
  const text = `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`;
  if (textOf(file) === text) return;
  mkdirSync(home.bin, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  failpoint("launcher.before-write");
  writeFileSync(temporary, text);
  chmodSync(temporary, 0o700);
  renameSync(temporary, file);
  failpoint("launcher.after-write");
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not there yet, or not readable: it is written anew.
    return undefined;
  }
}
