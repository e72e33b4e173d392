/**
 * Writes what a workflow's own files show of a run, and tells when somebody has changed what is the engine's there.
 *
 * What a file says is compared with what we wrote last, so that an edit is told once. It moves nothing.
 */

import { pathsIn, project as treeOf } from "../../../core/projection/project.ts";
import { listedStatuses } from "../../../core/tasks/status.ts";
import type { DataTree, Projection } from "../../../core/model/workflow.ts";
import type { Artifacts, Place } from "../../../engine/ports/files.ts";
import type { Edited } from "../../../format/front-matter/edit.ts";
import { setLines } from "../../../format/front-matter/lines.ts";
import { splitFrontMatter } from "../../../format/front-matter/parts.ts";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { changes, forgedIn } from "./by-hand.ts";
import { decodeWhole } from "../replace/decode.ts";
import { inFolder, type Spot } from "../replace/folder.ts";
import { openFile, type Opened } from "../replace/open.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import type { OwnWrites } from "../replace/own-writes.ts";
import {
  fieldsBefore,
  isRecord,
  recall,
  remember,
  slotOf,
  type Fields,
  type Memory,
  type Remembering,
} from "./projected.ts";
import { rewrite, whyNot } from "../replace/replace.ts";
import type { Edit, Rewritten } from "../replace/replace.ts";

type Of = Parameters<Artifacts["project"]>[1];
type Due = { readonly projection: Projection; readonly data: unknown };
type Where = Remembering & { readonly own: OwnWrites };
type Projected = Awaited<ReturnType<Artifacts["project"]>>;

/** Loads the writers only if something has to be written that is more than a few simple lines. */
export async function writeProjections(
  where: Where,
  { root, projections, isCurrent }: Of,
): Promise<Projected> {
  const { place } = where;
  const isReviewed = projections.some((each) => "of" in each);
  const reviews = isReviewed ? await import("../../../format/review/shown.ts") : undefined;
  const isPaged = projections.some(({ as }) => as === "sections");
  const pages = isPaged ? await import("../../../format/projection/sections.ts") : undefined;
  const shownOf = (as: Projection["as"], tree: unknown): unknown => {
    if (as === "task-status") return orNothing(listedStatuses(tree));
    return as === "sections" ? pages?.sectionsOf(tree) : tree;
  };
  const due: Due[] = [];
  let isEasy = true;
  for (const each of projections) {
    const projection: Projection = { ...each, file: fillPath(place.run, each.file) };
    const data =
      "of" in projection
        ? reviews?.fieldsOfReview(projection, root, () => bytesOf(place, projection.file) !== undefined)
        : shownOf(projection.as, treeOf(projection.data, root));
    if (data === undefined) continue;
    const memory = await recall(where, slotOf(projection));
    const now = bytesOf(place, projection.file);
    if (isShown(memory, { projection, data }, now)) continue;
    due.push({ projection, data });
    isEasy &&= now !== undefined && easily(memory, { projection, data }, decodeWhole(now)) !== undefined;
  }
  const formats = isEasy ? undefined : await loadFormats(root);
  const told: string[] = [];
  for (const one of due) {
    const written = await write({ ...where, formats, isCurrent, isAnyState: isCurrent === undefined }, one);
    told.push(...written.told);
    if (written.type === "stale") return { told, isWhole: false };
  }
  return { told, isWhole: true };
}

/** What has nothing to say touches no file of somebody else's. */
function orNothing(fields: Fields): Fields | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

async function loadFormats(root: unknown): Promise<Formats> {
  const [{ renderAgain, renderProjection }, { readFields }] = await Promise.all([
    import("../../../format/projection/write.ts"),
    import("../../../format/projection/read.ts"),
  ]);
  return {
    render: (projection, text) => renderProjection(projection, root, text),
    again: (projection, of) => renderAgain(projection, root, of),
    read: readFields,
  };
}

/**
 * The file is exactly what we wrote last, and that is what it has to say, except for the time. Such an event is the start of an agent,
 * which may read the file at this moment: while a file is replaced, it is missing for an instant.
 */
function isShown({ last }: Memory, { projection, data }: Due, now: Uint8Array | undefined): boolean {
  if (last === undefined || now === undefined || sha256(now) !== last.digest) return false;
  const times = "data" in projection ? timesIn(projection.data) : [];
  const without = (fields: Fields): string =>
    JSON.stringify(Object.entries(fields).filter(([key]) => !times.includes(key)));
  return without(last.fields) === without(fieldsOf(data));
}

/** Fields that show the time of the last event, and nothing else. */
function timesIn(data: DataTree): readonly string[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
  return Object.entries<DataTree>(data).flatMap(([key, tree]) =>
    pathsIn(tree).join() === "run.updatedAt" ? [key] : [],
  );
}

