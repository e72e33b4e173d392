/**
 * Front matter as data: the map between two `---` lines at the very start of a text.
 *
 * A `---` anywhere else is a thematic break. Unreadable front matter is a fault; it never counts as missing.
 */

import type { Path } from "../problem.ts";
import type { Fault, Reading } from "../../core/model/event.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { quote } from "../reading/finding.ts";
import type { ReaderFinding } from "../reading/finding.ts";
import { OPEN, splitFrontMatter } from "./parts.ts";
import { takeOut } from "../json/data.ts";
import type { DataContract } from "../json/data.ts";
import { faultsOf, loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";

export type FrontMatter = {
  readonly isThere: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
  readonly placeOf: (path: Path) => SourcePlace;
  readonly keyPlaceOf: (path: Path) => SourcePlace;
};

const NO_KEYS = /^---[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*$/;

export function frontOf(file: string, text: string): FrontMatter {
  const { head, body } = splitFrontMatter(text);
  const start = { file, line: 1, col: 1 };
  const none = { isThere: head !== "", data: {}, faults: [], placeOf: () => start, keyPlaceOf: () => start };
  if (head === "" && OPEN.test(body))
    return {
      ...none,
      faults: [{ at: start, reason: "the front matter that begins here has no closing --- line" }],
    };
  if (head === "" || NO_KEYS.test(head)) return none;
  const loaded = loadYamlText(file, head);
  if (!loaded.ok) return { ...none, faults: loaded.faults };
  const data = isObject(loaded.data) ? loaded.data : {};
  return { isThere: true, data, faults: [], placeOf: loaded.placeOf, keyPlaceOf: loaded.keyPlaceOf };
}

type TakenFront = Pick<ReaderFinding, "faults"> & {
  readonly fields: Reading["fields"];
  readonly lists: Reading["lists"];
};

/** Checks the shape and takes out the values. Missing front matter with required keys is one fault. */
export function takenFrom(front: FrontMatter, wanted: DataContract): TakenFront {
  const { misfits, fields, lists } = takeOut(wanted, front.data);
  if (front.faults.length > 0) return { faults: front.faults, fields, lists };
  const required = wanted.shape?.type === "object" ? Object.keys(wanted.shape.required) : [];
  if (front.isThere || required.length === 0) return { faults: faultsOf(misfits, front), fields, lists };
  const reason = `front matter is missing at the very start; it must have ${required.map(quote).join(", ")}`;
  return { faults: [{ at: front.placeOf([]), reason }], fields, lists };
}
