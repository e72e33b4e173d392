/**
 * Tasks in Markdown, under headings that name a layer.
 *
 * Either `### Task 1.1: title` with a map in a YAML block, or lines `- [ ] 1.1 title` with File and Depends below.
 */

import type { Fault } from "../../core/event.ts";
import type { Flaw } from "../finding.ts";
import { cutValue, quote } from "../finding.ts";
import { loadYamlText } from "../json/read.ts";
import type { Path } from "../json/shape.ts";
import { plain } from "../markdown/inline.ts";
import { linesWithin, ownBlocks, sectionsOf, startOf, textOf } from "../markdown/outline.ts";
import type { Block, Outline, Section } from "../markdown/outline.ts";
import { entryDraft } from "./entry.ts";
import { filesIn, idsIn, labelledOf } from "./lines.ts";
import { TASK_DEPTH_MAX, TASK_HEADING } from "./plan.ts";
import type { Draft } from "./task.ts";
import { instructionsIn } from "./told.ts";

type Code = Extract<Block, { type: "code" }>;
type ListItem = Extract<Block, { type: "listItem" }>;
type Found = { readonly flaws: Flaw[]; readonly faults: Fault[] };

const LAYER_DEPTH = 2;
const TITLE_MAX = 200;
const BOX = /^\[([^\]])\](?:[ \t]+(.*))?$/;

export function checkboxDrafts(outline: Outline, found: Found): readonly Draft[] {
  const layers = sectionsOf(outline, LAYER_DEPTH).filter(({ depth }) => depth === LAYER_DEPTH);
  const layerAt = (offset: number) => layers.findLast(({ heading }) => startOf(heading) <= offset)?.name;
  const sections = sectionsOf(outline, TASK_DEPTH_MAX).filter(({ name }) => TASK_HEADING.test(name));
  const drafts =
    sections.length > 0
      ? sections.flatMap((section) => blockDraft(outline, section, found))
      : outline.blocks
          .flatMap((block) => (block.type === "list" ? block.children : []))
          .flatMap((item) => lineDraft(outline, item, found.flaws));
  return drafts.map((draft) => {
    const layer = layerAt(draft.offset);
    return layer === undefined ? draft : { ...draft, layer };
  });
}

function blockDraft(outline: Outline, section: Section, found: Found): readonly Draft[] {
  const offset = startOf(section.heading);
  const [, id = "", title = ""] = TASK_HEADING.exec(section.name) ?? [];
  const block = ownBlocks(section).find((one) => one.type === "code" && /^ya?ml$/i.test(one.lang ?? ""));
  if (block?.type !== "code") {
    found.flaws.push({ offset, reason: `task ${quote(id)}: has no YAML block` });
    return [];
  }
  const draft = fromBlock(outline, block, found.faults);
  if (draft === undefined) return [];
  if (draft.id !== id) {
    found.flaws.push({
      offset,
      reason: `the heading says task ${quote(id)}, its block says ${quote(draft.id)}`,
    });
  }
  const text = draft.text ?? instructionsIn(textOf(outline, section));
  return [{ ...draft, offset, title: cutValue(plain(title), TITLE_MAX), text }];
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
  return entryDraft({
    data: loaded.data,
    path: [],
    lines: text.split("\n"),
    placeOf: loaded.placeOf,
    complain,
  });
}

function lineDraft(outline: Outline, item: ListItem, flaws: Flaw[]): readonly Draft[] {
  const [first, ...rest] = linesWithin(outline, item);
  const box = BOX.exec(first?.text ?? "");
  if (first === undefined || box === null) return [];
  const { offset } = first;
  const [, mark = "", text = ""] = box;
  const [, id, title = ""] =
    /^(?:\*\*)?([A-Za-z]*-?\d[\w.-]*?)[.:]?(?:\*\*)?[:.]?[ \t]+(\S.*)$/.exec(text) ?? [];
  if (id === undefined) {
    flaws.push({ offset, reason: "a task must read `- [ ] 1.1 title`" });
    return [];
  }
  const nested = rest.find((line) => BOX.test(line.text));
  if (nested !== undefined)
    flaws.push({ offset: nested.offset, reason: "a task must not stand inside another task" });
  const status = { " ": "pending", x: "completed", X: "completed" }[mark];
  if (status === undefined) flaws.push({ offset, reason: `the box must be [ ] or [x], not [${mark}]` });
  const labelled = labelledOf(rest);
  return [
    {
      id,
      offset,
      title: cutValue(plain(title), TITLE_MAX),
      files: filesIn(labelled.get("files") ?? []),
      dependsOn: idsIn(labelled.get("depends") ?? []),
      text: instructionsIn(rest.map((line) => line.text).join("\n")),
      ...(status !== undefined && { status }),
    },
  ];
}
