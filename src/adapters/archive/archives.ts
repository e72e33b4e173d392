/**
 * Files are put in place one after the other, then a folder is moved, by a plan that was written down before.
 *
 * Whoever finds a plan goes on with it: forward, or back where that was decided. Nothing here gives way to anybody in this process.
 */

import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freeName } from "../../core/text/generated-names.ts";
import type { Archives, ArchiveRequest } from "../../engine/ports/archives.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, syncFolder, writePrivate } from "../home/folders.ts";
import { digestOf, look, NONE, put, requirePlain, takeAway, tidy } from "./plain.ts";
import { readOwn } from "../home/own-file.ts";

export const fileArchives: Archives = {
  look: (root, file) => look({ root, file }),
  keep(path, bytes) {
    if (existsSync(path)) return;
    makeFolder(dirname(path));
    put({ root: dirname(path), file: basename(path) }, NONE, bytes);
  },
  isPlanned: (desk) => planAt(desk) !== undefined,
  plan,
  put: putAll,
  move,
  undo(desk) {
    if (planAt(desk) !== undefined && directionAt(desk) !== "done") goBack(desk);
  },
};

function plan(desk: string, wanted: ArchiveRequest): boolean {
  const { root, folder, to } = wanted;
  const files = wanted.files.map(({ file, base, bytes }) => {
    const seen = look({ root, file });
    return { file, base, old: contentOf(seen.bytes), now: contentOf(bytes) };
  });
  if (files.some(({ base, old }) => base !== old.digest)) return false;
  const ino = inodeOf(root, folder);
  requirePlain({ root, file: to });
  if (ino === undefined) throw new Error(`${folder} is no folder any more`);
  const changes = files.map(({ file, old, now }) => ({ file, old, now }));
  writePlan(desk, { root, files: changes, folder, name: to, to: freeIn(root, to), ino });
  return true;
}

function contentOf(bytes: Uint8Array | undefined): FileContent {
  if (bytes === undefined) return { digest: NONE, text: "" };
  return { digest: digestOf(bytes), text: Buffer.from(bytes).toString("base64") };
}

function putAll(desk: string): "ready" | "undone" {
  const known = requirePlan(desk);
  const direction = directionAt(desk);
  if (direction === "done") return "ready";
  if (direction === "forward" && orBack(desk, () => isPut(known))) return "ready";
  goBack(desk);
  return "undone";
}

/** False where somebody has changed one of them: it is theirs. */
function isPut({ root, files }: ArchivePlan): boolean {
  return files.every(({ file, old, now }) => {
    tidy({ root, file });
    const { digest } = look({ root, file });
    if (digest === now.digest) return true;
    return digest === old.digest && put({ root, file }, old.digest, bytesOf(now));
  });
}

/** What cannot be done is put back, and told. */
function orBack<T>(desk: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    goBack(desk);
    throw error;
  }
}

/** From here on there is no way forward: whoever finds this goes on back. What is neither old nor new is somebody's, and stays. */
function goBack(desk: string): void {
  const { root, files, folder, to, ino } = requirePlan(desk);
  turn(desk, "back");
  if (orNothing(() => inodeOf(root, to)) === ino) {
    leaveBehind(root, folder, to);
    moveFolder(root, to, folder);
  }
  for (const { file, old, now } of files.toReversed()) {
    tidy({ root, file });
    if (old.digest === now.digest || orNothing(() => look({ root, file }))?.digest !== now.digest) continue;
    if (old.digest === NONE) takeAway({ root, file }, now.digest);
    else put({ root, file }, now.digest, bytesOf(old));
  }
  dropPlan(desk);
}

/** What cannot be looked at, or stands behind a link, is nothing of ours. */
function orNothing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && !("code" in error)) return undefined;
    throw error;
  }
}

function move(desk: string): { readonly from: string; readonly to: string } {
  const known = requirePlan(desk);
  const { folder } = known;
  if (directionAt(desk) === "done") return { from: folder, to: known.to };
  const to = orBack(desk, () => movedTo(desk, known));
  leaveBehind(known.root, folder, to);
  turn(desk, "done");
  return { from: folder, to };
}

function movedTo(desk: string, known: ArchivePlan): string {
  const { root, folder, to, ino, name } = known;
  if (inodeOf(root, to) === ino) return to;
  // Somebody may have been faster with the name.
  const free = freeIn(root, name);
  if (free !== to) writePlan(desk, { ...known, to: free });
  if (inodeOf(root, folder) !== ino)
    throw new Error(`${folder} is not the folder any more that was to be moved`);
  moveFolder(root, folder, free);
  return free;
}

