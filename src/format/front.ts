/**
 * Front matter as data: the map between two `---` lines at the very start of a text.
 *
 * A `---` anywhere else is a rule. What cannot be read is a fault, never "there is none".
 */

import type { Fault } from "../core/event.ts";
import type { Place } from "../core/workflow.ts";
import { OPEN, splitFrontMatter } from "./front-matter-parts.ts";
import { loadYamlText } from "./json/read.ts";
import { isObject } from "./json/shape.ts";
import type { Path } from "./json/shape.ts";

export type Front = {
  readonly isThere: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  readonly faults: readonly Fault[];
  readonly placeOf: (path: Path) => Place;
  readonly keyPlaceOf: (path: Path) => Place;
};

const NO_KEYS = /^---[ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*$/;

export function frontOf(file: string, text: string): Front {
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
