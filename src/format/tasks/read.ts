/** Reads a list of tasks in any of the three formats, and checks that it can be executed. */

import type { Fault } from "../../core/model/event.ts";
import type { Reader } from "../../core/model/artifact.ts";
import { faultsAt, FAULTS_MAX, cutValue, quote, type TextFlaw } from "../reading/finding.ts";
import { frontOf } from "../front-matter/data.ts";
import {
  outlineOf,
  linesWithin,
  ownBlocks,
  sectionsOf,
  startOf,
  textOf,
  type Block,
  type Outline,
  type MarkdownSection,
} from "../markdown/outline.ts";
import { placesIn, type Path } from "../problem.ts";
import { conflictsWith, layered } from "./layers.ts";
import { complexityOf, flawsOf, instructionsIn, type TaskDraft, type Task } from "./task.ts";
import { loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";
import { entryDraft } from "./entry.ts";
import { plain } from "../markdown/inline.ts";
import { filesIn, idsIn, labelledOf, wordIn } from "./lines.ts";

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

/**
 * Tasks in Markdown, optionally below headings that name a layer.
 *
 * Either `### Task 1.1: title` with a map in a YAML block, or lines `- [ ] 1.1 title` with File and Depends below.
 */

type Code = Extract<Block, { type: "code" }>;
type ListItem = Extract<Block, { type: "listItem" }>;
type FoundFaults = { readonly flaws: TextFlaw[]; readonly faults: Fault[] };

const TITLE_MAX = 200;
const TASK = /^Task[ \t]+[A-Za-z]*-?\d/;
const BOX = /^\[([^\]])\](?:[ \t]+(.*))?$/;
const ID = /^(?:\*\*)?([A-Za-z]*-?\d[\w.-]*?)[.:]?(?:\*\*)?[:.]?[ \t]+(\S.*)$/;
const ACTIONS = ["CREATE", "MODIFY", "DELETE", "RENAME"];

function checkboxDrafts(outline: Outline, found: FoundFaults): readonly TaskDraft[] {
  const headings = sectionsOf(outline, TASK_DEPTH_MAX).filter(({ name }) => TASK.test(name));
  const sections = headings.filter(({ name }) => TASK_HEADING.test(name));
  for (const { heading } of headings.filter((section) => !sections.includes(section)))
    found.flaws.push({
      offset: startOf(heading),
      reason: "a task's heading must read `### Task 1.1: title`",
    });
  const items = outline.blocks.flatMap((block) => (block.type === "list" ? block.children : []));
  if (sections.length === 0)
    return headings.length > 0 ? [] : items.flatMap((item) => lineDraft(outline, item, found.flaws));
  requireNone(
    outline,
    items.filter((item) => !sections.some((section) => holds(section, item))),
    found.flaws,
  );
  return sections.flatMap((section) => blockDraft(outline, section, found));
}

function holds({ heading, next }: MarkdownSection, item: ListItem): boolean {
  const offset = startOf(item);
  return offset > startOf(heading) && (next === undefined || offset < startOf(next));
}

/** Boxes below a task are its steps; a box with an id anywhere else would be a task that no agent does. */
function requireNone(outline: Outline, items: readonly ListItem[], flaws: TextFlaw[]): void {
  for (const item of items) {
    const [first] = linesWithin(outline, item);
    if (first === undefined || !ID.test(BOX.exec(first.text)?.[2] ?? "")) continue;
    const reason = "tasks are headings with a YAML block here, so that this line would be lost";
    flaws.push({ offset: first.offset, reason });
  }
}

function blockDraft(outline: Outline, section: MarkdownSection, found: FoundFaults): readonly TaskDraft[] {
  const offset = startOf(section.heading);
  const [, id = "", title = ""] = TASK_HEADING.exec(section.name) ?? [];
  const block = ownBlocks(section).find((one) => one.type === "code" && /^ya?ml$/i.test(one.lang ?? ""));
  if (block?.type !== "code") {
    found.flaws.push({ offset, reason: `task ${quote(id)}: has no YAML block` });
    return [];
  }
  const read = fromBlock(outline, block, found.faults);
  if (read?.draft === undefined) return [];
  const { draft, action } = read;
  requireAction(action, { id, offset }, found.flaws);
  if (draft.id !== id) {
    found.flaws.push({
      offset,
      reason: `the heading says task ${quote(id)}, its block says ${quote(draft.id)}`,
    });
  }
  const text = draft.text ?? instructionsIn(textOf(outline, section));
  const files =
    action === "RENAME" ? draft.files.flatMap((file) => file.split(/\s+(?:->|=>|→)\s+/)) : draft.files;
  return [{ ...draft, files, offset, title: cutValue(plain(title), TITLE_MAX), text }];
}

