/**
 * What a sparse checkout leaves out: it is not there, and not deleted either.
 *
 * It is taken down when we have checked out ourselves, so that nothing can be hidden later by saying that it was left out.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { gitRecords } from "./call.ts";
import { at } from "./own.ts";
import type { Bench, On } from "./own.ts";

const FILE = "left-out";

/** Folders, with a slash at their end, and files. */
export async function noteSkipped(on: On, bench: Bench, index: string): Promise<void> {
  if (!existsSync(join(bench.own, "info", "sparse-checkout"))) return;
  const records = await gitRecords(on.env, { ...at(bench, index), args: ["ls-files", "-t", "-z"] });
  const here = new Set<string>();
  for (const record of records)
    if (!record.startsWith("S ")) for (const folder of foldersOf(record.slice(2))) here.add(folder);
  const skipped = records
    .filter((record) => record.startsWith("S "))
    .map((record) => record.slice(2))
    .map((name) => foldersOf(name).find((folder) => !here.has(folder)) ?? name);
  const escaped = [...new Set(skipped)].map((name) => Buffer.from(name, "latin1").toString("base64url"));
  writePrivate(join(bench.own, FILE), escaped.map((line) => `${line}\n`).join(""));
}

export function skippedOf({ own }: Bench): readonly string[] {
  const text = unless(["ENOENT"], () => readFileSync(join(own, FILE), "utf8")) ?? "";
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Buffer.from(line, "base64url").toString("latin1"));
}

export function isSkipped(skipped: readonly string[], name: string): boolean {
  return skipped.some((each) => (each.endsWith("/") ? name.startsWith(each) : name === each));
}

/** From the top. */
function foldersOf(name: string): readonly string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, place) => `${parts.slice(0, place + 1).join("/")}/`);
}
