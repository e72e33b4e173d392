/**
 * Files that a list of tasks or the workflow itself names, as one content: which they are, and what each of them holds, or that it is not there.
 *
 * They are work, not text: of any kind and of any size that somebody would write. Nothing but ordinary files inside of the workspace is opened.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Fault, Reading } from "../../../core/model/event.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import type { Lead, Place } from "../../../engine/ports/files.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { sha256 } from "../../../format/sha256.ts";
import { decodeWhole } from "../replace/decode.ts";
import { codeOf } from "../errno.ts";
import { inFolder, type Folder } from "../replace/folder.ts";
import { leadOf } from "./link-target.ts";
import { filesOf, shownPath } from "../../../core/text/run-files.ts";
import { openAt } from "./unreadable.ts";

type Cache = Pick<Store, "readings" | "commit">;
type On = { readonly cache: Cache; readonly place: Place };

const BYTES_MAX = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** Nobody reads more of them. */
const FAULTS_MAX = 100;
const ABSENT = "absent";

/** `readings` were made at the same moment. Without a workspace there is no work, and the result is empty. */
export async function readNamed(on: On, readings: readonly Reading[]): Promise<readonly Reading[]> {
  const { place } = on;
  const named: Reading[] = [];
  if (place.isWorkspace !== true) return named;
  for (const [artifact, { reader }] of Object.entries(place.workflow.definition.artifacts)) {
    if (reader.type !== "files" || reader.select === "besides") continue;
    if (reader.select === "paths") {
      named.push(byPath(place, artifact, reader.paths));
      continue;
    }
    const list = readings.find((reading) => reading.artifact === reader.tasks);
    if (list !== undefined) named.push(await readingOf(on, artifact, list));
  }
  return named;
}

async function readingOf(on: On, artifact: string, list: Reading): Promise<Reading> {
  const reading = {
    artifact,
    slot: "",
    found: list.found,
    digest: list.digest,
    faults: [],
    fields: {},
    lists: {},
  };
  if (!list.found || list.faults.length > 0) return { ...reading, faults: list.faults.map(ofList) };
  const file = filesOf(on.place).find((each) => each.artifact === list.artifact)?.file ?? "";
  const files = await filesIn(on, list, file);
  if (files === undefined)
    return {
      ...reading,
      faults: [{ at: { file: shownPath(file), line: 1, col: 1 }, reason: "it changes while it is read" }],
    };
  const { digest, faults } = contentOf(on.place.root, files);
  return { ...reading, digest, faults };
}

/** That none of them is there is something to know, too. */
function byPath({ root, run }: Place, artifact: string, paths: readonly string[]): Reading {
  const files = [...new Set(paths.map((path) => fillPath(run, path, "")))];
  const { digest, faults, found } = contentOf(root, files, leadOf);
  return { artifact, slot: "", found: true, digest, faults, fields: { found }, lists: {} };
}

/** A list of tasks names files one by one, and a link in it is a slip; a workflow names what may be either. */
const asNamed = (_: string, file: string): Lead => ({ file, to: file });

type Content = { readonly digest: string; readonly faults: readonly Fault[]; readonly found: number };

function contentOf(
  root: string,
  files: readonly string[],
  lead: (root: string, file: string) => Lead | undefined = asNamed,
): Content {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const faults: Fault[] = [];
  let found = 0;
  const lines = files.map((path) => {
    const led = lead(root, path) ?? { file: path, to: path };
    const held: Held =
      "to" in led
        ? contentAt(root, led.to, () => createHash("sha256"))
        : { type: "refused", reason: led.reason };
    if (held.type === "refused")
      faults.push({ at: { file: path, line: 1, col: 1 }, reason: `the file ${held.reason}` });
    if (held.type === "digest") found += 1;
    return `${path}\0${held.type === "digest" ? held.digest : held.type}\n`;
  });
  return { digest: `sha256:${sha256(lines.join(""))}`, faults: faults.slice(0, FAULTS_MAX), found };
}

function ofList({ at, reason }: Fault): Fault {
  return { at, reason: `what the list of tasks names cannot be looked at: ${reason}` };
}

/** Undefined where the list cannot be opened any more. It is parsed only if nobody has parsed exactly these bytes before. */
async function filesIn(
  { cache, place }: On,
  list: Reading,
  file: string,
): Promise<readonly string[] | undefined> {
  const { definition } = place.run;
  const opened = openAt(place.root, file);
  const reader = place.workflow.definition.artifacts[list.artifact]?.reader;
  if (opened.type !== "bytes" || reader?.type !== "tasks") return undefined;
  const at = { definition, file: `${file} names`, digest: sha256(opened.bytes) };
  const known = (await cache.readings(at))?.[0]?.lists["files"];
  if (known !== undefined) return known;
  const { readTasks } = await import("../../../format/tasks/read.ts");
  const { tasks } = readTasks(reader.style, shownPath(file), decodeWhole(opened.bytes) ?? "");
  const files = [...new Set(tasks.flatMap((task) => task.files))].toSorted();
  await cache.commit([{ type: "put-readings", ...at, readings: [{ ...list, lists: { files } }] }]);
  return files;
}

type Held =
  | { readonly type: "digest"; readonly digest: string }
  | { readonly type: typeof ABSENT }
  | { readonly type: "refused"; readonly reason: string };

type Hash = { update(bytes: Uint8Array): unknown; digest(encoding: "hex"): string };

function contentAt(root: string, file: string, hash: () => Hash): Held {
  const inside = inFolder({ root, file }, (folder, name) => open(folder, name, hash));
  if (inside.type === "done") return inside.value;
  return inside.type === "missing" ? { type: ABSENT } : inside;
}

function open(folder: Folder, name: string, hash: () => Hash): Held {
  try {
    const fd = openSync(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return digestOf(fd, hash());
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "ENOENT" || code === "ENAMETOOLONG") return { type: ABSENT };
    return { type: "refused", reason: code === "ELOOP" ? LINK : `cannot be read (${code})` };
  }
}

const LINK = "is a symbolic link, which is not followed: name the file that it leads to";

function digestOf(fd: number, hash: Hash): Held {
  const stat = fstatSync(fd);
  if (stat.isDirectory()) return { type: "refused", reason: "is a folder: name the files in it" };
  if (!stat.isFile()) return { type: "refused", reason: "is no ordinary file" };
  const bytes = new Uint8Array(CHUNK);
  let length = 0;
  for (let read = readSync(fd, bytes); read > 0; read = readSync(fd, bytes)) {
    length += read;
    // Also of a file that grows while it is read.
    if (length > BYTES_MAX) return { type: "refused", reason: `is larger than ${BYTES_MAX} bytes` };
    hash.update(bytes.subarray(0, read));
  }
  return { type: "digest", digest: hash.digest("hex") };
}
