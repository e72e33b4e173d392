/** A cell as a list of what is mounted where, in order: a later mount covers an earlier one. */

import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Confinement } from "../../engine/ports/sandbox.ts";
import type { Launch } from "../../engine/ports/process.ts";
import { mirrorOf } from "../git/mirror/names.ts";
import { makeFolder } from "../home/folders.ts";
import { configFolder, type Env, type Home } from "../home/paths.ts";
import { KEY_NAME } from "../person/key-file.ts";
import { packageRoot } from "../library/package.ts";
import { programAt } from "../process/program.ts";
import { CACHES, installationOf, isCopied, MOVING, TOOL_CHAINS } from "./programs.ts";
import { clearMountPoints, clearWay } from "./way.ts";
import { isWithin } from "./within.ts";

export type Grant =
  | { readonly type: "read" | "write" | "device"; readonly from: string; readonly to: string }
  /** A link that is made anew, as `/bin` to `usr/bin`. */
  | { readonly type: "link"; readonly from: string; readonly to: string }
  /** Nothing can be read there, a file or a folder. */
  | { readonly type: "mask"; readonly to: string; readonly isFolder: boolean };

export type Grants = {
  readonly mounts: readonly Grant[];
  /** Variables inside; undefined for one that does not exist there. */
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type GrantPlaces = {
  readonly home: Home;
  /** The person's environment: where programs and their files are. */
  readonly person: Env;
  /** The shared folder of the project's caches. */
  readonly cache: string;
  /** The folder with the socket of this cell; empty for none. */
  readonly socket: string;
};

/** With the home folder as it is called inside, and the variables of the launch. */
type InsidePlaces = GrantPlaces & { readonly inHome: string; readonly env: Env };

const FOLDERS = ["/usr", "/etc", "/opt", "/nix", "/home/linuxbrew/.linuxbrew", "/gnu"];
const OF_SYSTEM = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** What only root may read: where root starts agents, it would be theirs, too. */
const MASKED = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/ssl/private",
  "/etc/sudoers.d",
  "/etc/sudoers",
];
const PACKAGE = ["package.json", "dist", "bin", "workflows", "demos", "schema", "skills"];
const SOCKET = "s";

/** The path of the socket in the folder of a cell. */
export function socketOf(folder: string): string {
  return join(folder, SOCKET);
}

/** Also makes what the process keeps, and what the caches are. */
export function grantsFor(launch: Launch, cell: Confinement, places: GrantPlaces): Grants {
  const home = launch.env["HOME"] ?? "";
  const inHome = home.startsWith("/") && home !== "/" ? home : "/home/agent";
  const inside = { ...places, inHome, env: launch.env };
  const named = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => isGrantable(path, cell, places));
  const mounts: readonly Grant[] = [
    ...systemMounts(),
    ...ownFolders(cell, inside),
    ...tools(launch, cell, inside),
    ...settingsOf(cell, inside),
    ...[join(mirrorOf(places.home, cell.repo), "objects"), places.home.bin].flatMap(reading),
    ...(places.socket === "" ? [] : reading(places.socket)),
    ...[...cell.writable, ...named(cell.named.write)].flatMap(writing),
    ...cell.readable.flatMap((path) => [path, ...gitFolders(path)]).flatMap(reading),
    ...[
      ...cell.named.read.filter((path) => isScript(path, places)),
      ...named([...cell.named.read, ...cell.reach.read]),
    ].flatMap(reading),
    ...named(cell.reach.write).flatMap(writing),
    ...named(cell.reach.devices).map((path): Grant => ({ type: "device", from: path, to: path })),
  ].map((mount, at, all) => unshared(mount, all.slice(at + 1), { cell, cache: places.cache }));
  clearMountPoints(mounts, [cell.keep]);
  return {
    mounts,
    env: {
      HOME: inHome,
      TMPDIR: "/tmp",
      SIGNALBOX_SOCKET: places.socket === "" ? undefined : socketOf(places.socket),
    },
  };
}

function systemMounts(): readonly Grant[] {
  const links = OF_SYSTEM.flatMap((path): readonly Grant[] => {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) return [];
    return there.isSymbolicLink() ? [{ type: "link", from: readlinkSync(path), to: path }] : reading(path);
  });
  const masks = [...MASKED, ...hostKeys()].flatMap((path): readonly Grant[] => {
    const there = lstatSync(path, { throwIfNoEntry: false });
    return there === undefined || there.isSymbolicLink()
      ? []
      : [{ type: "mask", to: path, isFolder: there.isDirectory() }];
  });
  return [...FOLDERS.flatMap(reading), ...links, ...resolver(), ...masks];
}

function hostKeys(): readonly string[] {
  return ["rsa", "ecdsa", "ed25519", "dsa"].map((kind) => `/etc/ssh/ssh_host_${kind}_key`);
}

/** `/etc/resolv.conf` is often a link into `/run`, of which nothing else is shown. */
function resolver(): readonly Grant[] {
  const file = "/etc/resolv.conf";
  const real = existsSync(file) ? realpathSync(file) : file;
  return real.startsWith("/etc/") ? [] : reading(real);
}

