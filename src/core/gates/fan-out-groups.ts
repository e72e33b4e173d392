/**
 * Members of a fan-out: the texts of a list, or the files that the issues of a review name.
 *
 * A member becomes the name of files and agents, its *slot*. A text of a list is its own slot; a path gets a generated one.
 */

import { SEVERITIES, type Severity } from "../model/verdict.ts";
import type { Artifact } from "../model/artifact.ts";

export type FanOutMember = { readonly slot: string; readonly member: string };

/** The implicit list of a review whose issues name their files. */
export const FILES = "files";

/** The group for issues without a file, and for all files beyond the maximum. */
const GENERAL = "general";
const OTHERS = "others";

/** The maximum number of files. Issues of further files, in the order of the review, join the group without a file. */
export const FILES_MAX = 200;
const BEYOND = `${GENERAL}, every file of the review beyond the first ${FILES_MAX}`;

const SLOT_MAX = 60;

export function isGrouped(artifact: Artifact | undefined, list: string): boolean {
  const reader = artifact?.reader;
  if (reader?.type !== "json" && reader?.type !== "yaml") return false;
  return list === FILES && reader.review?.locationAt !== undefined;
}

/**
 * Only blocking issues are distributed; if a rejection has none, all its issues are. If there are too many groups, those with the
 * highest severities stay, and the rest becomes one group.
 */
export function groupsOf(
  files: Readonly<Record<string, Severity>>,
  { block, max }: { readonly block: Severity; readonly max: number },
): FanOutMember[] {
  const all = Object.entries(files).toSorted(([, a], [, b]) => rankOf(a) - rankOf(b));
  const blocking = all.filter(([, severity]) => rankOf(severity) <= rankOf(block));
  const names = (blocking.length === 0 ? all : blocking).map(([file]) => file);
  const alone = names.length > max ? names.slice(0, max - 1) : names;
  const told = (file: string): string => (file === "" && isFull(files) ? BEYOND : nameOf(file));
  const rest = names.slice(alone.length).map(told);
  const taken = new Set<string>();
  return [
    ...alone.map((file) => ({ slot: slotOf(nameOf(file), taken), member: told(file) })),
    ...(rest.length === 0 ? [] : [{ slot: slotOf(OTHERS, taken), member: rest.join(", ") }]),
  ];
}

function rankOf(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

function isFull(files: Readonly<Record<string, Severity>>): boolean {
  return Object.keys(files).filter((file) => file !== "").length >= FILES_MAX;
}

function nameOf(file: string): string {
  return file === "" ? GENERAL : file;
}

/** Letters, digits, `_ . -`; a long path loses its beginning. Always unique, also without regard to case. */
function slotOf(name: string, taken: Set<string>): string {
  const safe = name.replaceAll(/[^A-Za-z0-9_.-]+/g, "-").replaceAll(/\.{2,}/g, ".");
  const base = safe.slice(-SLOT_MAX).replace(/^[^A-Za-z0-9]+/, "") || "file";
  let slot = base;
  for (let number = 2; taken.has(slot.toLowerCase()); number += 1) slot = `${base}-${number}`;
  taken.add(slot.toLowerCase());
  return slot;
}
