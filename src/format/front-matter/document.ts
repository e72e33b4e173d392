/** Reads a Markdown document together with its front matter, and reports the faults of both. */

import type { ListAt, DocumentReader } from "../../core/model/artifact.ts";
import type { ReaderFinding } from "../reading/finding.ts";
import { frontOf, takenFrom } from "./data.ts";
import { readDocument, textUnder } from "../markdown/document.ts";

export function readFrontDocument(reader: DocumentReader, file: string, text: string): ReaderFinding {
  const body = readDocument(reader, file, text);
  const front = frontOf(file, text);
  const { faults, fields, lists } = takenFrom(front, { ...reader.front, lists: listsIn(reader) });
  return { ...body, faults: [...faults, ...body.faults], fields, lists: { ...body.lists, ...lists } };
}

function listsIn({ lists }: DocumentReader): Record<string, ListAt> {
  return Object.fromEntries(Object.entries(lists).filter(([, at]) => typeof at !== "string"));
}

/** The text of a front matter field, or of the section below a heading; empty if neither exists. */
export function textIn(file: string, text: string, name: string): string {
  const { data } = frontOf(file, text);
  const field = Object.hasOwn(data, name) ? data[name] : undefined;
  return typeof field === "string" ? field : textUnder(file, text, name);
}
