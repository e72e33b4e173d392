/**
 * What a run's journal says that only a row of the board needs. It changes only with the journal, so it is computed once for each
 * event: a board of a thousand runs costs as much as what has changed.
 */

import { chosenFrom, waysFor } from "../../core/explain/verbs.ts";
import { maxOf } from "../../core/gates/gate.ts";
import { hasPhases, phaseOf } from "../../core/projection/phase.ts";
import { entriesOf } from "../../core/projection/schedule.ts";
import type { Seen } from "../runs/find.ts";
import { sendingBack, throughTo } from "../view/decision/task-choices.ts";
import type { BoardRow } from "./row.ts";

export type Facts = {
  readonly seen: Seen;
  /** Where in its schedule it is, and the gate there; empty where there is none. */
  readonly phase: string;
  readonly gate: string;
  readonly round: BoardRow["round"];
  /** It waits with a question that has options. */
  readonly isAsking: boolean;
  /** Why a person cannot deliver it now, empty where they can; undefined where its workflow delivers nothing here. */
  readonly finishing: string | undefined;
  /** A person can send it back. */
  readonly isSendingBack: boolean;
  /** The state that a person's words lead to; empty where no agent asks for them. */
  readonly answerTo: string;
  /** The file that tells people about the run, in its workspace; empty where there is none. */
  readonly page: string;
};

export function factsOf(seen: Seen): Facts {
  const isAsking = seen.run.question !== undefined;
  const [answer] = isAsking ? [] : chosenFrom(waysFor(seen, "answer").open);
  return {
    seen,
    ...phaseIn(seen),
    round: roundOf(seen),
    isAsking,
    finishing: finishingIn(seen),
    isSendingBack: canSendBack(seen),
    answerTo: answer?.to ?? "",
    page: pageOf(seen),
  };
}

/** A workflow without verbs may have a move that begins a new cycle. */
function canSendBack(seen: Seen): boolean {
  if (seen.workflow.definition.moves.some(({ mark }) => mark !== undefined))
    return waysFor(seen, "send-back").open.length > 0;
  return sendingBack(seen) !== undefined || throughTo(seen) !== undefined;
}

function finishingIn(seen: Seen): string | undefined {
  const { workflow, run } = seen;
  const { open, closed } = waysFor({ workflow, run }, "accept");
  if (open.some(({ deliver, kind }) => deliver === true && kind === "move")) return "";
  const delivers = (workflow.movesFrom[run.state] ?? []).filter(({ mark }) => mark?.deliver === true);
  return closed.find(({ name }) => delivers.some(({ to }) => to === name))?.reason;
}

function phaseIn({ workflow, run }: Seen): Pick<Facts, "phase" | "gate"> {
  const { definition } = workflow;
  const isOver = definition.states[run.state]?.final !== undefined;
  if (hasPhases(definition)) return { phase: isOver ? "" : phaseOf(definition, run.state), gate: "" };
  const here = run.progress?.phase;
  const entry =
    isOver || here === undefined ? undefined : entriesOf(workflow, run).find(({ phase }) => phase === here);
  if (entry === undefined) return { phase: "", gate: "" };
  const { phase, name, gate } = entry;
  return { phase: name === phase ? phase : `${phase} ${name}`, gate: gate?.status ?? "" };
}

/** Of the counter that the workflow calls a round. */
function roundOf({ workflow, run }: Seen): BoardRow["round"] {
  const name = Object.keys(workflow.definition.counters).find((each) => /(^|_|-)round$/.test(each));
  return name === undefined ? null : { value: run.counters[name] ?? 0, max: maxOf(workflow, run, name) };
}

function pageOf({ workflow }: Seen): string {
  const { projections, artifacts } = workflow.definition;
  const shown = projections.find(({ as }) => as === "front-matter")?.file;
  const written = Object.values(artifacts).find(({ file }) => file !== "" && !file.includes("{"))?.file;
  return shown ?? written ?? "";
}
