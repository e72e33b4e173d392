/** Reads a list of tasks in any of the three formats, and checks that it can be executed. */

import type { Fault } from "../../core/model/event.ts";
import type { Reader } from "../../core/model/artifact.ts";
import { faultsAt, type TextFlaw, FAULTS_MAX } from "../reading/finding.ts";
import { frontOf } from "../front-matter/data.ts";
import { outlineOf } from "../markdown/outline.ts";
import { placesIn, type Path } from "../problem.ts";
import { checkboxDrafts } from "./checkbox.ts";
import { conflictsWith, layered } from "./layers.ts";
import { planDrafts } from "./plan.ts";
import { complexityOf, flawsOf, type TaskDraft, type Task } from "./task.ts";
import { loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";
import { entryDraft } from "./entry.ts";

export type TaskStyle = Extract<Reader, { type: "tasks" }>["style"];
type TaskList = { readonly tasks: readonly Task[]; readonly faults: readonly Fault[] };

export function readTasks(style: TaskStyle, file: string, text: string): TaskList {
  const placeAt = placesIn(file, text);
  const { drafts, faults } =
    style === "yaml" ? yamlDrafts(file, text, lineStarts(text)) : fromMarkdown(style, file, text);
  // An unreadable file has its own fault; that it has no task adds nothing.
  const flaws = drafts.length === 0 && faults.length > 0 ? [] : flawsOf(drafts);
  const tasks = drafts.map((draft) => taskOf(draft, placeAt(draft.offset).line));
  return { tasks, faults: [...faults, ...faultsAt(flaws, placeAt)] };
}

function fromMarkdown(style: "markdown" | "checkbox", file: string, text: string) {
  const outline = outlineOf(file, withoutWrapper(text));
  const flaws: TextFlaw[] = outline.refused ? [outline.refused] : [];
  if (style === "markdown") {
    const drafts = planDrafts(outline, flaws);
    return { drafts, faults: faultsAt(flaws, outline.placeAt) };
  }
  const faults: Fault[] = [];
  const drafts = layered(outline, checkboxDrafts(outline, { flaws, faults }), flaws);
  const front = frontOf(file, text);
  const conflicts = front.faults.length > 0 ? front.faults : conflictsWith(front, drafts);
  return { drafts, faults: [...conflicts, ...faultsAt(flaws, outline.placeAt), ...faults] };
}

/** A `<tasks>` tag around the list would, as HTML, hide the lines after it up to the next empty line. */
function withoutWrapper(text: string): string {
  return text.replaceAll(/^<\/?tasks>(?=[ \t]*\r?$)/gm, (tag) => " ".repeat(tag.length));
}

function lineStarts(text: string): (line: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (line) => starts[line - 1] ?? 0;
}

function taskOf(draft: TaskDraft, line: number): Task {
  const { id, title, files, dependsOn, status, layer, keys, text = "" } = draft;
  const complexity = draft.complexity === undefined ? undefined : complexityOf(draft.complexity);
  return {
    id,
    title,
    files,
    dependsOn,
    ...(complexity !== undefined && { complexity }),
    ...(status !== undefined && { status }),
    ...(layer !== undefined && { layer }),
    ...(text !== "" && { text }),
    ...(keys !== undefined && { keys }),
    line,
  };
}

type Drafted = { readonly drafts: readonly TaskDraft[]; readonly faults: readonly Fault[] };

/** The position of every id is looked up, which takes time in proportion to the length of its line. */
const LINE_MAX = 4000;

/** `offsetOf` converts a line to an offset, so that the later checks are the same for all formats. */
function yamlDrafts(file: string, text: string, offsetOf: (line: number) => number): Drafted {
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
