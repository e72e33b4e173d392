/** Lives of runs in workflows with stages, told in a few words. */

import type { Workflow } from "../../src/core/model/compile.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Agent, Run } from "../../src/core/model/run.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, reading, start, verdict } from "./play.ts";

export function goodWorkflow(name: string): Workflow {
  const found = fixturesIn("good").find((each) => each.name === name);
  if (found === undefined) throw new Error(`the corpus lacks ${name}`);
  const { text, prompts } = found;
  const parsed = parseWorkflow({ file: name, bytes: new TextEncoder().encode(text), prompts });
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow;
}

/**
 * `ok`: whoever is at work leaves what it owes, and it is good. `bad`: it is not, or the agent dies. `ANSWER`: a person gives this answer.
 * `ok*3` is three of them; `begin STATE` begins there.
 */
export function liveStages(workflow: Workflow, told: string, params: Record<string, Literal> = {}): Run {
  const [first = "", ...words] = wordsIn(told);
  const to = first.startsWith("begin ") ? first.slice(6) : undefined;
  let { run, lines } = play(workflow, [start(workflow, to, { params })]);
  for (const [index, word] of [...(to === undefined ? [first] : []), ...words].entries()) {
    if (word === "") continue;
    const before = run.seq;
    ({ run, lines } = play(workflow, [happening(workflow, run, word)], run));
    if (run.seq === before) throw new Error(`word ${index}, ${word} in ${run.state}: ${lines.join("; ")}`);
  }
  return run;
}

export function wordsIn(told: string): string[] {
  return told.split(", ").flatMap((word) => {
    const [what = "", times = "1"] = word.split("*");
    return Array.from({ length: Number(times) }, () => what);
  });
}

/** What a word means for a run as it is. */
export function happening(workflow: Workflow, run: Run, word: string): Incoming {
  if (word !== "ok" && word !== "bad") {
    const ask = run.question?.ask ?? "";
    const shown = shownBy(workflow, run, ask);
    const [answer = "", text = ""] = word.split(": ");
    return { type: "answered", by: HUMAN, at: AT, ask, answer, text, shown };
  }
  const busy = Object.values(run.agents).find(({ status }) => status === "called" || status === "alive");
  const isGood = word === "ok";
  if (busy === undefined) return { type: "observed", at: AT, readings: [seen(workflow, run, isGood)] };
  const made = madeBy(workflow, run, { busy, isGood });
  if (made === undefined) {
    const { role, slot, attempt } = busy;
    return { type: "agent-ended", at: AT, role, slot, attempt, cause: "exited" };
  }
  return { type: "submitted", by: agent(run, busy.role, busy.slot), at: AT, readings: [made] };
}

/** What nobody is at work for: a check, or the runs of tasks. */
function seen({ definition }: Workflow, { state }: Run, isGood: boolean): Reading {
  return definition.artifacts[state]?.reader.type === "children"
    ? reading(state, { fields: { outcome: isGood ? "all" : "none" } })
    : verdict(state, isGood ? "pass" : "needs_fix", isGood ? {} : { issues: issue });
}

const issue = { critical: 0, high: 1, medium: 0, low: 0 };

function madeBy(
  { definition }: Workflow,
  { state }: Run,
  { busy, isGood }: { readonly busy: Agent; readonly isGood: boolean },
): Reading | undefined {
  const own = Object.entries(definition.artifacts).filter(([, { by }]) => by.includes(busy.role));
  const near = own.find(([name]) => state.startsWith(name)) ?? own.at(-1);
  if (busy.slot !== "") return isGood ? reading(`${state}-parts`, { slot: busy.slot }) : undefined;
  if (near === undefined) return undefined;
  const [name, { reader }] = near;
  if ("review" in reader && reader.review !== undefined)
    return isGood ? verdict(name, "pass") : verdict(name, "needs_fix", { issues: issue });
  if (!isGood) return undefined;
  const lists = "lists" in reader ? Object.keys(reader.lists) : [];
  return reading(name, { lists: Object.fromEntries(lists.map((list) => [list, ["api"]])) });
}
