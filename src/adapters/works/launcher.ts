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
const OTHER =
  /^#!\/bin\/sh\n(?:sb_home='[^'\n]+'\n\. '[^'\n]+\/bin\/ask\.sh'\n)?exec '[^'\n]+' '[^'\n]+\/dist\/signalbox\.cjs' "\$@"\n$/;
const STRANGER = "it is no program of ours";

/** What agents call. */
export function launcherOf(home: Home): string {
  return join(home.bin, NAME);
}

/** How this program is called from anywhere. */
export function selfCommand(): readonly [node: string, program: string] {
  return [process.execPath, join(packageRoot(), "dist", "signalbox.cjs")];
}

/** Cheap where everything is as it should be: called before every launch. Gives what was not. */
export function writeLauncher(home: Home): readonly string[] {
  claimFolder(home, home.bin);
  const odd = oddInBin(home);
  for (const path of strangersIn(home)) clearWay(home, path, STRANGER);
  const file = launcherOf(home);
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (isThere && oddLauncher(home) === undefined) return odd;
  const aside = join(home.root, `${NAME}.${process.pid}.${newName()}.new`);
  failpoint("launcher.before-write");
  writeFileSync(aside, launcherText(), { mode: MODE, flag: "wx" });
  chmodSync(aside, MODE);
  if (isFolder(file)) clearWay(home, file, "it is in the place of the program that agents call");
  renameSync(aside, file);
  failpoint("launcher.after-write");
  return odd;
}

/** What is wrong with what agents find first; nothing where it is as we made it, or not made yet. */
export function oddInBin(home: Home): readonly string[] {
  const launcher = oddLauncher(home);
  const strangers = strangersIn(home).map((path) => `${path}: ${STRANGER}`);
  return launcher === undefined ? strangers : [launcher, ...strangers];
}

/** Nothing is wrong but that a signalbox at another place has written the launcher. */
export function isOtherInstallation(home: Home): boolean {
  const text = textOfOwn(launcherOf(home), BYTES_MAX) ?? "";
  return strangersIn(home).length === 0 && OTHER.test(text);
}

function oddLauncher(home: Home): string | undefined {
  const file = launcherOf(home);
  const there = isFolder(home.bin) ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
  if (there === undefined) return undefined;
  if (textOfOwn(file, BYTES_MAX) !== launcherText()) return `${file} does not call this program`;
  return (there.mode & 0o777) === MODE ? undefined : `${file} is not for you alone to run`;
}

/** The folder comes first on every agent's PATH: another program in it would be taken for git, or for anything. */
function strangersIn({ bin }: Home): readonly string[] {
  return isFolder(bin)
    ? readdirSync(bin)
        .filter((name) => name !== NAME)
        .map((name) => join(bin, name))
    : [];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function launcherText(): string {
  const [node, program] = selfCommand();
  return `#!/bin/sh\nexec ${quoted(node)} ${quoted(program)} "$@"\n`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
