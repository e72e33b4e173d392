/** Builds the reader of an artifact, and checks which keys belong to which reader. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import type { FrontRule, ListAt, Reader, ReviewShape, Shape } from "../../../core/model/artifact.ts";
import { FILES } from "../../../core/gates/fan-out-groups.ts";
import { childrenOf } from "../build/children.ts";
import { listOf, report, type BuildContext, type NamedPath } from "../build/context.ts";
import { gatheredOf, listNamed, listsOf } from "./lists.ts";
import { paramOr, type ParamScope } from "../build/params.ts";
import { checkFile } from "./paths.ts";
import type { ArtifactFile } from "../schema/schema.ts";
import { shapeOf } from "./shapes.ts";
import { present } from "../../present.ts";

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
  "files",
] as const;

type ReaderKind = (typeof READERS)[number];

const FROM_FILES: readonly ReaderKind[] = ["section", "document", "json", "yaml", "tasks", "file"];

/** The readers that a key belongs to; a key that is not listed is allowed for all of them. */
const READERS_OF: Partial<Record<keyof ArtifactFile, readonly ReaderKind[]>> = {
  in: [...FROM_FILES, "check"],
  by: FROM_FILES,
  any: ["section"],
  all: ["section"],
  verdict: ["section"],
  lists: ["document", "json", "yaml", "tasks"],
  front: ["document", "tasks"],
  under: ["document"],
  review: ["json", "yaml"],
  there: FROM_FILES,
  workflow: ["children"],
  most: ["children", "document", "file"],
  with: ["children"],
  earlier: ["children"],
  scored: ["children"],
};

/** Readers that can combine several files: no values are taken from them. */
const TOGETHER: ReadonlySet<ReaderKind> = new Set(["document", "file"]);

/** A rule for keys that have no effect, with the reason; `at` is the map that has the keys. */
type KeyRule = {
  readonly keys: readonly string[];
  readonly at?: "review";
  readonly isIgnored: (file: ArtifactFile, kind: ReaderKind) => boolean;
  readonly reason: (file: ArtifactFile) => string;
};

const KEY_RULES: readonly KeyRule[] = [
  {
    keys: ["front"],
    isIgnored: ({ tasks }) => tasks === "yaml",
    reason: () => "a YAML file has no front matter",
  },
  {
    keys: ["each", "bind"],
    isIgnored: (_, kind) => kind === "files",
    reason: () => "files are one, and about nothing else",
  },
  {
    keys: ["max", "in_order"],
    isIgnored: ({ each }) => each === undefined,
    reason: () => `it belongs to "each"`,
  },
  {
    keys: ["in_order"],
    isIgnored: ({ each, by }) => each !== undefined && listOf(by).length > 1,
    reason: ({ by }) =>
      `the next member starts by itself, so only one role can write them, not ${listOf(by).join(", ")}`,
  },
  {
    keys: ["every"],
    isIgnored: (_, kind) => !TOGETHER.has(kind),
    reason: () => `files are read as one where they are read as ${[...TOGETHER].join(" or ")}`,
  },
  {
    keys: ["every"],
    isIgnored: ({ each }) => each !== undefined,
    reason: () => `with "each" the members are read one by one`,
  },
  {
    keys: ["block"],
    isIgnored: (file, kind) => !hasIssues(file, kind),
    reason: () => `it ranks the issues of a "review", and there are none`,
  },
  {
    keys: ["tests", "strict", "checklist"],
    at: "review",
    isIgnored: (file, kind) => !hasIssues(file, kind),
    reason: () => `it is weighed with "issues", and there are none`,
  },
  {
    keys: ["tested"],
    at: "review",
    isIgnored: ({ review }) => review?.tests === undefined,
    reason: () => `it needs "tests", which is missing`,
  },
];

function hasIssues({ review }: ArtifactFile, kind: ReaderKind): boolean {
  return (kind === "json" || kind === "yaml") && review?.issues !== undefined;
}

/** Reports keys that the artifact's reader ignores. */
export function checkKeys(
  context: BuildContext,
  file: ArtifactFile,
  { kind, path }: { kind: ReaderKind; path: Path },
): void {
  const tell = (key: string, reason: string, at: Path = path): void =>
    report(context, context.keyPlaceOf([...at, key]), {
      code: "bad-artifact",
      message: `"${key}" means nothing here: ${reason}`,
    });
  for (const [key, readers] of Object.entries(READERS_OF)) {
    if (!Object.hasOwn(file, key) || readers.includes(kind)) continue;
    tell(key, `it belongs to ${readers.join(", ")}, and this is read as ${kind}`);
  }
  for (const { keys, at, isIgnored, reason } of KEY_RULES) {
    const owner: Readonly<Record<string, unknown>> = at === undefined ? file : (file[at] ?? {});
    for (const key of keys.filter((each) => owner[each] !== undefined))
      if (isIgnored(file, kind)) tell(key, reason(file), at === undefined ? path : [...path, at]);
  }
  checkLocation(context, file, path);
}

function checkLocation(context: BuildContext, { review, lists = {} }: ArtifactFile, path: Path): void {
  if (review?.location === undefined) return;
  const tell = (key: readonly string[], message: string): void =>
    report(context, context.keyPlaceOf([...path, ...key]), { code: "bad-artifact", message });
  if (review.issues === undefined)
    tell(
      ["review", "location"],
      `"location" means nothing here: it is a field of "issues", and there are none`,
    );
  if (Object.hasOwn(lists, FILES))
    tell(["lists", FILES], `the name "${FILES}" is taken by the files of the issues, from their "location"`);
}

