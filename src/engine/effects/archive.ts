/** What a run has made beside what it replaces is put in its place, all of it or nothing, and the run's folder is moved away. */

import { fillPath } from "../../core/text/fill-path.ts";
import { membersOf } from "../../core/gates/fan-out-members.ts";
import { isGood } from "../../core/gates/artifact-status.ts";
import { explainedStatus } from "../../core/gates/status-reason.ts";
import type { Archive } from "../../core/model/workflow.ts";
import { withEntry } from "../../format/projection/changelog.ts";
import type { Works } from "../box.ts";
import { isCalledOff } from "./commit.ts";
import type { Of } from "./deed.ts";
import { placeOf } from "../submit/place.ts";
import type { ReplaceableFile, ArchiveRequest } from "../ports/archives.ts";
import type { Kept } from "../ports/journal.ts";
import { project } from "../submit/project.ts";
import { submit } from "../submit/submit.ts";
import { noteNew } from "../notes.ts";
import { artifactsOf, tellFact } from "../supervise/submit-fact.ts";
import { needsPerson } from "../supervise/later.ts";

const NONE = "none";
/** At a second look somebody has changed what the first one found: more often than this, somebody does so all the time. */
const TRIES_MAX = 5;

/** Why it cannot be archived as it is. `base` and `now` are paths of copies, for whoever decides. */
class Objection extends Error {
  override readonly name = "Objection";
  readonly fields: Readonly<Record<"reason" | "file" | "base" | "now", string>>;
  constructor(reason: string, file: string, texts: { readonly base?: string; readonly now?: string } = {}) {
    super(reason);
    this.fields = { reason, file, base: texts.base ?? NONE, now: texts.now ?? NONE };
  }
}

type Ordered = Pick<Of<"perform">, "works" | "kept" | "deed" | "key">;
type On = { readonly works: Works; readonly kept: Kept; readonly archive: Archive; readonly root: string };

export async function noteBase({ works, kept, deed, key }: Of<"perform">): Promise<string> {
  if (await isCalledOff(works, kept, deed.entry)) return "the run was cancelled before";
  const on = await onArchive(works, kept);
  const noted: Record<string, string> = {};
  for (const slot of await slotsOf(on)) {
    const file = fillPath(kept.run, on.archive.into, slot);
    const seen = works.archives.look(on.root, file);
    keepCopy(on, file, seen);
    noted[slot] = seen.digest;
  }
  const base = JSON.stringify(noted);
  await tellFact(works, { run: kept.row.id, fact: "base-noted", key, fields: { base } });
  return `noted what will be replaced: ${Object.keys(noted).join(", ")}`;
}

export async function archive({ works, kept, deed, key }: Of<"perform">): Promise<string> {
  const { archives } = works;
  const run = kept.row.id;
  const desk = `${works.folders(run).archive}/put-${deed.entry}`;
  if (await isCalledOff(works, kept, deed.entry)) {
    archives.undo(desk);
    return "the run was cancelled before";
  }
  try {
    await putInPlace(await onArchive(works, kept), desk);
  } catch (error) {
    if (!(error instanceof Objection)) throw error;
    if (artifactsOf(await works.workflow(kept.row.definition), "archive-refused").length === 0)
      throw Object.assign(error, { next: `signalbox why ${run}` });
    await tellFact(works, { run, fact: "archive-refused", key, fields: error.fields });
    return error.message;
  }
  return tellArchived({ works, kept, deed, key }, desk);
}

/** Thrown where the run was called off in the last moment. */
class CalledOff extends Error {
  override readonly name = "CalledOff";
}

