/** How the bytes of an artifact become facts, and which keys of the file belong to which reader. */

import { closest } from "../../core/closest.ts";
import type {
  Children,
  ListAt,
  Literal,
  Reader,
  ReviewShape,
  Same,
  Shape,
  Value,
} from "../../core/workflow.ts";
import { FILES } from "../../core/groups.ts";
import { listOf, report, type Context, type Path } from "./context.ts";
import { paramOr, type Params } from "./params.ts";
import type { ArtifactFile } from "./schema.ts";

export const READERS = [
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

type Kind = (typeof READERS)[number];

const FROM_FILES: readonly Kind[] = ["section", "document", "json", "yaml", "tasks", "file"];

/** The readers that a key belongs to; a key that is not here goes with all of them. */
const READERS_OF: Partial<Record<keyof ArtifactFile, readonly Kind[]>> = {
  in: [...FROM_FILES, "check"],
  by: FROM_FILES,
  any: ["section"],
  all: ["section"],
  verdict: ["section"],
  lists: ["document", "json", "yaml"],
  front: ["document"],
  under: ["document"],
  same: ["document", "json", "yaml", "tasks"],
  review: ["json", "yaml"],
  workflow: ["children"],
  most: ["children", "document", "file"],
  with: ["children"],
  earlier: ["children"],
  scored: ["children"],
};

/** Reports keys that the artifact's reader would never look at. */
export function checkKeys(context: Context, file: ArtifactFile, on: { kind: Kind; path: Path }): void {
  const { kind, path } = on;
  const tell = (key: string, reason: string): void =>
    report(context, context.keyPlaceOf([...path, key]), {
      code: "bad-artifact",
      message: `"${key}" means nothing here: ${reason}`,
    });
  for (const [key, readers] of Object.entries(READERS_OF)) {
    if (!Object.hasOwn(file, key) || readers.includes(kind)) continue;
    tell(key, `it belongs to ${readers.join(", ")}, and this is read as ${kind}`);
  }
  if (file.max !== undefined && file.each === undefined) tell("max", `it belongs to "each"`);
  const hasIssues = (kind === "json" || kind === "yaml") && file.review?.issues !== undefined;
  if (file.block !== undefined && !hasIssues)
    tell("block", `it ranks the issues of a "review", and there are none`);
  checkLocation(context, file, path);
}

function checkLocation(context: Context, { review, lists = {} }: ArtifactFile, path: Path): void {
  if (review?.location === undefined) return;
  const tell = (key: readonly string[], message: string): void =>
    report(context, context.keyPlaceOf([...path, ...key]), { code: "bad-artifact", message });
  if (review.issues === undefined)
    tell(
      ["review", "location"],
      `"location" means nothing here: it is a field of "issues", and there are none`,
    );
  if (Object.hasOwn(lists, FILES))
    tell(["lists", FILES], `there is a list ${FILES} already: that of the issues, by their "location"`);
}

type On = { readonly context: Context; readonly params: Params };

export function readerOf(on: On, file: ArtifactFile, path: Path): Reader {
  if (file.section !== undefined) {
    requireWords(on.context, file.verdict, [...path, "verdict"]);
    const verdicts = file.verdict === undefined ? {} : { verdicts: file.verdict };
    return {
      type: "section",
      heading: file.section,
      any: listOf(file.any),
      all: listOf(file.all),
      ...verdicts,
    };
  }
  if (file.document !== undefined) return documentOf(on.context, file, path);
  if (file.json !== undefined) return { type: "json", ...data(on.context, file, [...path, "json"]) };
  if (file.yaml !== undefined) return { type: "yaml", ...data(on.context, file, [...path, "yaml"]) };
  if (file.tasks !== undefined) return { type: "tasks", style: file.tasks, ...sameOf(file) };
  if (file.check !== undefined) return checkOf(on, file.check, [...path, "check"]);
  if (file.fact !== undefined) return { type: "fact", fact: file.fact };
  if (file.children !== undefined)
    return {
      type: "children",
      tasks: file.children,
      workflow: file.workflow ?? "",
      most: file.most ?? AT_ONCE,
      ...scoredOf(on, file, [...path, "scored"]),
      with: withOf(on, file.with ?? {}, [...path, "with"]),
      ...(file.earlier === undefined ? {} : { earlier: listOf(file.earlier) }),
    };
  return { type: "file", ...mostOf(file) };
}

function documentOf(context: Context, file: ArtifactFile, path: Path): Reader {
  const { document: headings = [], front, under } = file;
  checkDocument(context, file, path);
  const shape =
    front === undefined || front === true ? {} : { shape: shapeOf(context, front, [...path, "front"]) };
  checkSame(context, { ...file, ...shape }, path);
  return {
    type: "document",
    headings,
    lists: listsOf(file),
    ...mostOf(file),
    ...(front === undefined ? {} : { front: shape }),
    ...(under === undefined ? {} : { under }),
    ...sameOf(file),
  };
}

/** What is asked of headings that nobody asks for, or of front matter that nobody reads, would never be looked at. */
function checkDocument(context: Context, file: ArtifactFile, path: Path): void {
  const { document: headings = [], front, under = {}, lists = {}, same } = file;
  const tell = (key: readonly string[], message: string, suggestion?: string): void =>
    report(context, context.keyPlaceOf([...path, ...key]), { code: "bad-artifact", message, suggestion });
  for (const heading of Object.keys(under))
    if (!headings.includes(heading))
      tell(
        ["under", heading],
        `"${heading}" is none of the headings of "document"`,
        closest(heading, headings),
      );
  if (front !== undefined) return;
  const inFront = Object.keys(lists).find((name) => typeof lists[name] !== "string");
  if (inFront !== undefined)
    tell(["lists", inFront], `the list ${inFront} is in front matter: it needs "front"`);
  if (same !== undefined) tell(["same"], `what must be the same is in front matter: it needs "front"`);
}

function listsOf({ lists = {} }: ArtifactFile): Record<string, ListAt> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, at]): [string, ListAt] => {
      if (typeof at === "string") return [name, at];
      const { from, id = "id", depends } = at;
      return [name, { from, id, ...(depends === undefined ? {} : { depends }) }];
    }),
  );
}

