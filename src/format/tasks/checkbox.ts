/**
 * Tasks in Markdown, optionally below headings that name a layer.
 *
 * Either `### Task 1.1: title` with a map in a YAML block, or lines `- [ ] 1.1 title` with File and Depends below.
 */

import type { Path } from "../problem.ts";
import type { Fault } from "../../core/model/event.ts";
import type { TextFlaw } from "../reading/finding.ts";
import { cutValue, quote } from "../reading/finding.ts";
import { loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";
import { plain } from "../markdown/inline.ts";
import { linesWithin, ownBlocks, sectionsOf, startOf, textOf } from "../markdown/outline.ts";
import type { Block, Outline, MarkdownSection } from "../markdown/outline.ts";
import { entryDraft } from "./entry.ts";
import { filesIn, idsIn, labelledOf } from "./lines.ts";
import { TASK_DEPTH_MAX, TASK_HEADING } from "./plan.ts";
import type { TaskDraft } from "./task.ts";
import { instructionsIn } from "./told.ts";

type Code = Extract<Block, { type: "code" }>;
type ListItem = Extract<Block, { type: "listItem" }>;
type FoundFaults = { readonly flaws: TextFlaw[]; readonly faults: Fault[] };

const TITLE_MAX = 200;
const TASK = /^Task[ \t]+[A-Za-z]*-?\d/;
const BOX = /^\[([^\]])\](?:[ \t]+(.*))?$/;
const ID = /^(?:\*\*)?([A-Za-z]*-?\d[\w.-]*?)[.:]?(?:\*\*)?[:.]?[ \t]+(\S.*)$/;
const ACTIONS = ["CREATE", "MODIFY", "DELETE", "RENAME"];

export function checkboxDrafts(outline: Outline, found: FoundFaults): readonly TaskDraft[] {
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