function bytesOf(place: Place, file: string): Uint8Array | undefined {
  const opened = openedAt(place, file);
  return opened?.type === "bytes" ? opened.bytes : undefined;
}

function openedAt({ root }: Place, file: string): Opened | undefined {
  const inside = inFolder({ root, file }, openFile);
  return inside.type === "done" ? inside.value : undefined;
}

/** Where nobody has touched the front matter since we wrote it, and only simple lines of it change. */
function easily({ last }: Memory, { projection, data }: Due, text: string | undefined): string | undefined {
  if (projection.as !== "front-matter" || text === undefined || last?.head === undefined) return undefined;
  return headOf(text) === last.head ? setLines(text, last.fields, fieldsOf(data)) : undefined;
}

/** Where nobody has touched the file since we wrote it, and every byte of it is ours. */
function untouched(
  { memory: { last }, formats }: { readonly memory: Memory; readonly formats: Formats | undefined },
  { projection }: Due,
  now: { readonly digest: string; readonly text: string | undefined },
): string | undefined {
  if (last === undefined || now.text === undefined || now.digest !== last.digest) return undefined;
  return formats?.again(projection, { existing: now.text, last: last.fields });
}

/** The digest of the front matter. */
function headOf(text: string): string {
  const { mark, head, close } = splitFrontMatter(text);
  return sha256(Buffer.from(`${mark}${head}${close}`));
}

type Formats = {
  readonly render: (projection: Projection, text: string | undefined) => Edited;
  readonly again: (
    projection: Projection,
    of: { readonly existing: string; readonly last: Fields },
  ) => string | undefined;
  readonly read: (projection: Projection, text: string) => Fields;
};
type On = Where & {
  /** None where they were not needed when we looked. */
  readonly formats: Formats | undefined;
  readonly isCurrent: (() => Promise<boolean>) | undefined;
};

/** How often a file may change between reading and replacing it. */
const TRIES_MAX = 20;

type ProjectionWrite = Omit<Rewritten, "type"> & {
  /** *stale*: the run has gone on, or the writers are needed and were not loaded. */
  readonly type: Rewritten["type"] | "stale";
};

/**
 * Replaces the bytes that were read before the run was found to be still there. A newer text was written either before that read, and
 * then the run has gone on, or after it, and then the file holds other bytes: an older text never replaces a newer one.
 */
async function write(on: On, due: Due): Promise<ProjectionWrite> {
  const { file } = due.projection;
  const { root, isWorkspace = false } = on.place;
  const spot = { root, file, isWorkspace };
  const slot = slotOf(due.projection);
  const told: string[] = [];
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const memory = await recall(on, slot);
    const base = openedAt(on.place, file);
    const bytes = base?.type === "bytes" ? base.bytes : undefined;
    const decided = base?.type === "refused" ? LEFT : decide({ ...on, memory }, due, bytes);
    // Before the file says so: a crash may come in between.
    const isRemembered =
      decided !== undefined && (decided.next === undefined || (await remember(on, slot, decided.next)));
    if (!isRemembered || (await on.isCurrent?.()) === false) return { type: "stale", reason: "", told };
    failpoint("files.before-project");
    const replaced = replace(spot, { base: bytes, decided, own: on.own, last: memory.last?.digest });
    failpoint("files.after-project");
    told.push(...replaced.told);
    if (replaced.isChanged) continue;
    told.push(...decided.told);
    if (replaced.type === "refused")
      told.push(`${file}: ${replaced.reason}, so that it is not brought up to date`);
    const { last } = decided.next ?? {};
    if (replaced.type === "written" && last !== undefined) await remember(on, slot, { last });
    return { ...replaced, told };
  }
  told.push(`${file}: is changed by somebody all the time, so that it is not brought up to date`);
  return { type: "refused", reason: "", told };
}

type Replacing = {
  readonly base: Uint8Array | undefined;
  readonly decided: Decided;
  readonly own: OwnWrites;
  readonly last: string | undefined;
};

/** `isChanged`: the file holds other bytes than those that the decision was made on, and is left as it is. */
function replace(spot: Spot, on: Replacing): Rewritten & { readonly isChanged: boolean } {
  const { base, decided, own, last } = on;
  let isChanged = false;
  const edit = (now: Uint8Array | undefined): Edit => {
    isChanged = base === undefined || now === undefined ? base !== now : Buffer.compare(base, now) !== 0;
    return isChanged ? undefined : decided.edit;
  };
  const isOurs = (digest: string): boolean => digest === last || own.isOf(spot)(digest);
  const rewritten = attempt(() => rewrite(spot, { edit: own.remembering(spot, edit), isOurs }));
  return { ...rewritten, isChanged };
}

/** A disk that is full, or a folder that must not be written to, stops no run. */
function attempt(run: () => Rewritten): Rewritten {
  try {
    return run();
  } catch (error) {
    const reason = whyNot(error);
    if (reason === undefined) throw error;
    return { type: "refused", reason, told: [] };
  }
}