/** The folder is moved in the very moment in which the run is told: nobody looks for its files, or writes them, in between. */
async function tellArchived({ works, kept, deed, key }: Ordered, desk: string): Promise<string> {
  const run = kept.row.id;
  const artifacts = artifactsOf(await works.workflow(kept.row.definition), "archived");
  let folder = "";
  try {
    const told = await submit(works, {
      run,
      by: { type: "engine" },
      key: `archived:${key}`,
      facts: {},
      event: async ({ at, kept: now }) => {
        if (await isCalledOff(works, now, deed.entry)) throw new CalledOff();
        const moved = works.archives.move(desk);
        folder = moved.to;
        const found = { slot: "", found: true, faults: [], fields: { folder }, lists: {}, moved };
        const digest = `archived:${key}:${folder}`;
        return {
          type: "observed",
          at,
          readings: artifacts.map((artifact) => ({ artifact, digest, ...found })),
        };
      },
    });
    if (told.type === "refused" && told.refusal.code !== "finished") throw new Error(told.refusal.message);
  } catch (error) {
    if (!(error instanceof CalledOff)) throw error;
    works.archives.undo(desk);
    return "the run was cancelled before";
  }
  await noteNew(works, { run, kind: "archive" }, [`it is archived in ${folder}`]);
  await project(works, run);
  return folder;
}

/** Whoever died over it has left a plan: that is what is done. */
async function putInPlace(on: On, desk: string): Promise<void> {
  const { archives } = on.works;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const isPlanned = archives.isPlanned(desk) || archives.plan(desk, await wantedOf(on));
    if (isPlanned && archives.put(desk) === "ready") return;
  }
  throw new Error("what is to be replaced is changed by somebody all the time");
}

type Named = { readonly file: string };

/** Where a file system does not tell upper case from lower, the one would be written over the other. */
function requireApart(files: readonly Named[], logs: readonly Named[]): void {
  for (const log of logs) {
    const same = files.find(({ file }) => file.toLowerCase() === log.file.toLowerCase());
    if (same !== undefined)
      throw new Objection(`${same.file} cannot be told from ${log.file}, which is the log`, same.file);
  }
}

async function wantedOf(on: On): Promise<ArchiveRequest> {
  const { works, kept, archive: of, root } = on;
  const { run, row } = kept;
  const date = new Date(works.clock.now()).toISOString().slice(0, 10);
  const bases = await basesOf(on);
  const files = (await slotsOf(on)).map((slot) => {
    const [from, into] = [fillPath(run, of.from, slot), fillPath(run, of.into, slot)];
    const base = bases.get(slot);
    if (base === undefined) throw new Objection(`nobody has noted what ${into} was`, into);
    const { bytes } = lookAt(on, from);
    if (bytes === undefined) throw new Objection(`there is no ${from}`, from);
    const seen = lookAt(on, into);
    if (seen.digest !== base) throw changed(on, { file: into, base, seen });
    return { file: into, base, bytes };
  });
  await requireJudged(on);
  const log = of.log === undefined ? [] : [await logged(on, of.log, date)];
  requireApart(files, log);
  const to = fillPath(run, of.to.replaceAll("{date}", date.replaceAll("-", "")));
  const folder = fillPath(run, of.folder);
  if ((await works.store.boundWorkspace(row.id)) === undefined)
    throw new Error(`${row.id} does not work in ${root} now`);
  return { root, files: [...files, ...log], folder, to };
}

/** The archived files must be those that the run accepted and that its verdicts are about: another program may have changed them since. */
async function requireJudged({ works, kept, archive: of }: On): Promise<void> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const known = Object.entries(workflow.definition.artifacts);
  const sources = known.flatMap(([name, { file, every }]) =>
    file === of.from && every !== undefined ? [name] : [],
  );
  const readings = await works.artifacts.read(await placeOf(works, { run, workflow, id: row.id }));
  for (const name of sources) {
    const now = readings.find((reading) => reading.artifact === name);
    if (now?.digest !== run.held[name]?.reading.digest)
      throw new Objection(`${name} is not what it was when it was handed in`, of.from);
  }
  for (const [name, { bind }] of known) {
    if (!bind.some((each) => sources.includes(each))) continue;
    const { standing, reason } = explainedStatus(workflow, run, name);
    if (standing === "stale") throw new Objection(`${name} does not count any more: ${reason}`, of.from);
  }
}

/** Both sides are kept, so that somebody can compare them. */
function changed(
  on: On,
  of: { readonly file: string; readonly base: string; readonly seen: ReplaceableFile },
): Objection {
  const { file, base, seen } = of;
  const now = keepCopy(on, file, seen);
  const reason = `${file} is not what it was: ${base} was noted, and it is ${seen.digest}`;
  return new Objection(reason, file, { base: base === NONE ? NONE : copyPath(on, file, base), now });
}