/** A key that cannot be there could never say something else. */
function checkSame(
  context: Context,
  { same = {}, shape }: Pick<ArtifactFile, "same"> & { readonly shape?: Shape },
  path: Path,
): void {
  if (shape === undefined || (shape.type === "object" && shape.open)) return;
  const known = shape.type === "object" ? Object.keys({ ...shape.required, ...shape.optional }) : [];
  for (const key of Object.keys(same).filter((name) => !known.includes(name)))
    report(context, context.keyPlaceOf([...path, "same", key]), {
      code: "bad-artifact",
      message: `its shape has no "${key}"`,
      suggestion: closest(key, known),
    });
}

function sameOf({ same }: ArtifactFile): { same?: Same } {
  return same === undefined ? {} : { same };
}

function mostOf({ most }: ArtifactFile): { most?: number } {
  return most === undefined ? {} : { most };
}

/** One command, or several of which all must pass. */
function checkOf(on: On, check: NonNullable<ArtifactFile["check"]>, path: Path): Reader {
  if (typeof check === "string") return { type: "check", command: paramOr(on, check, { as: "text", path }) };
  const [command = "", ...more] = check.map((each, index) =>
    paramOr(on, each, { as: "text", path: [...path, index] }),
  );
  return { type: "check", command, more };
}

const AT_ONCE = 4;

function scoredOf(on: On, { scored }: ArtifactFile, path: Path): { scored?: Value<boolean> } {
  if (scored === undefined) return {};
  if (typeof scored === "boolean") return { scored };
  const value = paramOr(on, scored, { as: "bool", path });
  return { scored: typeof value === "object" ? value : true };
}