function requireAction(
  action: unknown,
  { id, offset }: Pick<TaskDraft, "id" | "offset">,
  flaws: TextFlaw[],
): void {
  if (action === undefined || ACTIONS.some((known) => known === action)) return;
  const said = typeof action === "string" ? action : JSON.stringify(action);
  flaws.push({
    offset,
    reason: `task ${quote(id)}: the action ${quote(said)} is none of ${ACTIONS.join(", ")}`,
  });
}

function fromBlock(outline: Outline, block: Code, faults: Fault[]) {
  const { file, line } = outline.placeAt(startOf(block));
  const text = block.value.replaceAll("\r\n", "\n");
  const loaded = loadYamlText(file, text);
  const shift = ({ at, reason }: Fault) => ({ at: { ...at, line: at.line + line }, reason });
  if (!loaded.ok) {
    faults.push(...loaded.faults.map(shift));
    return undefined;
  }
  const complain = (path: Path, reason: string) => faults.push(shift({ at: loaded.placeOf(path), reason }));
  const { data, placeOf } = loaded;
  const draft = entryDraft({ data, path: [], lines: text.split("\n"), placeOf, complain });
  return { draft, action: isObject(data) ? (data["action"] ?? undefined) : undefined };
}

function lineDraft(outline: Outline, item: ListItem, flaws: TextFlaw[]): readonly TaskDraft[] {
  const [first, ...rest] = linesWithin(outline, item);
  const box = BOX.exec(first?.text ?? "");
  if (first === undefined || box === null) return [];
  const { offset } = first;
  const [, mark = "", text = ""] = box;
  const [, id, title = ""] = ID.exec(text) ?? [];
  if (id === undefined) {
    flaws.push({ offset, reason: "a task must read `- [ ] 1.1 title`" });
    return [];
  }
  const nested = rest.find((line) => BOX.test(line.text));
  if (nested !== undefined)
    flaws.push({ offset: nested.offset, reason: "a task must not be inside another task" });
  const status = { " ": "pending", x: "completed", X: "completed" }[mark];
  if (status === undefined) flaws.push({ offset, reason: `the box must be [ ] or [x], not [${mark}]` });
  const labelled = labelledOf(rest);
  const files = labelled.get("files") ?? [];
  for (const [, action = ""] of files.join("\n").matchAll(/(?<=\s)\(([A-Z]{2,})\)/g))
    requireAction(action, { id, offset }, flaws);
  return [
    {
      id,
      offset,
      title: cutValue(plain(title), TITLE_MAX),
      files: filesIn(files),
      dependsOn: idsIn(labelled.get("depends") ?? []),
      text: instructionsIn(rest.map((line) => line.text).join("\n")),
      ...(status !== undefined && { status }),
    },
  ];
}

/** Tasks of a plan in Markdown: `### Task 1: name`, then Files, Dependencies, Complexity and Instructions. */

const TASK_HEADING = /^Task[ \t]+([A-Za-z0-9][\w.-]*?)[ \t]*(?::|[ \t][-–—])[ \t]*(\S.*)$/;
const TASK_DEPTH_MAX = 4;

function planDrafts(outline: Outline, flaws: TextFlaw[]): readonly TaskDraft[] {
  return sectionsOf(outline, TASK_DEPTH_MAX).flatMap((section) => {
    const offset = startOf(section.heading);
    const [, id, title = ""] = TASK_HEADING.exec(section.name) ?? [];
    if (id === undefined) {
      if (/^Task\s+\d/.test(section.name))
        flaws.push({ offset, reason: "a task's heading must read `### Task 1: name`" });
      return [];
    }
    const lines = ownBlocks(section)
      .filter(({ type }) => type === "paragraph" || type === "list")
      .flatMap((block) => linesWithin(outline, block));
    const labelled = labelledOf(lines);
    const files = filesIn(labelled.get("files") ?? []);
    if (files.length === 0)
      flaws.push({ offset, reason: `task ${quote(id)}: names no files (a line \`Files: ...\`)` });
    const complexity = wordIn(labelled.get("complexity"));
    const dependsOn = idsIn(labelled.get("depends") ?? []);
    const text = instructionsIn(textOf(outline, section));
    return [
      {
        id,
        offset,
        title: plain(title),
        files,
        dependsOn,
        text,
        ...(complexity !== undefined && { complexity }),
      },
    ];
  });
}
