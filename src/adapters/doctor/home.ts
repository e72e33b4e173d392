/** The state home as files: where it is, whose it is, who may see it, and whether there is room. Nothing is changed here. */

import { existsSync, lstatSync, readdirSync, statfsSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { refuseNetwork } from "../home/network.ts";
import type { Home } from "../home/paths.ts";
import { looked, ok, problem, REPAIR, type Finding } from "./finding.ts";
import { unless } from "../files/errno.ts";

const FREE_MIN = 100 * 1024 * 1024;
const FOLDER = 0o700;
const FILE = 0o600;

/** Something in the state home that is not as it must be, and what kind of thing it should be. */
export type Misfit = {
  readonly path: string;
  readonly kind: "folder" | "file";
  readonly reason: "open" | "shut" | "other-kind";
  readonly text: string;
};

/** The quarantine comes first: the others may have to go into it. */
export function foldersOf(home: Home): readonly string[] {
  const { quarantine, pokes, exits, bin, workspaces, locks, root } = home;
  return [quarantine, pokes, exits, bin, workspaces, locks, join(root, "runs")];
}

function filesOf(home: Home): readonly string[] {
  const { database } = home;
  const log = [`${database}-wal`, `${database}-shm`];
  return [database, ...log, home.supervisorLock, home.supervisorLog, home.environment];
}

export function lookAtHome(home: Home): readonly Finding[] {
  const root = lstatSync(home.root, { throwIfNoEntry: false });
  if (root === undefined)
    return [
      ok("state home", `${home.root} is not there yet; the first run makes it`),
      ...spaceIn(nearest(home.root)),
    ];
  const foreign = root.uid === process.getuid?.() ? [] : [belongsToOthers(home.root)];
  const misfits = looked("state home", () => misfitsIn(home).map(misfitFinding));
  const wrong = [...foreign, ...misfits];
  return [
    ...(wrong.length === 0 ? [ok("state home", `${home.root}, for you alone`)] : wrong),
    ...looked("state home's disk", () => diskOf(home.root)),
  ];
}

/** Only the folder and what is directly in it: what lies deeper is behind these. */
export function misfitsIn(home: Home): readonly Misfit[] {
  const folders = [home.root, ...foldersOf(home)].flatMap((path) => misfit(path, "folder"));
  return [...folders, ...filesOf(home).flatMap((path) => misfit(path, "file"))];
}

function misfit(path: string, kind: Misfit["kind"]): Misfit[] {
  const stats = statsOf(path);
  if (stats === undefined) return [];
  // The root may be a link that a person made, to another disk.
  if (kind === "folder" ? !stats.isDirectory() : !stats.isFile())
    return [{ path, kind, reason: "other-kind", text: `${path} is no ${kind}` }];
  const mode = stats.mode & 0o777;
  if ((mode & 0o077) !== 0)
    return [{ path, kind, reason: "open", text: `${path} is open to others (${octal(mode)})` }];
  const own = kind === "folder" ? FOLDER : FILE;
  if ((mode & own) !== own)
    return [{ path, kind, reason: "shut", text: `${path} cannot be written by you (${octal(mode)})` }];
  return [];
}

/** Undefined also where something above it is not a folder: that is a finding of its own. */
function statsOf(path: string): Stats | undefined {
  return unless(["ENOTDIR"], () => lstatSync(path, { throwIfNoEntry: false }));
}

function misfitFinding({ text }: Misfit): Finding {
  return problem("state home", text, REPAIR);
}

function belongsToOthers(path: string): Finding {
  return problem(
    "state home",
    `${path} belongs to another user`,
    `sudo chown -R "$(id -un)" ${path}, or set SIGNALBOX_HOME to a folder of your own`,
  );
}

function diskOf(root: string): readonly Finding[] {
  refuseNetwork(root);
  return spaceIn(root);
}

function spaceIn(folder: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `on this machine, ${sayBytes(free)} free`;
  if (free >= FREE_MIN) return [ok("state home's disk", text)];
  return [problem("state home's disk", `only ${sayBytes(free)} free in ${folder}`, "free some space")];
}

function sayBytes(bytes: number): string {
  const [unit, size] = bytes >= 2 ** 30 ? (["GiB", 2 ** 30] as const) : (["MiB", 2 ** 20] as const);
  return `${Math.floor(bytes / size)} ${unit}`;
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** Names in a folder; none where it does not exist. */
export function namesIn(folder: string): readonly string[] {
  return unless(["ENOENT", "ENOTDIR"], () => readdirSync(folder)) ?? [];
}
