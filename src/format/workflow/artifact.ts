/** An artifact of the file becomes one of the core: exactly one reader, and somebody whose word counts. */

import type { Artifact, Literal, Reader, ReviewShape, Shape, Value } from "../../core/workflow.ts";
import {
  listOf,
  report,
  requireActors,
  requireName,
  requireNames,
  type Context,
  type Path,
} from "./context.ts";
import type { ArtifactFile } from "./schema.ts";

const READERS = [
  "section",
  "document",
  "json",
  "yaml",
  "tasks",
  "file",
  "check",
  "fact",
  "children",
] as const;
const MEMBERS = 10;

export function buildArtifact(
  context: Context,
  file: ArtifactFile,
  { name, path }: { name: string; path: Path },
): Artifact {
  const kinds = READERS.filter((kind) => file[kind] !== undefined);
  if (kinds.length !== 1) {
    const message =
      kinds.length === 0
        ? `${name} needs a reader: ${READERS.join(", ")}`
        : `${name} has several readers: ${kinds.join(", ")}`;
    report(context, context.keyPlaceOf(path), { code: "bad-artifact", message });
  }
  const isEngines = file.check !== undefined || file.fact !== undefined || file.children !== undefined;
  if (!isEngines && file.in === undefined)
    report(context, context.keyPlaceOf(path), {
      code: "bad-artifact",
      message: `${name} needs the file it is in: "in"`,
    });
  if (!isEngines && file.by === undefined)
    report(context, context.keyPlaceOf(path), {
      code: "no-producer",
      message: `nobody produces ${name}: it needs "by"`,
    });
  const by = isEngines ? ["engine"] : listOf(file.by);
  if (!isEngines) requireActors(context, file.by, [...path, "by"]);
  if (file.children !== undefined)
    requireName(context, {
      kind: "artifact",
      name: file.children,
      known: context.names.artifacts,
      path: [...path, "children"],
    });
  const fresh = file.fresh ?? "run";
  requireName(context, {
    kind: "scope",
    name: fresh,
    known: [...context.names.scopes, ...context.names.counters],
    path: [...path, "fresh"],
  });
  const bind = listOf(file.bind);
  requireNames(context, {
    kind: "artifact",
    names: file.bind,
    known: ["tree", ...context.names.artifacts],
    path: [...path, "bind"],
  });
  const each = buildEach(context, file, path);
  return {
    file: file.in ?? "",
    reader: readerOf(file),
    by,
    fresh,
    bind,
    block: paramOr(context, file.block ?? "low", [...path, "block"]),
    ...(each === undefined ? {} : { each }),
  };
}

function buildEach(context: Context, file: ArtifactFile, path: Path): Artifact["each"] {
  if (file.each === undefined) return undefined;
  const dot = file.each.lastIndexOf(".");
  const artifact = file.each.slice(0, dot);
  requireName(context, {
    kind: "artifact",
    name: artifact,
    known: context.names.artifacts,
    path: [...path, "each"],
  });
  if (file.in !== undefined && !file.in.includes("{slot}")) {
    report(context, context.placeOf([...path, "in"]), {
      code: "bad-artifact",
      message: `a fan-out writes one file per member: "in" needs {slot}`,
    });
  }
  return { artifact, list: file.each.slice(dot + 1), max: file.max ?? MEMBERS };
}

/** A constant, or a parameter by its dollar sign. */
export function paramOr<T extends Literal>(context: Context, value: T, path: Path): Value<T> {
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const param = value.slice(1);
  requireName(context, { kind: "parameter", name: param, known: context.names.params, path });
  return { param };
}

function readerOf(file: ArtifactFile): Reader {
  if (file.section !== undefined) {
    const verdicts = file.verdict === undefined ? {} : { verdicts: file.verdict };
    return {
      type: "section",
      heading: file.section,
      any: listOf(file.any),
      all: listOf(file.all),
      ...verdicts,
    };
  }
  if (file.document !== undefined)
    return { type: "document", headings: file.document, lists: file.lists ?? {} };
  if (file.json !== undefined) return { type: "json", ...data(file, file.json) };
  if (file.yaml !== undefined) return { type: "yaml", ...data(file, file.yaml) };
  if (file.tasks !== undefined) return { type: "tasks", style: file.tasks };
  if (file.check !== undefined)
    return {
      type: "check",
      command: file.check.startsWith("$") ? { param: file.check.slice(1) } : file.check,
    };
  if (file.fact !== undefined) return { type: "fact", fact: file.fact };
  if (file.children !== undefined) return { type: "children", tasks: file.children };
  return { type: "file" };
}

function data(
  file: ArtifactFile,
  shape: unknown,
): { shape?: Shape; review?: ReviewShape; lists: Record<string, string> } {
  const { review } = file;
  return {
    ...(shape === true ? {} : { shape: shapeOf(shape) }),
    ...(review === undefined
      ? {}
      : {
          review: {
            verdictAt: review.verdict,
            verdicts: review.values,
            ...(review.issues === undefined ? {} : { issuesAt: review.issues }),
            ...(review.severity === undefined ? {} : { severityAt: review.severity }),
            ...(review.severities === undefined ? {} : { severities: review.severities }),
          },
        }),
    lists: file.lists ?? {},
  };
}

type ShapeFile =
  | "text"
  | "number"
  | "boolean"
  | readonly Literal[]
  | { list: ShapeFile; min?: number }
  | { object: Record<string, ShapeFile>; open?: boolean };

function shapeOf(raw: unknown): Shape {
  // The schema has checked the shape of the shape.
  const shape = raw as ShapeFile;
  if (typeof shape === "string") return { type: shape };
  if (isLiterals(shape)) return { type: "text", values: shape };
  if ("list" in shape)
    return { type: "list", of: shapeOf(shape.list), ...(shape.min === undefined ? {} : { min: shape.min }) };
  const entries = Object.entries(shape.object);
  const pick = (optional: boolean): Record<string, Shape> =>
    Object.fromEntries(
      entries
        .filter(([key]) => key.endsWith("?") === optional)
        .map(([key, inner]) => [key.replace(/\?$/, ""), shapeOf(inner)]),
    );
  return { type: "object", required: pick(false), optional: pick(true), open: shape.open ?? false };
}

function isLiterals(shape: ShapeFile): shape is readonly Literal[] {
  return Array.isArray(shape);
}
