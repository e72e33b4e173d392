/** Renders a projection as text in the format of the workflow's file. */

import { isObject } from "../json/shape.ts";
import { project } from "../../core/projection/project.ts";
import { listedStatuses } from "../../core/tasks/status.ts";
import type { Projection } from "../../core/model/workflow.ts";
import { setFrontMatter, setKeys, writeYaml } from "../front-matter/edit.ts";
import type { Edited } from "../front-matter/edit.ts";
import { renderReview } from "../review/shown.ts";
import { setStatuses } from "../tasks/status.ts";
import { sectionsOf, writeSections } from "./sections.ts";

/**
 * `existing` is the current text. In front matter and in a YAML map only the projected keys change. The engine owns every other
 * file, including YAML whose top level is not a map, as a whole.
 */
export function renderProjection(
  projection: Projection,
  root: unknown,
  existing: string | undefined,
): Edited {
  if ("of" in projection) return { ok: true, text: renderReview(projection, root, existing ?? "") };
  const { file } = projection;
  const data = project(projection.data, root);
  switch (projection.as) {
    case "json":
      return { ok: true, text: `${JSON.stringify(data, null, 2)}\n` };
    case "lines":
      return {
        ok: true,
        text: membersOf(data)
          .map((member) => `${JSON.stringify(member)}\n`)
          .join(""),
      };
    case "sections":
      return { ok: true, text: writeSections(sectionsOf(data)) };
    case "task-status":
      return setStatuses(file, existing ?? "", listedStatuses(data));
    case "yaml":
      if (existing === undefined || !isObject(data)) return { ok: true, text: writeYaml(data) };
      return setKeys(file, existing, data);
    case "front-matter": {
      if (isObject(data)) return setFrontMatter(file, existing ?? "", data);
      const message = "Front matter must be a map, and the projection gives something else.";
      return { ok: false, problems: [{ file, line: 1, col: 1, code: "not-a-map", message }] };
    }
  }
}

type ProjectedKeys = Readonly<Record<string, unknown>>;

/**
 * The same result as `renderProjection`, if `existing` equals the last rendered text byte for byte: then it contains nothing of
 * other authors, and need not be parsed. `undefined` if another author may have changed it.
 */
export function renderAgain(
  projection: Projection,
  root: unknown,
  { existing, last }: { readonly existing: string; readonly last: ProjectedKeys },
): string | undefined {
  if ("of" in projection || projection.as !== "yaml") return undefined;
  const data = project(projection.data, root);
  if (!isObject(data) || !hasSameKeys(data, last) || writeYaml(last) !== existing) return undefined;
  return writeYaml(data);
}

/** A new key goes to the end of the file, and a key that is no longer projected stays in it. */
function hasSameKeys(one: ProjectedKeys, other: ProjectedKeys): boolean {
  return JSON.stringify(Object.keys(one)) === JSON.stringify(Object.keys(other));
}

function membersOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  return data === null ? [] : [data];
}
