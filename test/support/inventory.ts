/** An inventory of a workspace, by which a lost byte is noticed. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { sh } from "./git.ts";
import type { Site } from "./git.ts";

export type Inventory = { readonly bytes: ReadonlyMap<string, string>; readonly objects: readonly string[] };

/** Every file with its bytes, and every object that the index and the logs of the clone name. */
export function inventory(path: string, of: Site): Inventory {
  const gitDir = join(path, ".git");
  const isClone = existsSync(gitDir);
  const env = { ...of.env, GIT_DIR: gitDir };
  const staged =
    isClone && existsSync(join(gitDir, "index")) ? sh(path, env, ["ls-files", "-s"]).split("\n") : [];
  const blobs = staged
    .filter((line) => line !== "" && !line.startsWith("160000"))
    .map((line) => line.split(" ")[1] ?? "");
  const logged = ["logs/HEAD", "logs/refs/stash"].flatMap((name) =>
    existsSync(join(gitDir, name))
      ? (readFileSync(join(gitDir, name), "utf8").match(/\b[0-9a-f]{40}\b/g) ?? [])
      : [],
  );
  const empty = createHash("sha1").update("blob 0\0").digest("hex");
  return {
    bytes: filesBelow(path, (name) => name === ".git"),
    objects: [...new Set([...blobs, ...logged])].filter((oid) => !/^0+$/.test(oid) && oid !== empty),
  };
}

/** Names have one character for each byte. */
export function filesBelow(
  root: string,
  isLeftOut: (name: string) => boolean = () => false,
): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: Buffer, below: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
      const name = below + entry.name.toString("latin1");
      if (isLeftOut(name)) continue;
      const full = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      if (entry.isDirectory()) walk(full, `${name}/`);
      else found.set(name, contentOf(full));
    }
  };
  if (existsSync(root)) walk(Buffer.from(root), "");
  return found;
}

function contentOf(path: Buffer): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return blobId(Buffer.from(readlinkSync(path)));
  return stat.isFile() ? blobId(readFileSync(path)) : "special";
}

function blobId(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** What of the inventory is neither reachable in the mirror, nor in the folder, nor in a `.git` there. */
export function lost(before: Inventory, of: Site, keep: string): readonly string[] {
  const gitDir = mirrorOf(of.home, of.repo);
  const held = new Set(
    sh(gitDir, { ...of.env, GIT_DIR: gitDir }, ["rev-list", "--objects", "--no-object-names", "--all"]).split(
      "\n",
    ),
  );
  const kept = new Set(filesBelow(keep).values());
  const clones = (existsSync(keep) ? readdirSync(keep) : []).map((name) => join(keep, name, ".git"));
  const isInClone = (oid: string): boolean =>
    clones.some(
      (clone) =>
        existsSync(clone) &&
        spawnSync("git", ["cat-file", "-e", oid], { env: { ...of.env, GIT_DIR: clone } }).status === 0,
    );
  return [
    ...[...before.bytes].flatMap(([name, id]) => (held.has(id) || kept.has(id) ? [] : [name])),
    ...before.objects.filter((oid) => !held.has(oid) && !isInClone(oid)),
  ];
}