function ownFolders(
  { keep, files, writable }: Confinement,
  { env, cache, inHome }: InsidePlaces,
): readonly Grant[] {
  const own = (name: string): string => made(join(keep, name));
  // What the last turn left there is of no use any more.
  rmSync(join(keep, "tmp"), { recursive: true, force: true });
  const temporary = ["/tmp", "/var/tmp"].map((to): Grant => ({ type: "write", from: own("tmp"), to }));
  // Whose home folder is the repository works in it.
  if (writable.includes(inHome)) return temporary;
  const folders = [
    ["home", inHome] as const,
    ...MOVING.map((name) => [name, env[name] ?? ""] as const).filter(([, path]) => path.startsWith("/")),
  ];
  for (const file of files.settings.filter(isCopied)) {
    const [name, path] = folders.findLast(([, each]) => isWithin(file, each)) ?? [];
    if (name !== undefined && path !== undefined) copyOnce(file, own(name), relative(path, file));
  }
  const caches = CACHES.map(([name, shared]): Grant => {
    const moved = name === ".cache" ? (env["XDG_CACHE_HOME"] ?? "") : "";
    const to = moved.startsWith("/") ? moved : join(inHome, name);
    return { type: "write", from: made(join(cache, "cells", shared)), to };
  });
  return [
    ...temporary,
    ...folders.map(([name, to]): Grant => ({ type: "write", from: own(name), to })),
    ...caches,
  ];
}

/** A cache with a mount in it is the attempt's own: others, who write at the same time, could put a link in its way. */
function unshared(mount: Grant, later: readonly Grant[], { cell, cache }: Shared): Grant {
  if (mount.type !== "write" || !isWithin(mount.from, join(cache, "cells"))) return mount;
  if (!later.some(({ to }) => to !== mount.to && isWithin(to, mount.to))) return mount;
  return { ...mount, from: made(join(cell.keep, "caches", basename(mount.from))) };
}

type Shared = { readonly cell: Confinement; readonly cache: string };

function made(folder: string): string {
  makeFolder(folder);
  return folder;
}

/** An agent may have put a link there, to write anywhere through us. */
function copyOnce(from: string, folder: string, path: string): void {
  if (!existsSync(from)) return;
  clearWay(folder, path, { isFolder: false, isOurs: true });
  const to = join(folder, path);
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(to));
  copyFileSync(from, to, constants.COPYFILE_EXCL);
}

/** What is found on the PATH, the program's own installation, this package and its Node. */
function tools(launch: Launch, cell: Confinement, places: InsidePlaces): readonly Grant[] {
  const path = launch.env["PATH"] ?? "";
  const program = programAt(cell.program ?? launch.argv[0] ?? "", path);
  const root = packageRoot();
  const all = [
    ...TOOL_CHAINS.map((name) => join(places.inHome, name)),
    ...path.split(":").filter((folder) => folder.startsWith("/")),
    ...(program === undefined ? [] : installationOf(program)),
    ...PACKAGE.map((name) => join(root, name)),
    process.execPath,
  ];
  const isOpen = (each: string): boolean => !isOfSystem(each) && !isProtected(each, cell, places);
  return [...new Set(all)].filter(isOpen).flatMap(reading);
}

function isOfSystem(path: string): boolean {
  return [...FOLDERS, ...OF_SYSTEM].some((folder) => isWithin(path, folder));
}

/** Nothing that is found by a rule may show the state home, the settings, the user's repository, or all of the home folder. */
function isProtected(path: string, { repo }: Confinement, { home, person }: GrantPlaces): boolean {
  const own = [packageRoot(), process.execPath].some((each) => isWithin(path, each));
  const kept = [home.root, configFolder(person) ?? "", person["HOME"] ?? "", ...(own ? [] : [repo])].filter(
    (each) => each !== "",
  );
  const isAbove = kept.some((each) => isWithin(each, path));
  const isInside = kept.some((each) => each !== person["HOME"] && isWithin(path, each));
  return isAbove || isInside;
}

/** Next to the person's settings, from where their own command lines are looked for. */
function isScript(path: string, { person }: GrantPlaces): boolean {
  const folder = configFolder(person);
  if (folder === undefined || !existsSync(path) || !isWithin(path, folder)) return false;
  const real = realpathSync(path);
  return statSync(real).isFile() && isWithin(real, realpathSync(folder)) && basename(real) !== KEY_NAME;
}

/**
 * No setting can show the state home, the configuration folder with the human key, or a folder above them. A path in the repository must have
 * no links in it: an agent that works in place could have made them.
 */
function isGrantable(path: string, { repo }: Confinement, { home, person }: GrantPlaces): boolean {
  if (!existsSync(path)) return false;
  const real = realpathSync(path);
  const kept = [home.root, configFolder(person) ?? ""].filter(existsSync).map((each) => realpathSync(each));
  if (kept.some((each) => isWithin(each, real) || isWithin(real, each))) return false;
  return !isWithin(path, repo) || real === join(realpathSync(repo), path.slice(repo.length));
}

/** At the paths where they are, which are in folders that are private inside. */
function settingsOf({ files }: Confinement, { inHome }: InsidePlaces): readonly Grant[] {
  const git = [".gitconfig", ".config/git"].map((name) => join(inHome, name));
  return [
    ...[...files.settings.filter((file) => !isCopied(file)), ...git].flatMap(reading),
    ...files.credentials.flatMap(writing),
  ];
}

/** The `.git` of a linked worktree is a file, which says where its folder is, and that where what it shares is. */
function gitFolders(path: string): readonly string[] {
  if (basename(path) !== ".git" || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const [, named = ""] = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8")) ?? [];
  const folder = resolve(dirname(path), named);
  const shared = join(folder, "commondir");
  return existsSync(shared) ? [folder, resolve(folder, readFileSync(shared, "utf8").trim())] : [folder];
}

function reading(path: string): readonly Grant[] {
  return existsSync(path) ? [{ type: "read", from: path, to: path }] : [];
}

function writing(path: string): readonly Grant[] {
  return existsSync(path) ? [{ type: "write", from: path, to: path }] : [];
}
