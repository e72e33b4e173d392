/** Tasks in a YAML file: a map with a list `tasks`. */

import type { Fault } from "../../core/model/event.ts";
import { FAULTS_MAX } from "../reading/finding.ts";
import { loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";
import type { Path } from "../json/shape.ts";
import { entryDraft } from "./entry.ts";
import type { Draft } from "./task.ts";

type Drafted = { readonly drafts: readonly Draft[]; readonly faults: readonly Fault[] };

/** The place of every id is looked up, which takes time in proportion to its line. */
const LINE_MAX = 4000;

/** `offsetOf` is the inverse of a place, so that all styles are checked alike afterwards. */
export function yamlDrafts(file: string, text: string, offsetOf: (line: number) => number): Drafted {
  const lines = text.split("\n");
  const long = lines.findIndex((line) => line.length > LINE_MAX);
  if (long !== -1) {
    const reason = `the line has more than ${LINE_MAX} characters`;
    return { drafts: [], faults: [{ at: { file, line: long + 1, col: 1 }, reason }] };
  }
  const loaded = loadYamlText(file, text);
  if (!loaded.ok) return { drafts: [], faults: loaded.faults };
  const faults: Fault[] = [];
  const complain = (path: Path, reason: string) => {
    if (faults.length < FAULTS_MAX) faults.push({ at: loaded.placeOf(path), reason });
  };
  const tasks = isObject(loaded.data) ? loaded.data["tasks"] : undefined;
  if (!Array.isArray(tasks)) {
    complain(["tasks"], "the file must have a list `tasks`");
    return { drafts: [], faults };
  }
  const drafts = tasks.flatMap((data: unknown, index) => {
    const path = ["tasks", index];
    const draft = entryDraft({ data, path, lines, placeOf: loaded.placeOf, complain });
    if (draft === undefined) return [];
    if (draft.title === "") complain(path, "a task needs a title or a goal");
    return [{ ...draft, offset: offsetOf(loaded.placeOf(path).line) }];
  });
  return { drafts, faults };
}