export function readerOf(scope: ParamScope, file: ArtifactFile, { name, path }: NamedPath): Reader {
  if (file.section !== undefined) {
    requireWords(scope.context, file.verdict, [...path, "verdict"]);
    const verdicts = file.verdict === undefined ? {} : { verdicts: file.verdict };
    return {
      type: "section",
      heading: file.section,
      any: listOf(file.any),
      all: listOf(file.all),
      ...verdicts,
    };
  }
  if (file.document !== undefined) return documentOf(scope, file, path);
  if (file.json !== undefined) return { type: "json", ...data(scope, file, [...path, "json"]) };
  if (file.yaml !== undefined) return { type: "yaml", ...data(scope, file, [...path, "yaml"]) };
  if (file.tasks !== undefined)
    return {
      type: "tasks",
      style: file.tasks,
      ...frontOf(scope, file, path),
      ...gatheredOf(scope.context, file, path),
    };
  if (file.check !== undefined) return checkOf(scope, file.check, [...path, "check"]);
  if (file.fact !== undefined) return { type: "fact", fact: file.fact };
  if (file.children !== undefined) return childrenOf(scope, file, { name, path });
  if (file.files !== undefined) return filesOf(scope, file.files, [...path, "files"]);
  return { type: "file", ...mostOf(file) };
}

function documentOf(scope: ParamScope, file: ArtifactFile, path: Path): Reader {
  const { document: headings = [], under } = file;
  checkDocument(scope.context, file, path);
  return {
    type: "document",
    headings,
    lists: listsOf(scope.context, file, path),
    ...mostOf(file),
    ...frontOf(scope, file, path),
    ...(under === undefined ? {} : { under }),
  };
}

function frontOf(scope: ParamScope, { front }: ArtifactFile, path: Path): { front?: FrontRule } {
  if (front === undefined) return {};
  return { front: front === true ? {} : { shape: shapeOf(scope, front, [...path, "front"]) } };
}

/** Rules for headings that are not required, or for front matter that is not read, would have no effect. */
function checkDocument(context: BuildContext, file: ArtifactFile, path: Path): void {
  const { document: headings = [], front, under = {}, lists = {} } = file;
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
}

function mostOf({ most }: ArtifactFile): { most?: number } {
  return most === undefined ? {} : { most };
}

function filesOf(scope: ParamScope, files: NonNullable<ArtifactFile["files"]>, path: Path): Reader {
  if (typeof files === "string") return { type: "files", select: "tasks", tasks: files };
  if ("paths" in files) {
    for (const [index, file] of files.paths.entries())
      checkFile(scope.context, file, { path: [...path, "paths", index], isEach: false });
    return { type: "files", select: "paths", paths: files.paths };
  }
  const besides = paramOr(scope, files.besides, { as: "text", path: [...path, "besides"] });
  // The schema allows only a parameter.
  return {
    type: "files",
    select: "besides",
    besides: typeof besides === "string" ? { param: besides } : besides,
  };
}

type CheckReader = Extract<Reader, { type: "check" }>;

/** One command, or several that must all pass. */
function checkOf(scope: ParamScope, check: NonNullable<ArtifactFile["check"]>, path: Path): CheckReader {
  if (typeof check === "object" && "from" in check) {
    const own = check.commands === undefined ? "" : check.commands;
    const reader = checkOf(scope, Array.isArray(own) ? own : [own], [...path, "commands"]);
    const from = listOf(check.from).map((name, index) =>
      listNamed(scope.context, name, [...path, "from", index]),
    );
    return { ...reader, from };
  }
  if (typeof check === "string")
    return { type: "check", command: paramOr(scope, check, { as: "text", path }) };
  const [command = "", ...more] = check.map((each, index) =>
    paramOr(scope, each, { as: "text", path: [...path, index] }),
  );
  return { type: "check", command, more };
}

function requireWords(context: BuildContext, words: object | undefined, path: Path): void {
  if (words === undefined || Object.keys(words).length > 0) return;
  const message = "nothing would be a verdict: name the words and what each means";
  report(context, context.placeOf(path), { code: "bad-artifact", message });
}

function data(
  scope: ParamScope,
  file: ArtifactFile,
  path: Path,
): { shape?: Shape; review?: ReviewShape; lists: Record<string, ListAt> } {
  const { review } = file;
  const shape = file.json ?? file.yaml;
  requireWords(scope.context, review?.values, [...path.slice(0, -1), "review", "values"]);
  return {
    ...(shape === true ? {} : { shape: shapeOf(scope, shape, path) }),
    ...(review === undefined
      ? {}
      : {
          review: {
            verdictAt: review.verdict,
            verdicts: review.values,
            ...present({
              issuesAt: review.issues,
              severityAt: review.severity,
              severities: review.severities,
              locationAt: review.location,
              testsAt: review.tests,
              tested: review.tested,
              checklist: review.checklist,
              strict: review.strict,
            }),
          },
        }),
    lists: listsOf(scope.context, file, path.slice(0, -1)),
  };
}
