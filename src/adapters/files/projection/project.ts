/**
 * Writes what a workflow's own files show of a run, and tells when somebody has changed what is the engine's there.
 *
 * What a file says is compared with what we wrote last, so that an edit is told once. It moves nothing.
 */

import { project as treeOf } from "../../../core/projection/project.ts";
import { listedStatuses } from "../../../core/tasks/status.ts";
import type { Projection } from "../../../core/model/workflow.ts";
import type { Artifacts, Place } from "../../../engine/ports/files.ts";
import type { Edited } from "../../../format/front-matter/edit.ts";
import { setLines } from "../../../format/front-matter/lines.ts";
import { splitFrontMatter } from "../../../format/front-matter/parts.ts";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { changes, forgedIn } from "./by-hand.ts";
import { decodeWhole } from "../replace/decode.ts";
import { inFolder } from "../replace/folder.ts";
import { openFile } from "../replace/open.ts";
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

type Of = { readonly root: unknown; readonly projections: readonly Projection[] };
type Due = { readonly projection: Projection; readonly data: unknown };
type Where = Remembering & { readonly own: OwnWrites };
type Write = Awaited<ReturnType<Artifacts["project"]>>;

/** Loads the writers only if something has to be written that is more than a few simple lines. */
export async function prepareProjections(where: Where, { root, projections }: Of): Promise<Write> {
  const { place } = where;
  const isReviewed = projections.some((each) => "of" in each);
  const reviews = isReviewed ? await import("../../../format/review/shown.ts") : undefined;
  const isPaged = projections.some(({ as }) => as === "sections");
  const pages = isPaged ? await import("../../../format/projection/sections.ts") : undefined;
  const shownOf = (as: Projection["as"], tree: unknown): unknown => {
    if (as === "task-status") return orNothing(listedStatuses(tree));
    return as === "sections" ? pages?.sectionsOf(tree) : tree;
  };
  const due = projections.flatMap((each): Due[] => {
    const projection: Projection = { ...each, file: fillPath(place.run, each.file) };
    const data =
      "of" in projection
        ? reviews?.fieldsOfReview(projection, root, () => bytesOf(place, projection.file) !== undefined)
        : shownOf(projection.as, treeOf(projection.data, root));
    return data === undefined || isShown(where, { projection, data }) ? [] : [{ projection, data }];
  });
  const isEasy = due.every((one) => {
    const now = bytesOf(place, one.projection.file);
    return (
      now !== undefined && easily(recall(where, slotOf(one.projection)), one, decodeWhole(now)) !== undefined
    );
  });
  const formats = isEasy ? undefined : await loadFormats(root);
  return (whileCurrent) => {
    const told: string[] = [];
    for (const one of due) {
      const written = write({ ...where, formats, whileCurrent }, one);
      told.push(...written.told);
      if (written.type === "stale") return { told, isWhole: false };
    }
    return { told, isWhole: true };
  };
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

/** The file is exactly what we wrote last, and that is what it has to say. */
function isShown(where: Where, { projection, data }: Due): boolean {
  const { last } = recall(where, slotOf(projection));
  if (last === undefined || JSON.stringify(last.fields) !== JSON.stringify(fieldsOf(data))) return false;
  const bytes = bytesOf(where.place, projection.file);
  return bytes !== undefined && sha256(bytes) === last.digest;
}

function bytesOf({ root }: Place, file: string): Uint8Array | undefined {
  const inside = inFolder({ root, file }, openFile);
  const opened = inside.type === "done" ? inside.value : undefined;
  return opened?.type === "bytes" ? opened.bytes : undefined;
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
  readonly whileCurrent: (put: () => void) => boolean;
};

function write(on: On, due: Due): Rewritten {
  const { file } = due.projection;
  const { root, isWorkspace = false } = on.place;
  const spot = { root, file, isWorkspace };
  const slot = slotOf(due.projection);
  const memory = recall(on, slot);
  let decided: Decided = { edit: undefined, told: [] };
  let isStale = false;
  const edit = (now: Uint8Array | undefined): Edit => {
    const seen = decide({ ...on, memory }, due, now);
    decided = seen ?? { edit: undefined, told: [] };
    const { next } = decided;
    // Before the file says so: a crash may come in between.
    isStale = seen === undefined || (next !== undefined && !on.whileCurrent(() => remember(on, slot, next)));
    return isStale ? undefined : decided.edit;
  };
  const isKnown = (digest: string): boolean => digest === memory.last?.digest || on.own.isOf(spot)(digest);
  failpoint("files.before-project");
  const rewritten = attempt(() =>
    rewrite(spot, {
      edit: on.own.remembering(spot, edit),
      isOurs: isKnown,
      guard: (put) => shown(on, { slot, decided }, put),
    }),
  );
  failpoint("files.after-project");
  const refused =
    rewritten.type === "refused"
      ? [`${file}: ${rewritten.reason}, so that it is not brought up to date`]
      : [];
  const told = [...rewritten.told, ...(isStale ? [] : decided.told), ...refused];
  return { ...rewritten, type: isStale ? "stale" : rewritten.type, told };
}

/** One moment: the run is still there, nobody else is at the same file, and the new one is in its place. */
function shown<T>(
  on: On,
  { slot, decided: { next } }: { readonly slot: string; readonly decided: Decided },
  put: () => T,
): T | undefined {
  let result: T | undefined;
  on.whileCurrent(() => {
    if (next?.last === undefined || recall(on, slot).last?.digest !== next.last.digest) return;
    result = put();
    remember(on, slot, { last: next.last });
  });
  return result;
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
