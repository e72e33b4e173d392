/** What is about to happen, written down whole before it does: what each file held, what it is to hold, and which folder goes where. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { makeFolder, syncFolder, writePrivate } from "../home/folders.ts";
import { readOwn } from "../home/own-file.ts";

export type Plan = {
  readonly root: string;
  readonly files: readonly Change[];
  readonly folder: string;
  /** As it is wanted, and as it is free. */
  readonly name: string;
  readonly to: string;
  /** Which folder it is, wherever it is. */
  readonly ino: string;
};

type Change = { readonly file: string; readonly old: Content; readonly now: Content };
/** `text` is in base64; empty where there is no file. */
export type Content = { readonly digest: string; readonly text: string };

/** *forward* unless something else was written down. */
export type Direction = "forward" | "back" | "done";

const BYTES_MAX = 256 * 1024 * 1024;
const [PLAN, DIRECTION] = ["plan.json", "direction"];

export function planAt(desk: string): Plan | undefined {
  const read = readOwn(join(desk, PLAN), BYTES_MAX);
  if (read.type === "missing") return undefined;
  const plan: unknown = read.type === "text" ? JSON.parse(read.text) : undefined;
  if (isPlan(plan)) return plan;
  throw new Error(`${join(desk, PLAN)} is nothing that was written down there`);
}

export function writePlan(desk: string, plan: Plan): void {
  makeFolder(desk);
  failpoint("archive.before-plan");
  // Of an earlier one that was put back.
  rmSync(join(desk, DIRECTION), { force: true });
  writePrivate(join(desk, PLAN), `${JSON.stringify(plan)}\n`);
  failpoint("archive.after-plan");
}

export function directionAt(desk: string): Direction {
  const read = readOwn(join(desk, DIRECTION));
  const word = read.type === "text" ? read.text.trim() : "";
  return word === "back" || word === "done" ? word : "forward";
}

export function turn(desk: string, direction: Direction): void {
  failpoint("archive.before-turn");
  writePrivate(join(desk, DIRECTION), `${direction}\n`);
  failpoint("archive.after-turn");
}

export function dropPlan(desk: string): void {
  failpoint("archive.before-drop");
  rmSync(join(desk, PLAN), { force: true });
  syncFolder(desk);
  failpoint("archive.after-drop");
}

function isPlan(value: unknown): value is Plan {
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

function isContent(value: unknown): value is Content {
  return isRecord(value) && typeof value["digest"] === "string" && typeof value["text"] === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
