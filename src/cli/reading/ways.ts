/** What somebody can do with a run now, each as the command to type. */

import type { Workflow } from "../../core/compile.ts";
import type { Run } from "../../core/run.ts";
import { isGood, worth } from "../../core/standing.ts";
import { why, type Why } from "../../core/why.ts";
import type { Ask, Place, Standing } from "../../core/workflow.ts";
import { promptText, variablesOf } from "../../engine/launch.ts";
import { isFinished, type Seen } from "../box.ts";

export type Way = {
  readonly to: string;
  readonly by: readonly string[];
  /** The option of the open question that leads there; empty where it is asked for directly. */
  readonly answer: string;
  readonly open: boolean;
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    readonly mend: string;
    readonly at?: Place;
  }[];
  /** The smallest thing that would open it, in words. */
  readonly smallest: string;
  /** What to type for it; empty where it happens by itself. */
  readonly command: string;
};

export type QuestionView = {
  readonly id: string;
  readonly ask: string;
  readonly question: string;
  readonly openedAt: string;
  readonly repeats: number;
  /** Artifacts that the answer is about. */
  readonly shows: readonly string[];
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly text: "none" | "optional" | "required";
    readonly command: string;
  }[];
};

export type ArtifactView = {
  readonly artifact: string;
  readonly file: string;
  readonly by: readonly string[];
  readonly standing: Standing;
  readonly good: boolean;
  readonly reason: string;
  readonly at?: Place;
};

/** The name that moves know people by. */
export const PERSON = "human";

/** Ending the run early comes last. */
export function waysOf({ workflow, run }: Seen): Way[] {
  const { states } = workflow.definition;
  const isEarly = ({ to }: Why): number => (states[to]?.final === "cancelled" ? 1 : 0);
  const all = why(workflow, run).toSorted((a, b) => isEarly(a) - isEarly(b));
  return all.map((each) => ({
    to: each.to,
    by: each.by,
    answer: each.answer ?? "",
    open: each.open,
    reasons: each.reasons.map(({ code, message, mend, at }) => ({
      code,
      message,
      mend,
      ...(at === undefined ? {} : { at }),
    })),
    smallest: each.smallest,
    command: commandFor(workflow, run, each),
  }));
}

function commandFor(workflow: Workflow, run: Run, { to, by, answer }: Why): string {
  if (answer !== undefined)
    return answerCommand(run, workflow.definition.asks[run.question?.ask ?? ""], answer);
  return by.every((name) => name === "engine") ? "" : `signalbox move ${run.id} ${to}`;
}

function answerCommand(run: Run, ask: Ask | undefined, value: string): string {
  const [name = ""] = value.split("/");
  return `signalbox answer ${run.id} ${value}${ask?.options[name]?.text === "required" ? ' --text "..."' : ""}`;
}

export function questionOf(seen: Seen): QuestionView | undefined {
  const { store, workflow, run } = seen;
  const { question } = run;
  if (question === undefined) return undefined;
  const declared = workflow.definition.asks[question.ask];
  const kept = store.questions({ run: run.id, open: true, id: question.id }).at(-1);
  const options = Object.entries(declared?.options ?? {}).flatMap(([name, { label, text, routes }]) => {
    const values = routes.length === 0 ? [name] : routes.map((route) => `${name}/${route}`);
    return values.map((value) => ({ value, label, text, command: answerCommand(run, declared, value) }));
  });
  return {
    id: question.id,
    ask: question.ask,
    question: declared === undefined ? "" : textOf(seen, declared),
    openedAt: kept?.openedAt ?? run.updatedAt,
    repeats: question.repeats,
    shows: declared?.shows ?? [],
    options,
  };
}

/** The question as the person is asked it. */
function textOf({ store, workflow, run }: Seen, ask: Ask): string {
  const workspace = store.workspace(run.id)?.path ?? "";
  const agent = { slot: "", attempt: 0, session: "" };
  return promptText(workflow, ask.question, variablesOf({ workflow, run, workspace, agent })).trim();
}

export function artifactsOf({ workflow, run }: Seen): ArtifactView[] {
  return Object.entries(workflow.definition.artifacts).map(([artifact, { file, by }]) => {
    const { standing, reason, at } = worth(workflow, run, artifact);
    return {
      artifact,
      file,
      by,
      standing,
      good: isGood(standing),
      reason,
      ...(at === undefined ? {} : { at }),
    };
  });
}

/** The one next command for a person. */
export function nextForPerson(seen: Seen): string {
  const { row, run } = seen;
  const mend = commandIn(row.attention);
  if (mend !== "") return mend;
  if (isFinished(row)) return `signalbox history ${row.id}`;
  if (row.halted || row.attention !== "" || isStranded(seen)) return `signalbox resume ${row.id}`;
  if (run.question !== undefined) return `signalbox answer ${run.id} VALUE`;
  if (row.status === "waiting") return movesOfPerson(seen)[0]?.command ?? `signalbox why ${row.id}`;
  return `signalbox logs ${row.id} -f`;
}

/** What a person may ask for now. */
export function movesOfPerson(seen: Seen): Way[] {
  return waysOf(seen).filter((way) => way.open && way.by.includes(PERSON) && way.command !== "");
}

/** An agent has crashed, and only a person starts it again. */
export function isStranded({ run }: Seen): boolean {
  return Object.values(run.agents).some(({ status }) => status === "crashed");
}

/** The one next command for an agent: an open move of its role, or what it still has to write for one. */
export function nextForRole(seen: Seen, role: string): string {
  const mine = waysOf(seen).filter(({ by }) => by.includes(role));
  const open = mine.find((way) => way.open);
  if (open !== undefined) return open.command;
  const wanted = artifactsOf(seen).filter(({ by, good }) => by.includes(role) && !good);
  const needed = wanted.find(({ artifact }) => isNeeded(seen, artifact));
  if (needed !== undefined) return `signalbox submit ${seen.row.id} ${needed.artifact}`;
  return mine.length > 0 ? `signalbox why ${seen.row.id}` : "";
}

/** Whether some move out of here waits for it. */
function isNeeded({ workflow, run }: Seen, artifact: string): boolean {
  return (workflow.movesFrom[run.state] ?? []).some(
    ({ need, when }) =>
      need.includes(artifact) ||
      when.some((condition) => "artifact" in condition && condition.artifact === artifact),
  );
}

/** What is said about a run that needs attention ends with the command that mends it. */
function commandIn(attention: string): string {
  return /\b(signalbox [^;]+)$/.exec(attention)?.[1] ?? "";
}