async function logged(
  on: On,
  log: NonNullable<Archive["log"]>,
  date: string,
): Promise<ArchiveRequest["files"][number]> {
  const { kept } = on;
  const text = await entryOf(on, log);
  const file = fillPath(kept.run, log.file);
  const { digest, bytes } = lookAt(on, file);
  const now = bytes === undefined ? undefined : decoded(file, bytes);
  const entry = withEntry(now, { date, id: fillPath(kept.run, "{change}"), text });
  return { file, base: digest, bytes: new TextEncoder().encode(entry) };
}

async function entryOf(
  { works, kept }: On,
  { artifact, name }: NonNullable<Archive["log"]>,
): Promise<string> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const place = await placeOf(works, { run, workflow, id: row.id });
  const digest = run.held[artifact]?.reading.digest ?? "";
  const { standing, reason } = explainedStatus(workflow, run, artifact);
  if (!isGood(standing))
    throw new Objection(`there is no text for the log: ${reason || `${artifact} is ${standing}`}`, artifact);
  const now = (await works.artifacts.read(place)).find((reading) => reading.artifact === artifact);
  if (now?.digest !== digest)
    throw new Objection(`${artifact} is not what it was when it was handed in`, artifact);
  try {
    return (await works.artifacts.texts(place, { artifact, digest, fields: [name] }))[name] ?? "";
  } catch (error) {
    throw new Objection(error instanceof Error ? error.message : String(error), artifact);
  }
}

function decoded(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Objection(`${file} is not valid UTF-8`, file);
  }
}

/** What is no ordinary file, or stands behind a link, is not replaced. */
function lookAt({ works, root }: On, file: string): ReplaceableFile {
  try {
    return works.archives.look(root, file);
  } catch (error) {
    if (!(error instanceof Error) || "code" in error) throw error;
    throw new Objection(error.message, file);
  }
}

async function onArchive(works: Works, kept: Kept): Promise<On> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const of = workflow.definition.archive;
  if (of === undefined) throw new Error("nothing says what is archived");
  return { works, kept, archive: of, root: (await placeOf(works, { run, workflow, id: row.id })).root };
}

async function slotsOf({ works, kept, archive: of }: On): Promise<readonly string[]> {
  const workflow = await works.workflow(kept.row.definition);
  const members = membersOf(workflow, kept.run, { ...of.each, max: Number.MAX_SAFE_INTEGER });
  if (members.length > 0) return members.map(({ slot }) => slot);
  const { standing, reason } = explainedStatus(workflow, kept.run, of.each.artifact);
  const why = reason === "" ? `${of.each.artifact} is ${standing}` : reason;
  throw needsPerson(`${of.each.artifact} names nothing: ${why}`, `signalbox why ${kept.row.id}`);
}

/** By member, as they were noted last, for as long as that counts. */
async function basesOf({ works, kept }: On): Promise<ReadonlyMap<string, string>> {
  const workflow = await works.workflow(kept.row.definition);
  const [name = ""] = artifactsOf(workflow, "base-noted");
  const { standing } = explainedStatus(workflow, kept.run, name);
  const text = kept.run.held[name]?.reading.fields["base"];
  if (!isGood(standing) || typeof text !== "string") return new Map();
  const data: unknown = JSON.parse(text);
  const pairs = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return new Map(pairs.map(([slot, digest]) => [slot, String(digest)]));
}

/** Gives its path; `none` where there is nothing to keep. */
function keepCopy(on: On, file: string, { digest, bytes }: ReplaceableFile): string {
  if (bytes === undefined) return NONE;
  const path = copyPath(on, file, digest);
  on.works.archives.keep(path, bytes);
  return path;
}

function copyPath({ works, kept }: On, file: string, digest: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1);
  return `${works.folders(kept.row.id).archive}/texts/${digest.replace("sha256:", "").slice(0, 16)}-${name}`;
}
