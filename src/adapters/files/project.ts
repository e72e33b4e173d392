/**
 * Writes what a workflow's own files show of a run, and tells when somebody has changed what is the engine's there.
 *
 * What a file says is compared with what we wrote last, so that an edit is told once. It moves nothing.
 */

import { project as treeOf } from "../../core/project.ts";
import type { Projection } from "../../core/workflow.ts";
import type { Place, Registry } from "../../engine/ports.ts";
import type { Edited } from "../../format/front-matter.ts";
import { failpoint } from "../failpoint.ts";
import { decodeWhole } from "./decode.ts";
import { inFolder } from "./folder.ts";
import { openFile } from "./open.ts";
import { fillPath } from "../../engine/place.ts";
import { rewrite, sha256, whyNot } from "./replace.ts";
import type { Edit, Rewritten } from "./replace.ts";

type Fields = Readonly<Record<string, unknown>>;
/** What a file said, whole and by field. */
type Said = { readonly digest: string; readonly fields: Fields };
/** `was` is from before the last write: a crash may have come in between. `told`: of a file that cannot be edited. */
type Memory = { readonly last?: Said; readonly was?: Said; readonly told?: string };

type Kept = Pick<Registry, "projection" | "keepProjection">;
type Of = { readonly root: unknown; readonly projections: readonly Projection[] };
type Due = { readonly projection: Projection; readonly data: unknown };

/** Loads the writers only if something has to be written. */
export async function prepareProjections(
  kept: Kept,
  place: Place,
  { root, projections }: Of,
): Promise<() => readonly string[]> {
  const due = projections.flatMap((each): Due[] => {
    const projection = { ...each, file: fillPath(place.run, each.file) };
    const data = treeOf(projection.data, root);
    return isShown(kept, place, { projection, data }) ? [] : [{ projection, data }];
  });
  if (due.length === 0) return () => [];
  const [{ renderProjection }, { readFields }] = await Promise.all([
    import("../../format/projection.ts"),
    import("../../format/projected.ts"),
  ]);
  const formats: Formats = {
    render: (projection, text) => renderProjection(projection, root, text),
    read: readFields,
  };
  return () => due.flatMap((one) => write({ kept, place, formats }, one));
}

/** The file is exactly what we wrote last, and that is what it has to say. */
function isShown(kept: Kept, { root, run }: Place, { projection, data }: Due): boolean {
  const { last } = recall(kept, run.id, projection.file);
  if (last === undefined || JSON.stringify(last.fields) !== JSON.stringify(fieldsOf(data))) return false;
  const inside = inFolder({ root, file: projection.file }, openFile);
  const opened = inside.type === "done" ? inside.value : undefined;
  return opened?.type === "bytes" && sha256(opened.bytes) === last.digest;
}

type Formats = {
  readonly render: (projection: Projection, text: string | undefined) => Edited;
  readonly read: (projection: Projection, text: string) => Fields;
};
type On = { readonly kept: Kept; readonly place: Place; readonly formats: Formats };

