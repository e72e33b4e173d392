/** Mount points in folders that an agent writes. Whoever mounts follows the links that it left there, with the rights of the machine. */

import { lstatSync, renameSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { newName } from "../home/new-name.ts";
import { isWithin } from "./within.ts";
import type { Grant } from "./grants.ts";

type Mount = Extract<Grant, { from: string }>;

/**
 * Before a turn, while no process of its attempt lives. What is in the way is moved aside in the folders that are `ours`, and refused in
 * those of the person.
 */
export function clearMountPoints(mounts: readonly Grant[], ours: readonly string[]): void {
  for (const [at, mount] of mounts.entries()) {
    if (mount.type === "link" || mount.type === "mask") continue;
    refuseLinkedSource(mount, mounts);
    const under = mounts.slice(0, at).findLast(({ to }) => isWithin(mount.to, to));
    if (under?.type !== "write" || under.to === mount.to) continue;
    const isOurs = ours.some((folder) => isWithin(under.from, folder));
    const isFolder = statSync(mount.from, { throwIfNoEntry: false })?.isDirectory() === true;
    clearWay(under.from, relative(under.to, mount.to), { isFolder, isOurs });
  }
}

/** An agent that writes in the folder of what is mounted could otherwise have anything else mounted. */
function refuseLinkedSource({ from }: Mount, mounts: readonly Grant[]): void {
  for (const above of mounts) {
    if (above.type !== "write" || above.from === from || !isWithin(from, above.from)) continue;
    clearWay(above.from, relative(above.from, from), { isFolder: undefined, isOurs: false });
  }
}

/** Every step below the folder is a plain folder afterwards, or missing; the last one what it is to be. */
export function clearWay(
  folder: string,
  path: string,
  { isFolder, isOurs }: { readonly isFolder: boolean | undefined; readonly isOurs: boolean },
): void {
  const steps = path.split(sep);
  let here = folder;
  for (const [at, step] of steps.entries()) {
    here = join(here, step);
    const there = lstatSync(here, { throwIfNoEntry: false });
    if (there === undefined) return;
    const wanted = at < steps.length - 1 ? true : isFolder;
    if (wanted !== false && there.isDirectory()) continue;
    if (wanted !== true && there.isFile()) continue;
    if (wanted === undefined && !there.isSymbolicLink()) continue;
    if (!isOurs) throw new Error(`${here} is in the way of the sandbox: agents write in ${folder}`);
    renameSync(here, `${here}.aside-${newName()}`);
    return;
  }
}