function withOf(on: On, given: NonNullable<ArtifactFile["with"]>, path: Path): Children["with"] {
  const valueOf = (value: Literal, at: Path): Value =>
    typeof value === "string" ? paramOr(on, value, { as: "any", path: at }) : value;
  const values: Record<string, Children["with"][string]> = {};
  for (const [name, value] of Object.entries(given)) {
    const of = (word: Literal, ...key: string[]): Value => valueOf(word, [...path, name, ...key]);
    values[name] =
      typeof value === "object"
        ? { easy: of(value.easy, "easy"), medium: of(value.medium, "medium"), hard: of(value.hard, "hard") }
        : of(value);
  }
  return values;
}

function requireWords(context: Context, words: object | undefined, path: Path): void {
  if (words === undefined || Object.keys(words).length > 0) return;
  const message = "nothing would be a verdict: name the words and what each means";
  report(context, context.placeOf(path), { code: "bad-artifact", message });
}

function data(
  context: Context,
  file: ArtifactFile,
  path: Path,
): { shape?: Shape; review?: ReviewShape; lists: Record<string, ListAt>; same?: Same } {
  const { review } = file;
  const raw = file.json ?? file.yaml;
  const shape = raw === true ? {} : { shape: shapeOf(context, raw, path) };
  requireWords(context, review?.values, [...path.slice(0, -1), "review", "values"]);
  checkSame(context, { ...file, ...shape }, path.slice(0, -1));
  return {
    ...shape,
    ...(review === undefined
      ? {}
      : {
          review: {
            verdictAt: review.verdict,
            verdicts: review.values,
            ...(review.issues === undefined ? {} : { issuesAt: review.issues }),
            ...(review.severity === undefined ? {} : { severityAt: review.severity }),
            ...(review.severities === undefined ? {} : { severities: review.severities }),
            ...(review.location === undefined ? {} : { locationAt: review.location }),
          },
        }),
    lists: listsOf(file),
    ...sameOf(file),
  };
}

type ShapeFile =
  | "text"
  | "number"
  | "boolean"
  | readonly Literal[]
  | { list: ShapeFile; min?: number }
  | { object: Record<string, ShapeFile>; open?: boolean };

function shapeOf(context: Context, raw: unknown, path: Path): Shape {
  // The schema has checked the shape of the shape.
  const shape = raw as ShapeFile;
  if (typeof shape === "string") return { type: shape };
  if (isLiterals(shape)) return { type: kindOf(context, shape, path), values: shape };
  if ("list" in shape) {
    const min = shape.min === undefined ? {} : { min: shape.min };
    return { type: "list", of: shapeOf(context, shape.list, [...path, "list"]), ...min };
  }
  const entries = Object.entries(shape.object).map(
    ([key, inner]) => [key, shapeOf(context, inner, [...path, "object", key])] as const,
  );
  const pick = (optional: boolean): Record<string, Shape> =>
    Object.fromEntries(
      entries
        .filter(([key]) => key.endsWith("?") === optional)
        .map(([key, inner]) => [key.replace(/\?$/, ""), inner]),
    );
  return { type: "object", required: pick(false), optional: pick(true), open: shape.open ?? false };
}

function isLiterals(shape: ShapeFile): shape is readonly Literal[] {
  return Array.isArray(shape);
}

/** Values of one kind make a field that guards can compare; of several, nobody could say what it is. */
function kindOf(context: Context, values: readonly Literal[], path: Path): "text" | "number" | "boolean" {
  const kinds = [...new Set(values.map(kindOfValue))];
  if (kinds.length > 1) {
    const message = `these are values of several kinds: ${kinds.join(", ")}`;
    report(context, context.placeOf(path), { code: "bad-artifact", message });
  }
  return kinds[0] ?? "text";
}

export function kindOfValue(value: Literal): "text" | "number" | "boolean" {
  if (typeof value === "string") return "text";
  return typeof value === "number" ? "number" : "boolean";
}
