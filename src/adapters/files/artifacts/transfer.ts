/** Copies files of a run into the checkout of one of its judges, before a turn. */

import { closeSync, constants, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Artifacts, Place } from "../../../engine/ports/files.ts";
import { cutSection, setSection } from "../../../format/markdown/place.ts";
import { failpoint } from "../../failpoint.ts";
import { decodeWhole } from "../replace/decode.ts";
import { unless } from "../errno.ts";
import { inFolder } from "../replace/folder.ts";
import { leadOf } from "./link-target.ts";
import { statOf } from "../replace/leftover.ts";
import { copy } from "../replace/move.ts";
import { filesOf, shownPath, type FileOf } from "../../../core/text/run-files.ts";
import { rewrite } from "../replace/replace.ts";
import { openAt } from "./unreadable.ts";

const UNREADABLE = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];
const OWN_FILES = ".signalbox-";
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const BRACES = /\{[^{}/]*\}/;

/** Gives a sentence for each file that could not be copied. */
export function copyFiles(place: Place, of: Parameters<Artifacts["copy"]>[1]): readonly string[] {
  const target: Place = { ...place, root: of.to };
  const own = filesOf(target).filter(({ artifact }) => of.keep.includes(artifact));
  // A judge redirects its output to where the artifact belongs; the folder must exist.
  for (const { file } of own) inFolder({ root: of.to, file, make: "below" }, () => undefined);
  const others = of.others.filter((file) => leadOf(of.to, file) === undefined);
  const files = [...of.paths.flatMap((path) => matching(place.root, path)), ...others];
  return [...new Set(files)].flatMap((file) => {
    const kept = own.filter((each) => each.file === file);
    failpoint("judge.before-copy");
    const reason = copyOne({ from: place.root, to: of.to, file }, kept);
    return reason === undefined ? [] : [`${shownPath(file)} ${reason}, so that it is not copied`];
  });
}

/** Paths of files that a path stands for; a part in braces stands for any name. */
export function matching(root: string, path: string): readonly string[] {
  let found: readonly string[] = [""];
  for (const name of path.replace(/^(?:\.\/)+/, "").split("/")) {
    found = found.flatMap((above) => {
      const names = BRACES.test(name) ? namesIn(join(root, above)).filter(nameTest(name)) : [name];
      return names.map((each) => (above === "" ? each : `${above}/${each}`));
    });
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  const names = unless(UNREADABLE, () => readdirSync(folder)) ?? [];
  return names.filter((name) => !name.startsWith(OWN_FILES));
}

function nameTest(pattern: string): (name: string) => boolean {
  const parts = pattern.split(/\{[^{}/]*\}/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const test = new RegExp(`^${parts.join(".*")}$`, "su");
  return (name) => test.test(name);
}

type Copying = { readonly from: string; readonly to: string; readonly file: string };

/** Undefined where it was copied, or nothing was there. */
function copyOne({ from, to, file }: Copying, kept: readonly FileOf[]): string | undefined {
  const copied = inFolder({ root: from, file }, (folder, name) => {
    const stat = statOf(folder, name);
    if (stat === undefined) return undefined;
    if (!stat.isFile()) return "is no ordinary file";
    const target = { root: to, file, make: "below" } as const;
    const isNew = inFolder(target, (into, entry) => {
      if (statOf(into, entry) !== undefined) return false;
      // Not durable: after a crash the whole checkout is made again.
      const fd = openSync(into.at(entry), NEW, Number(stat.mode & 0o777n));
      try {
        copy(folder, name, fd);
      } finally {
        closeSync(fd);
      }
      return true;
    });
    if (isNew.type === "refused") return isNew.reason;
    return isNew.type === "done" && isNew.value ? undefined : renew({ from, to, file }, kept);
  });
  return copied.type === "refused" ? copied.reason : copied.type === "done" ? copied.value : undefined;
}

/** The file of an earlier turn: what its agent has written there itself stays. */
function renew({ from, to, file }: Copying, kept: readonly FileOf[]): string | undefined {
  const headings = kept.flatMap(({ of: { reader } }) => (reader.type === "section" ? [reader.heading] : []));
  if (headings.length < kept.length) return undefined;
  const opened = openAt(from, file);
  if (opened.type !== "bytes") return opened.type === "refused" ? opened.reason : undefined;
  const spot = { root: to, file, isWorkspace: true };
  const written = rewrite(spot, { edit: (now) => ({ bytes: withSections(opened.bytes, now, headings) }) });
  return written.type === "refused" ? written.reason : undefined;
}

function withSections(
  bytes: Uint8Array,
  now: Uint8Array | undefined,
  headings: readonly string[],
): Uint8Array {
  const [whole, before] = [decodeWhole(bytes), now === undefined ? undefined : decodeWhole(now)];
  if (before === undefined || whole === undefined) return bytes;
  const text = headings.reduce((all: string, heading) => {
    const own = cutSection(before, heading);
    if (!own.ok) return all;
    const placed = own.cut === "" ? cutSection(all, heading) : setSection(all, heading, own.cut);
    return placed.ok ? placed.text : all;
  }, whole);
  return Buffer.from(text);
}
