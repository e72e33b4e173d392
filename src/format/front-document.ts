/** A Markdown document with its front matter: both are read, and told together. */

import type { Fault } from "../core/event.ts";
import type { ListAt, Reader, Shape } from "../core/workflow.ts";
import type { Finding } from "./finding.ts";
import { quote } from "./finding.ts";
import { frontOf } from "./front.ts";
import type { Front } from "./front.ts";
import { takeOut } from "./json/data.ts";
import { faultsOf } from "./json/read.ts";
import { readDocument } from "./markdown/document.ts";

type DocumentReader = Extract<Reader, { type: "document" }>;

export function readFrontDocument(reader: DocumentReader, file: string, text: string): Finding {
  const body = readDocument(reader, file, text);
  const front = frontOf(file, text);
  const { shape } = reader.front ?? {};
  const missing = front.isThere ? [] : requiredBy(shape);
  const wanted = {
    ...(shape === undefined ? {} : { shape }),
    lists: listsIn(reader),
    same: reader.same ?? {},
  };
  const { misfits, fields, lists } = takeOut(wanted, front.data);
  const faults =
    front.faults.length > 0 ? front.faults : (toldOf(missing, front) ?? faultsOf(misfits, front));
  return { ...body, faults: [...faults, ...body.faults], fields, lists: { ...body.lists, ...lists } };
}

function requiredBy(shape: Shape | undefined): readonly string[] {
  return shape?.type === "object" ? Object.keys(shape.required) : [];
}

/** Of front matter that is not there, what it would have to say is one fault. */
function toldOf(missing: readonly string[], { placeOf }: Front): readonly Fault[] | undefined {
  if (missing.length === 0) return undefined;
  const reason = `there is no front matter at the very start; it must have ${missing.map(quote).join(", ")}`;
  return [{ at: placeOf([]), reason }];
}

function listsIn({ lists }: DocumentReader): Record<string, ListAt> {
  return Object.fromEntries(Object.entries(lists).filter(([, at]) => typeof at !== "string"));
}
