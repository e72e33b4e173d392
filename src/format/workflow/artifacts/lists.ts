/** Lists in an artifact: by heading or path, of maps with dependencies, or of texts inside maps. */

import type { Path } from "../../problem.ts";
import type { Gathered, ListAt, ListName } from "../../../core/model/artifact.ts";
import { report, requireName, type BuildContext } from "../build/context.ts";
import type { ArtifactFile } from "../schema/schema.ts";

type File = Pick<ArtifactFile, "lists" | "tasks">;
type InData = Exclude<NonNullable<File["lists"]>[string], string>;

export function listsOf(context: BuildContext, { lists = {} }: File, path: Path): Record<string, ListAt> {
  return Object.fromEntries(
    Object.entries(lists).map(([name, at]): [string, ListAt] => {
      if (typeof at === "string") return [name, at];
      const { from, id = "id", depends, each, begins } = at;
      if (each === undefined && begins === undefined)
        return [name, { from, id, ...(depends === undefined ? {} : { depends }) }];
      checkTexts(context, at, [...path, "lists", name]);
      return [name, textsOf(at)];
    }),
  );
}

function textsOf({ from, each, begins }: InData): Gathered {
  return { from, ...(each === undefined ? {} : { each }), ...(begins === undefined ? {} : { begins }) };
}

function checkTexts(context: BuildContext, at: InData, path: Path): void {
  for (const key of ["id", "depends"] as const) {
    if (at[key] === undefined) continue;
    tell(context, [...path, key], `"${key}" means nothing here: texts have no names and no dependencies`);
  }
}

/** A list of tasks has a fixed format: only texts can be taken from it. */
export function gatheredOf(
  context: BuildContext,
  file: File,
  path: Path,
): { readonly lists?: Readonly<Record<string, Gathered>> } {
  if (file.lists === undefined) return {};
  const at = [...path, "lists"];
  if (file.tasks !== "yaml")
    tell(context, at, `"lists" means nothing here: of tasks, texts are taken out where they are in YAML`);
  if (Object.hasOwn(file.lists, "tasks"))
    tell(context, [...at, "tasks"], "the name tasks is taken by the list of task ids");
  const texts = Object.entries(file.lists).flatMap(([name, list]): [string, Gathered][] => {
    if (typeof list === "object" && (list.each !== undefined || list.begins !== undefined)) {
      checkTexts(context, list, [...at, name]);
      // The engine writes the status, so an approval of the list does not cover it.
      if (/^status(\.|$)/.test(list.each ?? ""))
        tell(context, [...at, name, "each"], "the status of a task is not part of the list");
      return [[name, textsOf(list)]];
    }
    tell(context, [...at, name], `of tasks, only texts are taken out: ${name} needs "each"`);
    return [];
  });
  return { lists: Object.fromEntries(texts) };
}

function tell(context: BuildContext, path: Path, message: string): void {
  report(context, context.keyPlaceOf(path), { code: "bad-artifact", message });
}

/** A list of another artifact, as `artifact.list`. */
export function listNamed(context: BuildContext, name: string, path: Path): ListName {
  const dot = name.lastIndexOf(".");
  const artifact = name.slice(0, dot);
  requireName(context, { kind: "artifact", name: artifact, path });
  return { artifact, list: name.slice(dot + 1) };
}
