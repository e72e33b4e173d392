/** Builds an artifact of the definition: exactly one reader, and authors whose submissions count. */

import type { Path } from "../../problem.ts";
import type { Artifact, Reader, Begin } from "../../../core/model/artifact.ts";
import { listOf, report, requireActors, requireName, type BuildContext } from "../build/context.ts";
import { listNamed } from "./lists.ts";
import { paramOr, type ParamScope } from "../build/params.ts";
import { checkFile } from "./paths.ts";
import { checkKeys, readerOf, READERS } from "./readers.ts";
import type { ArtifactFile } from "../schema/schema.ts";
import { sayTaken, takes } from "../../../core/model/param.ts";
import { pathsIn } from "../../../core/projection/project.ts";
import type { DataTree } from "../../../core/model/workflow.ts";
import { present } from "../../present.ts";

const MEMBERS = 10;

/** Readers whose artifacts the engine itself writes. */
const ENGINES = ["check", "fact", "children", "files"] as const;

/** `path` is the position of the artifact; `inside` is the position of its reader, which is `out` in a phase. */
export type ArtifactSite = { readonly name: string; readonly path: Path; readonly inside: Path };

export function buildArtifact(
  scope: ParamScope,
  file: ArtifactFile,
  { name, path, inside }: ArtifactSite,
): Artifact {
  const { context } = scope;
  const isEngines = ENGINES.some((kind) => file[kind] !== undefined);
  requireParts(context, file, { name, path, inside });
  if (file.in !== undefined)
    checkFile(context, file.in, {
      path: [...inside, "in"],
      isEach: file.each !== undefined || file.every !== undefined,
    });
  for (const [index, one] of (file.there ?? []).entries())
    checkFile(context, one, { path: [...path, "there", index], isEach: false });
  if (!isEngines) requireActors(context, file.by, [...path, "by"]);
  for (const key of ["children", "files"] as const) {
    const tasks = file[key];
    const { artifacts: known } = context.names;
    if (typeof tasks === "string")
      requireName(context, { kind: "artifact", name: tasks, known, path: [...path, key] });
  }
  if (file.children !== undefined && file.workflow === undefined)
    report(context, context.keyPlaceOf(path), {
      code: "bad-artifact",
      message: `${name} needs the workflow that each of its runs follows: "workflow"`,
    });
  requireName(context, { kind: "artifact", name: file.earlier, path: [...path, "earlier"] });
  const fresh = file.fresh ?? "run";
  requireName(context, {
    kind: "scope",
    name: fresh,
    known: [...context.names.scopes, ...context.names.counters],
    path: [...path, "fresh"],
  });
  requireName(context, {
    kind: "artifact",
    name: file.bind,
    known: ["tree", ...context.names.artifacts],
    path: [...path, "bind"],
  });
  requireWhole(context, file, path);
  requireDistinct(context, file, inside);
  const each = buildEach(scope, file, { name, path, inside });
  const every = buildEvery(context, file, { name, path, inside });
  const reader = readerOf(scope, file, { name, path: inside });
  return {
    file: file.in ?? "",
    reader,
    by: isEngines ? ["engine"] : listOf(file.by),
    fresh,
    bind: [...new Set([...listOf(file.bind), ...sourcesOf(reader)])],
    block: paramOr(scope, file.block ?? "low", { as: "severity", path: [...inside, "block"] }),
    ...present({ each, every, there: file.there }),
    ...beginOf(scope, file, path),
  };
}

/** A check is about the lists that contain its commands. */
function sourcesOf(reader: Reader): readonly string[] {
  return reader.type === "check" ? (reader.from ?? []).map(({ artifact }) => artifact) : [];
}

