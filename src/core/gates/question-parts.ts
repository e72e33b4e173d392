/**
 * A question in parts: one member of a list after the other is answered, with the options of the question. The run goes where the
 * gravest answer leads, which is the option that stands first in the workflow; so there are no more ways than without parts.
 */

import type { ListName } from "../model/artifact.ts";
import type { Workflow } from "../model/compile.ts";
import type { PartAnswer, Run } from "../model/run.ts";
import { standingOf } from "./artifact-status.ts";
import type { Ask } from "../model/workflow.ts";

/** Of a part that nobody answered, where the workflow does not wait for it. */
export const NO_RESPONSE = "no response provided";

/** What the question of a run is made of now; empty where it is one whole. */
export function partsOf(workflow: Workflow, run: Run, ask: string): readonly string[] {
  const parts = workflow.definition.asks[ask]?.parts;
  if (parts === undefined) return [];
  const { more = [] } = parts;
  const lists = more.length === 0 ? [parts] : [parts, ...more].filter((each) => isAsked(workflow, run, each));
  return [...new Set(lists.flatMap(({ artifact, list }) => run.held[artifact]?.reading.lists[list] ?? []))];
}

/** Of several, what asks now: an answer that was good, or that is old, has nothing open. */
function isAsked(workflow: Workflow, run: Run, { artifact }: ListName): boolean {
  const reader = workflow.definition.artifacts[artifact]?.reader;
  if (reader === undefined || !("review" in reader) || reader.review === undefined) return true;
  const standing = standingOf(workflow, run, artifact);
  return standing === "needs_fix" || standing === "needs_human" || standing === "reject";
}

/** Every answer that the question knows, as it is given, in the order of the workflow. */
export function valuesOf({ options }: Ask): readonly string[] {
  return Object.entries(options).flatMap(([name, { routes }]) =>
    routes.length === 0 ? [name] : routes.map((route) => `${name}/${route}`),
  );
}

/** Those parts that have an answer, with these and those that were given before. The last word about a part counts. */
export function answeredParts(
  parts: readonly string[],
  before: readonly PartAnswer[],
  given: readonly PartAnswer[],
): readonly PartAnswer[] {
  const all = new Map([...before, ...given].map((each) => [each.part, each]));
  return parts.flatMap((part) => all.get(part) ?? []);
}

/** Empty where there is no answer. */
export function decisive(ask: Ask, answers: readonly Pick<PartAnswer, "answer">[]): string {
  return valuesOf(ask).find((value) => answers.some(({ answer }) => answer === value)) ?? "";
}

/** All of them in lines, for whoever is told what a person said. */
export function sayParts(parts: readonly PartAnswer[]): string {
  const lines = parts.map(({ part, answer, text }) =>
    [part, answer, text].filter((word) => word !== "").join(": "),
  );
  return lines.join("\n");
}
