/**
 * `ask_questions`: questions to a person are written down, and nobody waits for the answer.
 *
 * What a role may ask is in the definition: an artifact called `questions` that is its own to write holds them, and a move of its own
 * to a state that waits for a person, and remembers where the run came from, hands the run over. Either is enough.
 */

import { decodeWhole } from "../../adapters/files/decode.ts";
import { openAt } from "../../adapters/files/unread.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acted, answerOf } from "../../cli/acted.ts";
import { acting, type Acting, type Done } from "../../app/context.ts";
import { EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer } from "../../cli/command.ts";
import { handIn } from "../../app/act/submit.ts";
import { requireKept, seenOf } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { unmet } from "../../core/gate.ts";
import type { Artifact } from "../../core/artifact.ts";
import type { Move } from "../../core/workflow.ts";
import { fillPath } from "../../engine/place.ts";
import { optionsIn, type AgentTool, type Caller } from "../tool.ts";

/** What the artifact is called that holds them. */
const QUESTIONS = "questions";
const CHARACTERS_MAX = 20_000;
const THEN = "end your turn: a person answers, and get_task has the answer when you are called again";

export const askQuestions: AgentTool = {
  name: "ask_questions",
  title: "Ask a person",
  about:
    "Writes down questions to a person, and hands the run over to one where the workflow has it so. Nothing is waited for: end your turn. The answers are in get_task when you are called again.",
  looks: false,
  for: "agent",
  fields: {
    questions: "two or three, each precise enough to be answered in a sentence",
    key: "the same key twice asks once, and gives the same answer",
  },
  isFor: (caller) =>
    holderOf(caller) !== undefined || caller.definition.moves.some((move) => isHandover(caller, move)),
  input: () => ({
    type: "object",
    required: { questions: { type: "list", of: { type: "text" }, min: 1 } },
    optional: { key: { type: "text" } },
    open: false,
  }),
  answer: (given, { door, caller }) =>
    acting(door, async (on) => {
      const text = textOf(given["questions"]);
      return ask(on, caller, { text, key: optionsIn(given, ["key"])["key"] });
    }),
};

type Asking = { readonly text: string; readonly key: string | undefined };

async function ask(on: Acting, caller: Caller, { text, key }: Asking): Promise<Answer> {
  const { row, run } = requireKept(on, caller.run);
  const workflow = on.box.workflow(row.definition);
  const moves = (workflow.movesFrom[run.state] ?? []).filter((move) => isHandover(caller, move));
  const isOpen = (move: Move): boolean => unmet({ workflow, run, reserved: move.reserve }, move).length === 0;
  const move = moves.find(isOpen) ?? moves[0];
  const holder = holderOf(caller);
  if (move === undefined && holder === undefined) throw nobodyAsks(caller);
  const handOver = (to: string): Promise<Done> =>
    moveTo(on, { run: caller.run, to, key, ...(holder === undefined ? { note: text } : {}) });
  // A gate that is shut is told before anything is written.
  if (move !== undefined && !isOpen(move)) return recorded(acted(await handOver(move.to), RECORDED));
  const held =
    holder === undefined
      ? undefined
      : await handIn(on, {
          run: caller.run,
          artifact: QUESTIONS,
          key: key === undefined ? undefined : `${key}/${QUESTIONS}`,
          text: () => withFormer(on, caller, { holder, text }),
        });
  if (move !== undefined) return recorded(acted(await handOver(move.to), RECORDED));
  if (held === undefined) throw nobodyAsks(caller);
  return recorded(answerOf(held));
}

const RECORDED = "the questions are recorded";

function recorded(answer: Answer): Answer {
  return { ...answer, next: THEN, talk: `  next: ${THEN}\n` };
}

/** One of the role's own moves that leads to a person and back. */
function isHandover({ definition, role }: Caller, move: Move): boolean {
  const isOwn = move.by.includes(role) && move.answer === undefined && move.remember;
  return isOwn && definition.states[move.to]?.waits === true;
}

function holderOf({ definition, role }: Caller): Artifact | undefined {
  const artifact = Object.hasOwn(definition.artifacts, QUESTIONS)
    ? definition.artifacts[QUESTIONS]
    : undefined;
  const isText = artifact !== undefined && ["section", "document", "file"].includes(artifact.reader.type);
  return isText && artifact.file !== "" && artifact.by.includes(role) ? artifact : undefined;
}

function nobodyAsks({ run, role }: Caller): UserError {
  return new UserError("not-your-role", `nothing in the workflow of run ${run} lets "${role}" ask a person`, {
    next: `signalbox next ${run}`,
    exit: EXIT_NOT_YOURS,
  });
}

function textOf(questions: unknown): string {
  const all = Array.isArray(questions) ? questions.map((each) => String(each).trim()) : [];
  const text = all.map((each) => `- ${each.replaceAll(/\r\n?|\n/g, "\n  ")}`).join("\n");
  if (all.some((each) => each === ""))
    throw new UserError("bad-usage", "a question is empty", "leave it out");
  if (text.length <= CHARACTERS_MAX) return text;
  throw new UserError(
    "too-large",
    `the questions have more than ${CHARACTERS_MAX} characters`,
    "ask less, and name files for the rest",
  );
}

/** Earlier questions stay, with what people have written below them. */
async function withFormer(
  on: Acting,
  caller: Caller,
  of: { readonly holder: Artifact; readonly text: string },
): Promise<string> {
  const { root, run } = seenOf(on, caller.run);
  const { file, reader, each } = of.holder;
  const opened = openAt(root, fillPath(run, file, each === undefined ? "" : caller.slot));
  const whole = (opened.type === "bytes" ? decodeWhole(opened.bytes) : undefined) ?? "";
  const { cutSection } = await import("../../format/markdown/place.ts");
  const cut = reader.type === "section" ? cutSection(whole, reader.heading) : undefined;
  const former = cut === undefined ? whole : cut.ok ? cut.cut : "";
  return former.trim() === "" ? `${of.text}\n` : `${former.trimEnd()}\n\n${of.text}\n`;
}
