/**
 * Questions to a person are written down, and nobody waits for the answer.
 *
 * What a role may ask is in the definition: an artifact called `questions` that is its own to write holds them, and a move of its own
 * to a state that waits for a person, and remembers where the run came from, hands the run over. Either is enough.
 */

import { decodeWhole } from "../../../adapters/files/replace/decode.ts";
import { openAt } from "../../../adapters/files/artifacts/unreadable.ts";
import { UserError } from "../../../adapters/user-error.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { unmet } from "../../../core/gates/gate.ts";
import type { Move } from "../../../core/model/workflow.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import { noToken, type AgentCaller } from "../../caller.ts";
import { answeredBefore, eventKey, type Acting } from "../../context.ts";
import { EXIT_NOT_YOURS } from "../../exit-codes.ts";
import type { InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { requireKept, seenOf } from "../../runs/load.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";
import { moveTo } from "../move.ts";
import { handIn } from "../artifact/submit.ts";

/** What the artifact is called that holds them. */
const QUESTIONS = "questions";
const CHARACTERS_MAX = 20_000;
const RECORDED = "the questions are recorded";
const THEN = "end your turn: a person answers, and get_task has the answer when you are called again";

export async function askQuestions(
  on: Acting,
  input: InputOf<"ask-questions">,
): Promise<Outcome<Acknowledgement>> {
  const { who } = on;
  if (who.type !== "agent") throw noToken("ask_questions");
  const text = textOf(input.questions);
  const { row, run } = await requireKept(on, who.run);
  const workflow = await on.box.workflow(row.definition);
  const { role, slot, attempt } = who.actor;
  const caller: AgentCaller = { run: who.run, role, slot, attempt, definition: workflow.definition };
  const [key, keyOfText] = [eventKey(on, input.key), eventKey(on, input.key, 2)];
  const holder = holderOf(caller);
  const handOver = async (to: string): Promise<Outcome<Acknowledgement>> => {
    const note = holder === undefined ? { note: text } : {};
    return recorded(acknowledge(await moveTo(on, { run: who.run, to, key, ...note }), RECORDED));
  };
  // The run has moved on since the call was made for the first time.
  if ((await answeredBefore(on, who.run, key)) !== undefined) return handOver("");
  const moves = (workflow.movesFrom[run.state] ?? []).filter((move) => isHandover(caller, move));
  const isOpen = (move: Move): boolean => unmet({ workflow, run, reserved: move.reserve }, move).length === 0;
  const move = moves.find(isOpen) ?? moves[0];
  if (move === undefined && holder === undefined) throw nobodyAsks(caller);
  // A gate that is closed is reported before anything is written.
  if (move !== undefined && !isOpen(move)) return handOver(move.to);
  const held =
    holder === undefined
      ? undefined
      : await handIn(on, {
          run: who.run,
          artifact: QUESTIONS,
          key: keyOfText,
          text: () => withFormer(on, caller, { holder, text }),
        });
  if (move !== undefined) return handOver(move.to);
  if (held === undefined) throw nobodyAsks(caller);
  return recorded(held);
}

/** Whether the definition lets a role ask at all. */
export function canAsk(caller: AgentCaller): boolean {
  return holderOf(caller) !== undefined || caller.definition.moves.some((move) => isHandover(caller, move));
}

function recorded(outcome: Outcome<Acknowledgement>): Outcome<Acknowledgement> {
  return { ...outcome, next: THEN, notes: [] };
}

/** One of the role's own moves that leads to a person and back. */
function isHandover({ definition, role }: AgentCaller, move: Move): boolean {
  const isOwn = move.by.includes(role) && move.answer === undefined && move.remember;
  return isOwn && definition.states[move.to]?.waits === true;
}

function holderOf({ definition, role }: AgentCaller): Artifact | undefined {
  const artifact = Object.hasOwn(definition.artifacts, QUESTIONS)
    ? definition.artifacts[QUESTIONS]
    : undefined;
  const isText = artifact !== undefined && ["section", "document", "file"].includes(artifact.reader.type);
  return isText && artifact.file !== "" && artifact.by.includes(role) ? artifact : undefined;
}

function nobodyAsks({ run, role }: AgentCaller): UserError {
  return new UserError("not-your-role", `nothing in the workflow of run ${run} lets "${role}" ask a person`, {
    next: `signalbox next ${run}`,
    exit: EXIT_NOT_YOURS,
  });
}

function textOf(questions: readonly string[]): string {
  const all = questions.map((each) => each.trim());
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
  caller: AgentCaller,
  of: { readonly holder: Artifact; readonly text: string },
): Promise<string> {
  const { root, run } = await seenOf(on, caller.run);
  const { file, reader, each } = of.holder;
  const opened = openAt(root, fillPath(run, file, each === undefined ? "" : caller.slot));
  const whole = (opened.type === "bytes" ? decodeWhole(opened.bytes) : undefined) ?? "";
  const { cutSection } = await import("../../../format/markdown/place.ts");
  const cut = reader.type === "section" ? cutSection(whole, reader.heading) : undefined;
  const former = cut === undefined ? whole : cut.ok ? cut.cut : "";
  return former.trim() === "" ? `${of.text}\n` : `${former.trimEnd()}\n\n${of.text}\n`;
}
