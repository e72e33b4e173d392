/** The signalbox that agents find: exactly this one, whatever else is installed, and whatever somebody has put in its place. */

import { chmodSync, lstatSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { claimFolder, clearWay } from "../home/clear-way.ts";
import { newName } from "../home/new-name.ts";
import { textOfOwn } from "../home/own-file.ts";
import type { Home } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";

const NAME = "signalbox";
const MODE = 0o700;
const BYTES_MAX = 65_536;

/** How this program is called from anywhere. */
export function selfCommand(): readonly [node: string, program: string] {
  return [process.execPath, join(packageRoot(), "dist", "signalbox.cjs")];
}

/** Cheap where everything is as it should be: called before every launch. */
export function writeLauncher(home: Home): void {
  claimFolder(home, home.bin);
  // The folder comes first on every agent's PATH: another program in it would be taken for git, or for anything.
  for (const name of strangersInBin(home)) clearWay(home, join(home.bin, name), "it is no program of ours");
  if (oddLauncher(home) === undefined) return;
  const file = join(home.bin, NAME);
  const aside = join(home.root, `${NAME}.${process.pid}.${newName()}.new`);
  failpoint("launcher.before-write");
  writeFileSync(aside, launcherText(), { mode: MODE, flag: "wx" });
  chmodSync(aside, MODE);
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    clearWay(home, file, "it is in the place of the program that agents call");
  renameSync(aside, file);
  failpoint("launcher.after-write");
}

/** What is wrong with what agents call; undefined where nothing is. */
export function oddLauncher(home: Home): string | undefined {
  const file = join(home.bin, NAME);
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return `${file} is not there`;
  if (textOfOwn(file, BYTES_MAX) !== launcherText()) return `${file} is not what this program has written`;
  return (there.mode & 0o777) === MODE ? undefined : `${file} cannot be run by you alone`;
}

/** Whatever else is where agents look for programs first. */
export function strangersInBin({ bin }: Home): readonly string[] {
  return lstatSync(bin, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(bin).filter((name) => name !== NAME)
    : [];
}

function launcherText(): string {
  const [node, program] = selfCommand();
  return `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