/** Requires one reader, and a file and authors if the reader needs them; reports keys of other readers. */
function requireParts(context: BuildContext, file: ArtifactFile, { name, path, inside }: ArtifactSite): void {
  const kinds = READERS.filter((kind) => file[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const message =
      kinds.length === 0
        ? `${name} needs a reader: ${READERS.join(", ")}`
        : `${name} has several readers: ${kinds.join(", ")}`;
    report(context, context.keyPlaceOf(path), { code: "bad-artifact", message });
  } else checkKeys(context, file, { kind, path: inside });
  if (ENGINES.some((each) => file[each] !== undefined)) return;
  if (file.in === undefined)
    report(context, context.keyPlaceOf(path), {
      code: "bad-artifact",
      message: `${name} needs the file it is in: "in"`,
    });
  if (file.by === undefined)
    report(context, context.keyPlaceOf(path), {
      code: "no-producer",
      message: `no role produces ${name}: it needs "by"`,
    });
}

/** The members of a fan-out change one by one, so they never are all about the same content. */
function requireWhole(context: BuildContext, { bind, each }: ArtifactFile, path: Path): void {
  if (each === undefined || listOf(bind).length === 0) return;
  report(context, context.placeOf([...path, "bind"]), {
    code: "bad-artifact",
    message: `a fan-out cannot be bound to ${listOf(bind).join(", ")}: bind what is merged from it instead`,
  });
}

/** Authors do not pay attention to the case of a verdict, and most readers ignore it. */
function requireDistinct(context: BuildContext, { verdict, review }: ArtifactFile, inside: Path): void {
  const tables: readonly (readonly [Path, object | undefined])[] = [
    [[...inside, "verdict"], verdict],
    [[...inside, "review", "values"], review?.values],
    [[...inside, "review", "severities"], review?.severities],
  ];
  for (const [path, table] of tables) {
    const seen = new Map<string, string>();
    for (const word of Object.keys(table ?? {})) {
      const other = seen.get(word.toLowerCase());
      const message = `"${word}" and "${other}" differ only in case: one would be taken for the other`;
      if (other !== undefined)
        report(context, context.keyPlaceOf([...path, word]), { code: "bad-artifact", message });
      seen.set(word.toLowerCase(), word);
    }
  }
}

function buildEach(scope: ParamScope, file: ArtifactFile, { path, inside }: ArtifactSite): Artifact["each"] {
  const { context } = scope;
  if (file.each === undefined) return undefined;
  const { artifact, list } = listNamed(context, file.each, [...path, "each"]);
  requireSlot(context, file, inside);
  const max = paramOr(scope, file.max ?? MEMBERS, {
    as: "int",
    // A phase uses another key for it.
    path: [...path, path[0] === "stages" ? "most" : "max"],
  });
  const inOrder = file.in_order === true ? ({ inOrder: true } as const) : {};
  return { artifact, list, max: typeof max === "string" ? MEMBERS : max, ...inOrder };
}

function buildEvery(
  context: BuildContext,
  file: ArtifactFile,
  { path, inside }: ArtifactSite,
): Artifact["every"] {
  if (file.every === undefined) return undefined;
  requireSlot(context, file, inside);
  return listNamed(context, file.every, [...path, "every"]);
}

function requireSlot(context: BuildContext, file: ArtifactFile, inside: Path): void {
  if (file.in === undefined || file.in.includes("{slot}")) return;
  report(context, context.placeOf([...inside, "in"]), {
    code: "bad-artifact",
    message: `there is one file per member: "in" needs {slot}`,
  });
}

function beginOf(scope: ParamScope, file: ArtifactFile, path: Path): Pick<Artifact, "begin"> {
  const { begin } = file;
  if (begin === undefined) return {};
  const { context } = scope;
  const bad = (message: string, ...key: string[]): void =>
    report(context, context.keyPlaceOf([...path, "begin", ...key]), { code: "bad-artifact", message });
  if (file.in === undefined || file.each !== undefined || file.every !== undefined)
    bad("a run begins with one file");
  if (!listOf(file.by).includes("human")) bad(`these are a person's words: "by" needs human`);
  // YAML without tags contains only literals, lists and maps, which is what a tree consists of.
  const data = begin.data as DataTree;
  const other = pathsIn(data).find((text) => !isKnown(scope, text));
  if (other !== undefined)
    bad(`${other} does not exist when a run begins: only params.NAME and lines.NAME do`, "data");
  return { begin: { when: whenOf(scope, begin.when ?? {}, [...path, "begin", "when"]), as: begin.as, data } };
}

function isKnown({ params }: ParamScope, text: string): boolean {
  const [root = "", name = ""] = text.split(".");
  if (root === "item" || root === "key") return true;
  return (root === "params" || root === "lines") && Object.hasOwn(params, name);
}

function whenOf({ context, params }: ParamScope, when: Begin["when"], path: Path): Begin["when"] {
  for (const [name, value] of Object.entries(when)) {
    requireName(context, { kind: "parameter", name, path: [...path, name] });
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    if (param !== undefined && !takes(param, value))
      report(context, context.placeOf([...path, name]), {
        code: "bad-artifact",
        message: `${name} is ${sayTaken(param)}`,
      });
  }
  return when;
}
