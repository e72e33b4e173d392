/** Reads the current values of a projected file, by field; empty if it cannot be read. */

import type { Projection } from "../../core/model/workflow.ts";
import { splitFrontMatter } from "../front-matter/parts.ts";
import { readReviewFields } from "../review/shown.ts";
import { readSections } from "./sections.ts";
import { statusesIn } from "../tasks/status.ts";
import { isObject } from "../json/shape.ts";
import { loadYaml } from "../yaml.ts";

type ProjectedFields = Readonly<Record<string, unknown>>;

export function readFields(projection: Projection, text: string): ProjectedFields {
  if ("of" in projection) return readReviewFields(projection, text);
  const { as, file } = projection;
  if (as === "json") return fieldsIn(parseJson(text));
  if (as === "lines") return { content: text.split("\n").flatMap(lineIn) };
  if (as === "task-status") return statusesIn(file, text);
  if (as === "sections") return readSections(text);
  const source = as === "yaml" ? text : splitFrontMatter(text).head;
  const loaded = loadYaml(file, new TextEncoder().encode(source));
  return loaded.ok ? fieldsIn(loaded.data) : {};
}

function lineIn(line: string): readonly unknown[] {
  return line.trim() === "" ? [] : [parseJson(line)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON has no fields; the code that replaces the file keeps a copy.
    return {};
  }
}

function fieldsIn(data: unknown): ProjectedFields {
  return isObject(data) ? data : { content: data };
}
