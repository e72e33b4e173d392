/** Reads a list of tasks, in any of the three styles, and checks that it can be worked off. */

import type { Fault } from "../../core/model/event.ts";
import type { Reader } from "../../core/model/artifact.ts";
import { faultsAt } from "../reading/finding.ts";
import type { Flaw } from "../reading/finding.ts";
import { frontOf } from "../front-matter/data.ts";
import { outlineOf } from "../markdown/outline.ts";
import { placesIn } from "../problem.ts";
import { checkboxDrafts } from "./checkbox.ts";
import { conflictsWith, layered } from "./layers.ts";
import { planDrafts } from "./plan.ts";
import { complexityOf, flawsOf } from "./task.ts";
import type { Draft, Task } from "./task.ts";
import { yamlDrafts } from "./yaml.ts";

export type TaskStyle = Extract<Reader, { type: "tasks" }>["style"];
type TaskList = { readonly tasks: readonly Task[]; readonly faults: readonly Fault[] };

export function readTasks(style: TaskStyle, file: string, text: string): TaskList {
  const placeAt = placesIn(file, text);
  const { drafts, faults } =
    style === "yaml" ? yamlDrafts(file, text, lineStarts(text)) : fromMarkdown(style, file, text);
  // A file that could not be read says why; that it also has no task says nothing more.
  const flaws = drafts.length === 0 && faults.length > 0 ? [] : flawsOf(drafts);
  const tasks = drafts.map((draft) => taskOf(draft, placeAt(draft.offset).line));
  return { tasks, faults: [...faults, ...faultsAt(flaws, placeAt)] };
}

function fromMarkdown(style: "markdown" | "checkbox", file: string, text: string) {
  const outline = outlineOf(file, withoutWrapper(text));
  const flaws: Flaw[] = outline.refused ? [outline.refused] : [];
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

/** A `<tasks>` tag around the list would hide, as HTML, what follows it without an empty line. */
function withoutWrapper(text: string): string {
  return text.replaceAll(/^<\/?tasks>(?=[ \t]*\r?$)/gm, (tag) => " ".repeat(tag.length));
}

function lineStarts(text: string): (line: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (line) => starts[line - 1] ?? 0;
}

function taskOf(draft: Draft, line: number): Task {
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