function moveFolder(root: string, from: string, to: string): void {
  requirePlain({ root, file: to });
  mkdirSync(dirname(join(root, to)), { recursive: true });
  failpoint("archive.before-move");
  renameSync(join(root, from), join(root, to));
  for (const path of [from, to]) syncFolder(dirname(join(root, path)));
  failpoint("archive.after-move");
}

/** Somebody has written there since the folder was moved: that goes along, beside what was there. */
function leaveBehind(root: string, folder: string, to: string): void {
  if (inodeOf(root, folder) === undefined) return;
  renameSync(join(root, folder), join(root, freeIn(root, `${to}/written-late`)));
  syncFolder(dirname(join(root, folder)));
}

/** Of a folder that is reached through no link. */
function inodeOf(root: string, folder: string): string | undefined {
  requirePlain({ root, file: folder });
  const stat = unless(["ENOENT"], () => lstatSync(join(root, folder), { bigint: true }));
  return stat?.isDirectory() === true ? `${stat.dev}:${stat.ino}` : undefined;
}

function freeIn(root: string, name: string): string {
  return freeName(name, (each) => unless(["ENOENT"], () => lstatSync(join(root, each))) !== undefined);
}

function bytesOf({ text }: FileContent): Uint8Array {
  return Buffer.from(text, "base64");
}

function requirePlan(desk: string): ArchivePlan {
  const known = planAt(desk);
  if (known === undefined) throw new Error(`nothing is planned in ${desk}`);
  return known;
}

/** What is about to happen, written down whole before it does: what each file held, what it is to hold, and which folder goes where. */
type ArchivePlan = {
  readonly root: string;
  readonly files: readonly ArchivedChange[];
  readonly folder: string;
  /** As it is wanted, and as it is free. */
  readonly name: string;
  readonly to: string;
  /** Which folder it is, wherever it is. */
  readonly ino: string;
};

type ArchivedChange = { readonly file: string; readonly old: FileContent; readonly now: FileContent };
/** `text` is in base64; empty where there is no file. */
type FileContent = { readonly digest: string; readonly text: string };

/** *forward* unless something else was written down. */
type Direction = "forward" | "back" | "done";

const BYTES_MAX = 256 * 1024 * 1024;
const [PLAN, DIRECTION] = ["plan.json", "direction"];

function planAt(desk: string): ArchivePlan | undefined {
  const read = readOwn(join(desk, PLAN), BYTES_MAX);
  if (read.type === "missing") return undefined;
  const written: unknown = read.type === "text" ? JSON.parse(read.text) : undefined;
  if (isPlan(written)) return written;
  throw new Error(`${join(desk, PLAN)} is nothing that was written down there`);
}

function writePlan(desk: string, written: ArchivePlan): void {
  makeFolder(desk);
  failpoint("archive.before-plan");
  // Of an earlier one that was put back.
  rmSync(join(desk, DIRECTION), { force: true });
  writePrivate(join(desk, PLAN), `${JSON.stringify(written)}\n`);
  failpoint("archive.after-plan");
}

function directionAt(desk: string): Direction {
  const read = readOwn(join(desk, DIRECTION));
  const word = read.type === "text" ? read.text.trim() : "";
  return word === "back" || word === "done" ? word : "forward";
}

function turn(desk: string, direction: Direction): void {
  failpoint("archive.before-turn");
  writePrivate(join(desk, DIRECTION), `${direction}\n`);
  failpoint("archive.after-turn");
}

function dropPlan(desk: string): void {
  failpoint("archive.before-drop");
  rmSync(join(desk, PLAN), { force: true });
  syncFolder(desk);
  failpoint("archive.after-drop");
}

function isPlan(value: unknown): value is ArchivePlan {
  if (!isRecord(value) || !Array.isArray(value["files"])) return false;
  return (
    ["root", "folder", "name", "to", "ino"].every((key) => typeof value[key] === "string") &&
    value["files"].every(
      (each: unknown) =>
        isRecord(each) &&
        typeof each["file"] === "string" &&
        isContent(each["old"]) &&
        isContent(each["now"]),
    )
  );
}

function isContent(value: unknown): value is FileContent {
  return isRecord(value) && typeof value["digest"] === "string" && typeof value["text"] === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