function write(on: On, due: Due): readonly string[] {
  const { file } = due.projection;
  const memory = recall(on.kept, on.place.run.id, file);
  let told: readonly string[] = [];
  const edit = (now: Uint8Array | undefined): Edit => {
    const decided = decide({ ...on, memory }, due, now);
    ({ told } = decided);
    return decided.edit;
  };
  const known = memory.last?.digest;
  failpoint("files.before-project");
  const written = attempt(() =>
    rewrite({ root: on.place.root, file }, { edit, ...(known === undefined ? {} : { known }) }),
  );
  failpoint("files.after-project");
  const { last } = recall(on.kept, on.place.run.id, file);
  if (written.type === "written" && last !== undefined)
    remember(on.kept, { run: on.place.run.id, file }, { last });
  const refused =
    written.type === "refused" ? [`${file}: ${written.reason}, so that it is not brought up to date`] : [];
  return [...written.told, ...told, ...refused];
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

type Decided = { readonly edit: Edit; readonly told: readonly string[] };

function decide(
  on: On & { readonly memory: Memory },
  { projection, data }: Due,
  now: Uint8Array | undefined,
): Decided {
  const { kept, place, formats, memory } = on;
  const { file } = projection;
  const id = place.run.id;
  const digest = now === undefined ? "" : sha256(now);
  const leave = (messages: readonly string[]): Decided => {
    if (memory.told === digest) return { edit: undefined, told: [] };
    remember(kept, { run: id, file }, { ...memory, told: digest });
    return { edit: undefined, told: messages.map((message) => `${message}; the file is left as it is`) };
  };
  const text = now === undefined ? undefined : decodeWhole(now);
  const isWhole =
    projection.as === "json" || typeof data !== "object" || data === null || Array.isArray(data);
  if (now !== undefined && text === undefined && !isWhole) return leave([`${file}:1:1: is not valid UTF-8`]);
  const edited = formats.render(projection, text);
  if (!edited.ok) return leave(edited.problems.map(showPlace));
  const bytes = Buffer.from(edited.text);
  const said = text === undefined ? {} : formats.read(projection, text);
  const fields = fieldsOf(data);
  const isOurs = now === undefined || digest === memory.last?.digest || digest === memory.was?.digest;
  const base = digest === memory.was?.digest ? memory.was : memory.last;
  const told =
    isOurs || base === undefined ? [] : changes({ file, before: base.fields, said, after: fields });
  const was = now === undefined ? undefined : { digest, fields: pick(said, fields) };
  remember(
    kept,
    { run: id, file },
    { last: { digest: sha256(bytes), fields }, ...(was === undefined ? {} : { was }) },
  );
  const isForeign = isWhole && !isOurs && digest !== sha256(bytes);
  const why = "was changed by hand, and is written by the run alone";
  return { edit: { bytes, ...(isForeign ? { keep: why } : {}) }, told };
}

function showPlace(problem: {
  readonly file: string;
  readonly line: number;
  readonly col: number;
  readonly message: string;
}) {
  return `${problem.file}:${problem.line}:${problem.col}: ${problem.message.replace(/\.$/, "")}`;
}

type Change = {
  readonly file: string;
  readonly before: Fields;
  readonly said: Fields;
  readonly after: Fields;
};

function changes({ file, before, said, after }: Change): readonly string[] {
  return Object.keys(after).flatMap((key) => {
    if (!Object.hasOwn(before, key)) return [];
    const [was, is] = [show(before[key]), show(said[key])];
    // What is to be said anyway is no edit: a crash has come between writing the file and remembering it.
    if (was === is || is === show(after[key])) return [];
    const [from, to, again] = [brief(before[key]), brief(said[key]), brief(after[key])];
    const deed = Object.hasOwn(said, key)
      ? `was changed by hand from ${from} to ${to}`
      : `(${from}) was removed by hand`;
    return [`${file}: ${key} ${deed}; that moves nothing, and it says ${again} again`];
  });
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

const BRIEF_MAX = 60;

/** On one line, short, and without anything that a terminal takes for a command. */
function brief(value: unknown): string {
  const text = (typeof value === "string" && value !== "" ? value : show(value)).replaceAll(
    /[\s\p{C}]+/gu,
    " ",
  );
  return text.length > BRIEF_MAX ? `${text.slice(0, BRIEF_MAX)}...` : text;
}

function fieldsOf(data: unknown): Fields {
  return isRecord(data) && !Array.isArray(data) ? data : { content: data };
}

function pick(said: Fields, of: Fields): Fields {
  return Object.fromEntries(
    Object.keys(of).flatMap((key) => (Object.hasOwn(said, key) ? [[key, said[key]]] : [])),
  );
}

function remember(
  kept: Kept,
  { run, file }: { readonly run: string; readonly file: string },
  memory: Memory,
): void {
  kept.keepProjection(run, file, JSON.stringify(memory));
}

function recall(kept: Kept, run: string, file: string): Memory {
  const text = kept.projection(run, file);
  if (text === undefined) return {};
  const memory: unknown = JSON.parse(text);
  return isMemory(memory) ? memory : {};
}

/** Only `remember` writes it. */
function isMemory(value: unknown): value is Memory {
  return isRecord(value) && (value["last"] === undefined || isRecord(value["last"]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