/** `next` is what is to be remembered of it. */
type Decided = { readonly edit: Edit; readonly told: readonly string[]; readonly next?: Memory };

const LEFT: Decided = { edit: undefined, told: [] };

/** `undefined` where it takes more than was loaded. */
function decide(
  { formats, memory }: On & { readonly memory: Memory },
  due: Due,
  now: Uint8Array | undefined,
): Decided | undefined {
  const { projection, data } = due;
  const { file } = projection;
  const digest = now === undefined ? "" : sha256(now);
  const leave = (messages: readonly string[]): Decided => {
    if (memory.told === digest) return { edit: undefined, told: [] };
    const told = messages.map((message) => `${message}; the file is left as it is`);
    return { edit: undefined, told, next: { ...memory, told: digest } };
  };
  const text = now === undefined ? undefined : decodeWhole(now);
  const isWhole = isAllOurs(due);
  // What others write is not begun by us.
  if (now === undefined && ADDED.has(projection.as)) return { edit: undefined, told: [] };
  if (now !== undefined && text === undefined && !isWhole) {
    if (projection.as === "yaml") return anew(formats, due);
    return leave([`${file}:1:1: is not valid UTF-8`]);
  }
  const easy = easily(memory, due, text) ?? untouched({ memory, formats }, due, { digest, text });
  if (easy === undefined && formats === undefined) return undefined;
  const edited: Edited | undefined =
    easy === undefined ? formats?.render(projection, text) : { ok: true, text: easy };
  if (edited?.ok !== true && projection.as === "yaml") return anew(formats, due);
  if (edited?.ok !== true) return leave((edited?.problems ?? []).map(showPlace));
  const bytes = Buffer.from(edited.text);
  const said = easy === undefined ? saidIn(formats, projection, text) : (memory.last?.fields ?? {});
  const fields = fieldsOf(data);
  const isOurs = now === undefined || digest === memory.last?.digest || digest === memory.was?.digest;
  const isBlocks = projection.as === "review-block";
  const before = fieldsBefore(memory, said);
  // Whoever writes a list of tasks anew leaves out how far they are.
  const known = projection.as === "task-status" ? pick(before, said) : before;
  const change = { file, before: known, said, after: fields };
  const forged = isBlocks ? forgedIn(change) : [];
  const told = isBlocks ? forged : isOurs || memory.last === undefined ? [] : changes(change);
  const was = now === undefined ? undefined : { digest, fields: pick(said, fields) };
  const head = projection.as === "front-matter" ? { head: headOf(edited.text) } : {};
  const next = { last: { digest: sha256(bytes), fields, ...head }, ...(was === undefined ? {} : { was }) };
  const isForeign = forged.length > 0 || (isWhole && !isOurs && digest !== sha256(bytes));
  const why = isBlocks
    ? "had reviews in it that are not the run's"
    : "was changed by hand, and is written by the run alone";
  return { edit: { bytes, ...(isForeign ? { keep: why } : {}) }, told, next };
}

/** Left as it is, a file that only tells of the run would go on telling what somebody has written there. */
function anew(formats: Formats | undefined, { projection, data }: Due): Decided | undefined {
  const edited = formats?.render(projection, undefined);
  if (edited?.ok !== true) return undefined;
  const bytes = Buffer.from(edited.text);
  const next = { last: { digest: sha256(bytes), fields: fieldsOf(data) } };
  return { edit: { bytes, keep: "cannot be read, and is written anew" }, told: [], next };
}

/** Kinds that only add to what somebody else has written. */
const ADDED: ReadonlySet<Projection["as"]> = new Set(["review-block", "task-status"]);

const WHOLE: ReadonlySet<Projection["as"]> = new Set(["json", "lines", "sections", "review"]);

/** No byte of the file is anybody else's. */
function isAllOurs({ projection: { as }, data }: Due): boolean {
  return WHOLE.has(as) || typeof data !== "object" || data === null || Array.isArray(data);
}

function saidIn(formats: Formats | undefined, projection: Projection, text: string | undefined): Fields {
  return text === undefined ? {} : (formats?.read(projection, text) ?? {});
}

function showPlace(problem: {
  readonly file: string;
  readonly line: number;
  readonly col: number;
  readonly message: string;
}) {
  return `${problem.file}:${problem.line}:${problem.col}: ${problem.message.replace(/\.$/, "")}`;
}

function fieldsOf(data: unknown): Fields {
  return isRecord(data) && !Array.isArray(data) ? data : { content: data };
}

function pick(said: Fields, of: Fields): Fields {
  return Object.fromEntries(
    Object.keys(of).flatMap((key) => (Object.hasOwn(said, key) ? [[key, said[key]]] : [])),
  );
}
