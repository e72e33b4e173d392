/**
 * Layers of a list of tasks: the headings that name them, and their order.
 *
 * The name in the heading identifies the layer; its number only decides the order. Layers in front matter must agree.
 */

import type { Path } from "../problem.ts";
import type { Fault } from "../../core/model/event.ts";
import { quote } from "../reading/finding.ts";
import type { TextFlaw } from "../reading/finding.ts";
import type { FrontMatter } from "../front-matter/data.ts";
import { isObject } from "../json/shape.ts";
import { sectionsOf, startOf } from "../markdown/outline.ts";
import type { Outline, MarkdownSection } from "../markdown/outline.ts";
import { inOrder } from "../order.ts";
import type { TaskDraft } from "./task.ts";

const LAYERS: readonly string[] = ["data", "logic", "integration", "testing"];
const DEPTH_MAX = 3;
const HEADING = new RegExp(
  String.raw`^(?:(\d{1,6})[.)]?[ \t]+)?(${LAYERS.join("|")})(?:[ \t]+layer)?(?:[ \t]*[(:–—-].*)?$`,
  "i",
);

type TaskLayer = {
  readonly name: string;
  readonly number: number | undefined;
  readonly from: number;
  readonly to: number;
};

/** Each task with its layer, in the order of execution. */
export function layered(
  outline: Outline,
  drafts: readonly TaskDraft[],
  flaws: TextFlaw[],
): readonly TaskDraft[] {
  const sections = sectionsOf(outline, DEPTH_MAX);
  const layers = layersIn(outline, sections, flaws);
  if (layers.length === 0) return inOrder(drafts);
  const placed = drafts.map((draft) => {
    const layer = layers.find(({ from, to }) => from <= draft.offset && draft.offset < to);
    if (layer === undefined)
      flaws.push({
        offset: draft.offset,
        reason: `task ${quote(draft.id)}: is not below a layer, and others are (${hintAt(outline, sections, draft)})`,
      });
    return layer === undefined ? draft : { ...draft, layer: layer.name };
  });
  const rankOf = ({ layer }: TaskDraft): number => layers.findIndex(({ name }) => name === layer);
  const byId = new Map(placed.map((draft) => [draft.id, draft]));
  for (const draft of placed) {
    const late = draft.dependsOn
      .map((id) => byId.get(id))
      .find((other) => other !== undefined && rankOf(other) > rankOf(draft));
    if (late !== undefined)
      flaws.push({
        offset: draft.offset,
        reason: `task ${quote(draft.id)}: depends on ${quote(late.id)}, which is of a later layer (${late.layer ?? ""})`,
      });
  }
  return [
    ...Map.groupBy(
      placed.toSorted((a, b) => rankOf(a) - rankOf(b)),
      rankOf,
    ).values(),
  ].flatMap((group) => inOrder(group));
}

/** In order: by number if all layers have one, otherwise by position. */
function layersIn(
  outline: Outline,
  sections: readonly MarkdownSection[],
  flaws: TextFlaw[],
): readonly TaskLayer[] {
  const found = sections.flatMap(({ name, heading, next }): TaskLayer[] => {
    const [, number, word] = HEADING.exec(name) ?? [];
    if (word === undefined) return [];
    const to = next === undefined ? outline.text.length : startOf(next);
    return [
      {
        name: word.toLowerCase(),
        number: number === undefined ? undefined : Number(number),
        from: startOf(heading),
        to,
      },
    ];
  });
  for (const [index, { name, number, from }] of found.entries()) {
    const before = found.slice(0, index);
    if (before.some((other) => other.name === name))
      flaws.push({ offset: from, reason: `the layer ${name} appears twice` });
    else if (number !== undefined && before.some((other) => other.number === number))
      flaws.push({
        offset: from,
        reason: `two layers have the number ${number}, so their order is not clear`,
      });
  }
  const isNumbered = found.every(({ number }) => number !== undefined);
  return isNumbered ? found.toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0)) : found;
}

/** A line of dashes directly below a text makes the text a heading, which few writers intend. */
function hintAt(outline: Outline, sections: readonly MarkdownSection[], { offset }: TaskDraft): string {
  const above = sections.findLast(({ heading }) => startOf(heading) <= offset);
  const start = above === undefined ? -1 : startOf(above.heading);
  if (start === -1 || outline.text.startsWith("#", start)) return "a heading like `## 1. Data Layer`";
  const { line } = outline.placeAt(start);
  return `the text on line ${line} is underlined, which makes it a heading: put an empty line below it`;
}

/** Layers in front matter that contradict the headings. */
export function conflictsWith(front: FrontMatter, drafts: readonly TaskDraft[]): readonly Fault[] {
  const told = front.data["layers"] ?? {};
  const complain = (path: Path, reason: string): Fault => ({ at: front.placeOf(path), reason });
  if (!isObject(told)) return [complain(["layers"], `"layers" must be a map of layers`)];
  return Object.entries(told).flatMap(([key, value]) => {
    const name = key.toLowerCase();
    if (!LAYERS.includes(name))
      return [complain(["layers", key], `unknown layer ${quote(key)}: use one of ${LAYERS.join(", ")}`)];
    const count = isObject(value) ? value["task_count"] : undefined;
    const own = drafts.filter(({ layer }) => layer === name).length;
    if (own === 0 && count !== 0)
      return [complain(["layers", key], `the layer ${name} is in the front matter, and no heading names it`)];
    if (typeof count !== "number" || count === own) return [];
    const reason = `the layer ${name} has ${count} tasks in the front matter, and ${own} under its heading`;
    return [complain(["layers", key, "task_count"], reason)];
  });
}
