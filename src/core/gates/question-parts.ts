/**
 * A question in parts: a person answers each member of a list with the options of the question. The most severe answer decides
 * the move: the option that comes first in the workflow. So parts add no further ways.
 */

import type { ListName } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { PartAnswer, Run } from "../model/run.ts";
import { standingOf } from "./artifact-status.ts";
import type { AskRule } from "../model/workflow.ts";

/** The text for a part without an answer, if the workflow does not wait for it. */
export const NO_RESPONSE = "no response provided";

/** The current parts of a run's question; empty if the question has none. */
export function partsOf(workflow: Workflow, run: Run, ask: string): readonly string[] {
  const parts = workflow.definition.asks[ask]?.parts;
  if (parts === undefined) return [];
  const { more = [] } = parts;
  const lists = more.length === 0 ? [parts] : [parts, ...more].filter((each) => isAsked(workflow, run, each));
  return [...new Set(lists.flatMap(({ artifact, list }) => run.held[artifact]?.reading.lists[list] ?? []))];
}

/** If several lists have parts, only an artifact that asks now has open ones; a valid or stale one has none. */
function isAsked(workflow: Workflow, run: Run, { artifact }: ListName): boolean {
  const reader = workflow.definition.artifacts[artifact]?.reader;
  if (reader === undefined || !("review" in reader) || reader.review === undefined) return true;
  const standing = standingOf(workflow, run, artifact);
  return standing === "needs_fix" || standing === "needs_human" || standing === "reject";
}

/** Every answer of the question, as it is given, in the order of the workflow. */
export function valuesOf({ options }: AskRule): readonly string[] {
  return Object.entries(options).flatMap(([name, { routes }]) =>
    routes.length === 0 ? [name] : routes.map((route) => `${name}/${route}`),
  );
}

/** All answered parts: these answers and the earlier ones. The last answer for a part counts. */
export function answeredParts(
  parts: readonly string[],
  before: readonly PartAnswer[],
  given: readonly PartAnswer[],
): readonly PartAnswer[] {
  const all = new Map([...before, ...given].map((each) => [each.part, each]));
  return parts.flatMap((part) => all.get(part) ?? []);
}

/** Empty without an answer. */
export function decisive(ask: AskRule, answers: readonly Pick<PartAnswer, "answer">[]): string {
  return valuesOf(ask).find((value) => answers.some(({ answer }) => answer === value)) ?? "";
}

/** All answers as lines, for the agent that gets them. */
export function sayParts(parts: readonly PartAnswer[]): string {
  const lines = parts.map(({ part, answer, text }) =>
    [part, answer, text].filter((word) => word !== "").join(": "),
  );
  return lines.join("\n");
}
