/** `signalbox next`: what whoever asks can do now, and the one command to type. */

import { whoActs } from "../../adapters/person/who.ts";
import { isFinished, seeRun, withStore, type Seen } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../command.ts";
import { fitted, wrapped } from "../fit.ts";
import { sayAsOf } from "../../app/view/work-seen.ts";
import { withWhatIsInTheWay } from "../../app/view/place-taken.ts";
import { sayLine } from "../../app/story/line.ts";
import { artifactsOf, type ArtifactView } from "../../app/view/artifacts.ts";
import { causeOf } from "../../app/view/cause.ts";
import { sayCause } from "../render/cause.ts";
import { sayTyped, type Choice } from "../../app/view/choices.ts";
import { choicesOf, questionOf, sayParts, sayReads, type QuestionView } from "../../app/view/question.ts";
import { choicesOfTask } from "../../app/view/task-choices.ts";
import {
  choicesOfDeadlock,
  nextForPerson,
  nextForRole,
  PERSON,
  waysOf,
  type Way,
} from "../../app/view/moves.ts";

/** What `--json` gives. */
export type NextData = {
  readonly run: string;
  readonly state: string;
  readonly status: string;
  /** `human`, or the role of the agent that asks. */
  readonly for: string;
  /** Moves that are theirs, open or not. */
  readonly moves: readonly Way[];
  /** Artifacts that are theirs to write. */
  readonly artifacts: readonly ArtifactView[];
  /** For people only. */
  readonly question: QuestionView | null;
};

export const command: Command = {
  usage: "[RUN]",
  about:
    "Says what you can do with a run now, and the one command to type. An agent is told what is its own to do.",
  words: { min: 0, max: 1 },
  options: {},
  examples: ["signalbox next", "signalbox next abcd"],
  answer: ({ words }, door) =>
    withStore(door, (store) => {
      const { env, procs } = door;
      const who = whoActs({ env, store, ...(procs === undefined ? {} : { procs }) });
      const seen = withWhatIsInTheWay(
        seeRun(store, door, words[0] ?? (who.type === "agent" ? who.run : undefined)),
      );
      // An agent has something to say in its own run only.
      const role = who.type === "agent" && who.run === seen.row.id ? who.actor.role : PERSON;
      const data = dataOf(seen, role);
      const next = role === PERSON ? nextForPerson(seen) : nextForRole(seen, role);
      // Before the store is closed: the text is made after that.
      const more = role === PERSON ? [...choicesOfTask(seen), ...choicesOfDeadlock(seen)] : [];
      const cause = role === PERSON ? causeOf(seen) : [];
      const isWanted = wantedFor(seen, role);
      const line = sayLine(seen.store, data.run);
      return {
        exit: EXIT_OK,
        code: "ok",
        message: next === "" ? `there is nothing for ${role} to do in ${data.state}` : next,
        data: () => data,
        text: () =>
          `${show(data, { next, isOver: isFinished(seen.row), more, cause, isWanted }, door)}${line}`,
        next,
      } satisfies Answer;
    }),
};

function dataOf(seen: Seen, role: string): NextData {
  const { row, run } = seen;
  return {
    run: run.id,
    state: run.state,
    status: row.status,
    for: role,
    moves: waysOf(seen).filter(({ by }) => by.includes(role)),
    artifacts: artifactsOf(seen).filter(({ by }) => by.includes(role)),
    question: role === PERSON ? (questionOf(seen) ?? null) : null,
  };
}

/** What a move of theirs needs. What the engine waits for is an agent's to write, and a person's where the run waits for people. */
function wantedFor({ workflow, run, row }: Seen, role: string): On["isWanted"] {
  const who = role === PERSON && row.status !== "waiting" ? [role] : [role, "engine"];
  const moves = (workflow.movesFrom[run.state] ?? []).filter(({ by }) => by.some((one) => who.includes(one)));
  const names = new Set(
    moves.flatMap(({ need, when }) => [
      ...need,
      ...when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : [])),
    ]),
  );
  // What is in the way of a file is told to everybody who could take it away.
  return ({ artifact, wanted, standing, at }) =>
    names.has(artifact) || (at !== undefined && (wanted || standing === "missing"));
}

type On = {
  readonly next: string;
  readonly isOver: boolean;
  readonly more: readonly Choice[];
  /** Why it asks. */
  readonly cause: readonly string[];
  readonly isWanted: (artifact: ArtifactView) => boolean;
};

function show(data: NextData, on: On, { paint, cwd, width }: Door): string {
  const block = blockOf(width);
  if (on.isOver) return `${data.run} is over: it is ${data.state}.\n`;
  const open = data.moves.filter((way) => way.open && way.command !== "");
  const shut = data.moves.filter((way) => !way.open);
  const wanted = data.artifacts.filter((artifact) => !artifact.good && on.isWanted(artifact));
  return [
    on.next === ""
      ? `There is nothing for ${data.for} to do in ${data.state}.\n`
      : `${paint.bold(on.next)}\n`,
    ...(data.question === null ? [] : sayQuestion(data.run, data.question, { cwd, width, cause: on.cause })),
    block("Open", [
      ...on.more.map((choice) => [sayTyped(choice), choice.means]),
      ...open.map(({ command: line, answer, means, asOf }) => [
        sayTyped({ command: line, ...takenBy(data, answer) }),
        asOf === "" ? means : `${means}, ${sayAsOf(asOf)}`,
      ]),
    ]),
    block(
      "Not yet",
      shut.map(({ to, smallest }) => [to, smallest]),
    ),
    block(
      "To write",
      wanted.map(({ artifact, file, standing, reason, at }) => [
        artifact,
        file,
        standing,
        `${reason}${at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`}`,
      ]),
    ),
  ].join("");
}

/** What may be added to an answer. */
function takenBy({ question }: NextData, answer: string): Pick<Choice, "takes"> {
  const option = question?.options.find(({ value }) => value === answer);
  const [choice] = option === undefined ? [] : choicesOf({ options: [option] });
  return choice?.takes === undefined ? {} : { takes: choice.takes };
}

function sayQuestion(
  run: string,
  asked: QuestionView,
  { cwd, width, cause }: Pick<On, "cause"> & { readonly cwd: string; readonly width: number | undefined },
): readonly string[] {
  const below = [...sayReads(asked.reads, cwd), ...sayParts({ run, ...asked })];
  return [
    `${wrapped(`${asked.id}: ${asked.question}`, width)}\n`,
    ...sayCause(cause, width),
    ...below.map((line) => `  ${line}\n`),
  ];
}

type Rows = readonly (readonly string[])[];

function blockOf(width: number | undefined): (title: string, rows: Rows) => string {
  return (title, rows) => {
    if (rows.length === 0) return "";
    const inner = rows.map((row) => [`  ${row[0] ?? ""}`, ...row.slice(1)]);
    return `${title}:\n${fitted(inner, width)}`;
  };
}
