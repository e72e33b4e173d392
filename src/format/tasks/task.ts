/** Tasks of a plan, independent of its format, and the faults that make a list unusable. */

import { isListed } from "../../core/tasks/status.ts";
import type { TaskKeys } from "../../core/tasks/graph.ts";
import { quote, cutValue, type TextFlaw } from "../reading/finding.ts";
import { circleIn } from "../order.ts";

const COMPLEXITIES = ["easy", "medium", "hard"] as const;
type Complexity = (typeof COMPLEXITIES)[number];

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly files: readonly string[];
  readonly dependsOn: readonly string[];
  readonly complexity?: Complexity;
  readonly status?: string;
  /** The layer that its heading names. */
  readonly layer?: string;
  /** The instructions of the task, as the list has them. */
  readonly text?: string;
  /** Further keys: texts, numbers, booleans, and lists of them. */
  readonly keys?: TaskKeys;
  readonly line: number;
};

/** A task as written in its file, before it is compared with the others. */
export type TaskDraft = Omit<Task, "complexity" | "line"> & {
  readonly offset: number;
  readonly complexity?: string;
};

export function flawsOf(drafts: readonly TaskDraft[]): readonly TextFlaw[] {
  if (drafts.length === 0) return [{ offset: 0, reason: "the list has no task" }];
  const first = new Map<string, TaskDraft>();
  const flaws: TextFlaw[] = [];
  for (const draft of drafts) {
    const { id, offset } = draft;
    if (first.has(id)) flaws.push({ offset, reason: `the task ${quote(id)} appears twice` });
    else first.set(id, draft);
  }
  for (const draft of drafts) {
    const complain = (reason: string) =>
      flaws.push({ offset: draft.offset, reason: `task ${quote(draft.id)}: ${reason}` });
    for (const id of draft.dependsOn) {
      if (!first.has(id)) complain(`depends on ${quote(id)}, which is not a task`);
    }
    if (draft.complexity !== undefined && complexityOf(draft.complexity) === undefined) {
      complain(`the complexity ${quote(draft.complexity)} is none of ${COMPLEXITIES.join(", ")}`);
    }
    if (draft.status !== undefined && !isListed(draft.status)) {
      complain(`the status ${quote(draft.status)} is unknown`);
    }
    const outside = draft.files.find((file) => /^[/\\~]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(file));
    if (outside !== undefined) complain(`the file ${quote(outside)} is not a path inside the workspace`);
  }
  const cycle = circleIn([...first.values()]);
  const [start = ""] = cycle;
  if (cycle.length > 0) {
    flaws.push({
      offset: first.get(start)?.offset ?? 0,
      reason: `tasks depend on each other: ${cycle.join(" -> ")}`,
    });
  }
  return flaws;
}

export function complexityOf(word: string): Complexity | undefined {
  return COMPLEXITIES.find((complexity) => complexity === word.toLowerCase());
}

/** The instructions of a task for its agent. */

const TEXT_MAX = 2000;
const INSTRUCTIONS = /^[ \t]*(?:[-*+][ \t]+)?(\*{1,2}|_{1,2}|`?)Instructions(?::\1|\1[ \t]*:)(?=\s|$)/im;

/** The text after `Instructions:`, or the whole text. */
export function instructionsIn(text: string): string {
  const label = INSTRUCTIONS.exec(text);
  const rest = label === null ? text : text.slice(label.index + label[0].length);
  return cutValue(rest.trim(), TEXT_MAX);
}
