/** Tasks of a plan in Markdown: `### Task 1: name`, then Files, Dependencies, Complexity and Instructions. */

import type { TextFlaw } from "../reading/finding.ts";
import { quote } from "../reading/finding.ts";
import { plain } from "../markdown/inline.ts";
import { linesWithin, ownBlocks, sectionsOf, startOf, textOf } from "../markdown/outline.ts";
import type { Outline } from "../markdown/outline.ts";
import { filesIn, idsIn, labelledOf, wordIn } from "./lines.ts";
import type { TaskDraft } from "./task.ts";
import { instructionsIn } from "./told.ts";

export const TASK_HEADING = /^Task[ \t]+([A-Za-z0-9][\w.-]*?)[ \t]*(?::|[ \t][-–—])[ \t]*(\S.*)$/;
export const TASK_DEPTH_MAX = 4;

export function planDrafts(outline: Outline, flaws: TextFlaw[]): readonly TaskDraft[] {
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
