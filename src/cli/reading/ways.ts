/** What somebody can do with a run now, each as the command to type. */

import { isGood, worth } from "../../core/standing.ts";
import { why, type Why } from "../../core/why.ts";
import type { Place, Standing } from "../../core/workflow.ts";
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

export function waysOf({ workflow, run }: Seen): Way[] {
  return why(workflow, run).map((each) => ({
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
    command: commandFor(run.id, each),
  }));
}

function commandFor(run: string, { to, by, answer }: Why): string {
  if (answer !== undefined) return `signalbox answer ${run} ${answer}`;
  return by.every((name) => name === "engine") ? "" : `signalbox move ${run} ${to}`;
}

export function questionOf({ store, workflow, run }: Seen): QuestionView | undefined {
  const { question } = run;
  if (question === undefined) return undefined;
  const declared = workflow.definition.asks[question.ask];
  const kept = store.questions({ run: run.id, open: true, id: question.id }).at(-1);
  const options = Object.entries(declared?.options ?? {}).flatMap(([name, { label, text, routes }]) => {
    const values = routes.length === 0 ? [name] : routes.map((route) => `${name}/${route}`);
    const said = text === "required" ? ' --text "..."' : "";
    return values.map((value) => ({
      value,
      label,
      text,
      command: `signalbox answer ${run.id} ${value}${said}`,
    }));
  });
  return {
    id: question.id,
    ask: question.ask,
    question: declared?.question ?? "",
    openedAt: kept?.openedAt ?? run.updatedAt,
    repeats: question.repeats,
    shows: declared?.shows ?? [],
    options,
  };
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

/** What a person may ask for now; ending the run early comes last. */
export function movesOfPerson(seen: Seen): Way[] {
  const { states } = seen.workflow.definition;
  const open = waysOf(seen).filter((way) => way.open && way.by.includes(PERSON) && way.command !== "");
  const isEarly = ({ to }: Way): boolean => states[to]?.final === "cancelled";
  return [...open.filter((way) => !isEarly(way)), ...open.filter(isEarly)];
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
