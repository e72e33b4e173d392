/**
 * What a run's journal says that a row needs. It changes only with the journal, so that it is worked out once for each event:
 * a board of a thousand runs costs as much as what has changed.
 */

import { maxOf, targetOf, unmet } from "../../core/gates/gate.ts";
import { hasPhases, phaseOf } from "../../core/projection/phase.ts";
import { entriesOf } from "../../core/projection/schedule.ts";
import type { Condition, Move } from "../../core/model/workflow.ts";
import type { Seen } from "../runs/find.ts";
import { fillPath } from "../../engine/submit/place.ts";
import { isFinishing, isSetAside, throughTo } from "../view/decision/task-choices.ts";
import { questionOf } from "../view/decision/question.ts";
import { isStranded, sayCrashed } from "../view/status/trouble.ts";
import { PERSON, waysOf, type MoveView } from "../view/moves.ts";
import { firstLine } from "../view/words.ts";
import type { BoardRow } from "./row.ts";

export type Facts = {
  readonly seen: Seen;
  readonly branch: string;
  readonly summary: string;
  /** Where in its schedule it is, and the gate there; empty where there is none. */
  readonly phase: string;
  readonly gate: string;
  readonly round: BoardRow["round"];
  /** The open question; empty where there is none. */
  readonly question: { readonly id: string; readonly text: string } | undefined;
  readonly isStranded: boolean;
  readonly crashed: string;
  readonly hasAgents: boolean;
  /** It has done something: a workspace or an agent was ordered for it. */
  readonly hasBegun: boolean;
  readonly title: string;
  /** Roles whose word leads out of its state. */
  readonly awaited: readonly string[];
  /** Where a person may move it now. */
  readonly targets: readonly string[];
  readonly smallest: string;
  /** Why a person's move that ends it well is shut; undefined where there is none from here. */
  readonly finishing: string | undefined;
  /** A person can send it back, and give it a new cycle. */
  readonly isSendingBack: boolean;
  /** Where a person's answer leads that an agent is told; empty where the run is not set aside for one. */
  readonly answerTo: string;
  /** The file that tells people about the run, in its workspace; empty where there is none. */
  readonly page: string;
};

const SUMMARY_MAX = 500;

export function factsOf(seen: Seen): Facts {
  const { run, row, workflow } = seen;
  const ways = waysOf(seen);
  const question = questionOf(seen);
  const moves = workflow.movesFrom[run.state] ?? [];
  const end = moves.find((move) => isFinishing(seen, move));
  return {
    seen,
    branch: paramOf(seen, "branch"),
    summary: firstLine(paramOf(seen, "summary") || row.goal, SUMMARY_MAX),
    ...phaseIn(seen),
    round: roundOf(seen),
    question: question === undefined ? undefined : { id: question.id, text: question.question },
    isStranded: isStranded(seen),
    crashed: sayCrashed(seen),
    hasAgents: Object.keys(run.agents).length > 0,
    hasBegun: Object.keys(run.attempts).length > 0 || !moves.some(isBeginning),
    title: workflow.definition.states[run.state]?.title ?? "",
    awaited: awaitedIn(seen, moves),
    targets: [...new Set(ways.filter(({ open, by }) => open && by.includes(PERSON)).map(({ to }) => to))],
    smallest: ways[0]?.smallest ?? "",
    finishing: end === undefined ? undefined : whyShut(seen, end),
    isSendingBack: moves.some((move) => isSendingBack(seen, move)) || throughTo(seen) !== undefined,
    answerTo: answering(seen, ways),
    page: pageOf(seen),
  };
}

/** Empty where it is open. */
function whyShut({ workflow, run }: Seen, move: Move): string {
  const [first] = unmet({ workflow, run, reserved: move.reserve }, move);
  return fillPath(run, first?.message ?? "", "*");
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

function paramOf({ run }: Seen, name: string): string {
  const value = run.params[name];
  return typeof value === "string" ? value : "";
}

function roundOf(seen: Seen): BoardRow["round"] {
  const { workflow, run } = seen;
  const name = roundIn(seen);
  return name === undefined ? null : { value: run.counters[name] ?? 0, max: maxOf(workflow, run, name) };
}

/** The counter that the workflow calls a round. */
function roundIn({ workflow }: Seen): string | undefined {
  return Object.keys(workflow.definition.counters).find((each) => /(^|_|-)round$/.test(each));
}

function finalOf({ workflow }: Seen, state: string): string | undefined {
  return workflow.definition.states[state]?.final;
}

/** Those who may move it, and whose artifacts decide what the engine does. */
function awaitedIn({ workflow }: Seen, moves: readonly Move[]): readonly string[] {
  const { artifacts, roles } = workflow.definition;
  const named = new Set(
    moves.flatMap(({ by, need, when }) => [
      ...by,
      ...(by.includes("engine") ? [...need, ...when.flatMap(artifactIn)] : []).flatMap(
        (artifact) => artifacts[artifact]?.by ?? [],
      ),
    ]),
  );
  return Object.keys(roles).filter((role) => named.has(role));
}

function artifactIn(condition: Condition): readonly string[] {
  return "artifact" in condition ? [condition.artifact] : [];
}

/** A workspace is what a run begins with. */
function isBeginning({ by, reserve }: Move): boolean {
  return by.includes(PERSON) && reserve.length > 0;
}

/** The person's move that begins the rounds anew, and tells an agent. */
function isSendingBack(seen: Seen, move: Move): boolean {
  const { counters } = seen.workflow.definition;
  const scope = counters[roundIn(seen) ?? ""]?.per;
  return (
    move.by.includes(PERSON) &&
    move.answer === undefined &&
    (scope === undefined ? move.renew.length > 0 : move.renew.includes(scope)) &&
    move.do.some(({ type }) => type === "tell") &&
    finalOf(seen, move.to) === undefined
  );
}

/** The first way out that is offered to people: what `next` says, too. */
function answering({ workflow, run }: Seen, ways: readonly MoveView[]): string {
  if (!isSetAside({ workflow, run })) return "";
  const told = (workflow.movesFrom[run.state] ?? []).filter(
    (move) =>
      move.by.includes(PERSON) && move.answer === undefined && move.do.some(({ type }) => type === "tell"),
  );
  const targets = new Set(told.map((move) => targetOf(run, move)));
  return ways.find(({ open, by, to }) => open && by.includes(PERSON) && targets.has(to))?.to ?? "";
}

function pageOf({ workflow }: Seen): string {
  const { projections, artifacts } = workflow.definition;
  const shown = projections.find(({ as }) => as === "front-matter")?.file;
  const written = Object.values(artifacts).find(({ file }) => file !== "" && !file.includes("{"))?.file;
  return shown ?? written ?? "";
}
