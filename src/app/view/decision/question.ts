/** The question that a run waits with: what it is about, and every answer that counts, as it is typed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { presentBranch } from "../../../adapters/git/repository/refs.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import { isOpen } from "../../../core/gates/gate.ts";
import { partsOf } from "../../../core/gates/question-parts.ts";
import type { Run } from "../../../core/model/run.ts";
import { commandsShownBy, plainly } from "../../../core/gates/vouched-commands.ts";
import type { AskRule } from "../../../core/model/workflow.ts";
import { questionText, variablesOf } from "../../../engine/agents/launch.ts";
import { fillPath, isInPlace } from "../../../engine/submit/place.ts";
import type { Seen } from "../../runs/find.ts";
import type { QuestionView } from "../run-view.ts";
import { permissionOf } from "./permission.ts";
import { shownWord } from "./shown-digest.ts";
import { isCancelling, meaningOf, type Choice, type Meaning } from "./choices.ts";

/** A real path, and the heading of the section where it is only one of the file. */
export type Read = { readonly artifact: string; readonly path: string; readonly section: string };

export type { QuestionView };

/** What a person is asked first: an agent that waits for permission does nothing until it is answered. */
export async function questionOf(seen: Seen): Promise<QuestionView | undefined> {
  return permissionOf(seen.run) ?? declaredQuestionOf(seen);
}

/** The open question of the workflow. */
export async function declaredQuestionOf(seen: Seen): Promise<QuestionView | undefined> {
  const { store, workflow, run } = seen;
  const { question } = run;
  if (question === undefined) return undefined;
  const declared = workflow.definition.asks[question.ask];
  const kept = (await store.questions({ run: run.id, open: true, id: question.id })).at(-1);
  const shows = declared?.shows ?? [];
  return {
    id: question.id,
    ask: question.ask,
    question: declared === undefined ? "" : withCommands(seen, await textOf(seen, declared)),
    openedAt: kept?.openedAt ?? run.updatedAt,
    repeats: question.repeats,
    shows,
    reads: shows.flatMap((artifact) => readsOf(seen, artifact)),
    shown: shownWord(workflow, run),
    options: declared === undefined ? [] : optionsOf(workflow, run, declared),
    ...partsIn(seen, question.ask),
  };
}

function partsIn({ workflow, run }: Seen, ask: string): Pick<QuestionView, "parts"> {
  const parts = partsOf(workflow, run, ask).map((part, index) => {
    const { answer = null, text = "" } = run.question?.parts?.find((each) => each.part === part) ?? {};
    return { number: index + 1, part, answer, text };
  });
  return parts.length === 0 ? {} : { parts };
}

/** Each part with its answer, and how one of them is answered. */
export function sayParts({ run, parts = [], options }: { readonly run: string } & QuestionView): string[] {
  const first = parts.find(({ answer }) => answer === null);
  const lines = parts.map(
    ({ number, part, answer }) => `${number}. ${part}${answer === null ? "" : `: ${answer}`}`,
  );
  const [option] = options;
  // Whoever answers all of them answers the only one.
  return first === undefined || option === undefined || parts.length === 1
    ? lines
    : [...lines, `one by one: signalbox answer ${run} --part ${partGiven(first.number, option)}`];
}

/** How one part is answered, in each way; none where it is no part of the question. */
export function partCommands(
  { parts = [], options }: QuestionView,
  of: { readonly run: string; readonly part: string | undefined },
): readonly string[] {
  const number = parts.find(({ part }) => part === of.part)?.number;
  if (number === undefined) return [];
  return options.map((option) => `signalbox answer ${of.run} --part ${partGiven(number, option)}`);
}

function partGiven(number: number, { value, text }: QuestionView["options"][number]): string {
  return text === "required" ? `"${number}=${value}: ..."` : `${number}=${value}`;
}

/** What can be chosen now, in the order of the workflow, which is its author's advice; what ends the run early comes last. */
function optionsOf(workflow: Workflow, run: Run, declared: AskRule): QuestionView["options"] {
  const options = Object.entries(declared.options).flatMap(([name, { label, text, routes }]) => {
    const values = routes.length === 0 ? [name] : routes.map((route) => `${name}/${route}`);
    return values.flatMap((value) => {
      const meaning = meaningOfAnswer(workflow, run, value);
      if (meaning === undefined) return [];
      return [{ last: isCancelling(meaning), value, label, text, means: meaning.words }];
    });
  });
  return options
    .toSorted((a, b) => Number(a.last) - Number(b.last))
    .map(({ last: _last, ...option }) => ({
      ...option,
      command: answerCommand(workflow, run, option.value),
    }));
}

/** Several moves may belong to one answer: the first that is open is taken. */
function meaningOfAnswer(workflow: Workflow, run: Run, value: string): Meaning | undefined {
  const move = (workflow.movesFrom[run.state] ?? []).find(
    (each) => each.answer === value && isOpen({ workflow, run, reserved: each.reserve }, each),
  );
  return move === undefined ? undefined : meaningOf(workflow, run, move);
}

export function answerCommand(workflow: Workflow, run: Run, value: string): string {
  const [name = ""] = value.split("/");
  const option = workflow.definition.asks[run.question?.ask ?? ""]?.options[name];
  const word = shownWord(workflow, run);
  const shown = word === "" ? "" : ` --shown ${word}`;
  return `signalbox answer ${run.id} ${value}${shown}${option?.text === "required" ? ' --text "..."' : ""}`;
}

export function choicesOf({ options }: Pick<QuestionView, "options">): Choice[] {
  return options.map(({ command, label, means, text }) => ({
    command,
    means: labelled(label, means),
    ...(text === "optional" ? { takes: "[--text TEXT]" } : {}),
  }));
}

export function labelled(label: string, means: string): string {
  return label === "" || means === "" ? `${label}${means}` : `${label}: ${means}`;
}

/** The question as the person is asked it. */
async function textOf({ store, workflow, run }: Seen, ask: AskRule): Promise<string> {
  const row = await store.workspace(run.id);
  const workspace = row !== undefined && isInPlace(row) ? { ...row, branch: presentBranch(row.path) } : row;
  const agent = { role: "", slot: "", attempt: 0, session: "" };
  return questionText(workflow, ask.question, variablesOf({ workflow, run, workspace, agent }));
}

/** What an agent has listed, and an answer has run, is part of the question: nobody approves of what they have not seen. */
function withCommands({ workflow, run }: Seen, text: string): string {
  const { ask = "" } = run.question ?? {};
  const commands = commandsShownBy(workflow, run, ask);
  if (commands.length === 0) return text;
  const options = Object.entries(workflow.definition.asks[ask]?.options ?? {});
  const words = options.filter(([, { vouch = [] }]) => vouch.length > 0).map(([word]) => word);
  const lines = commands.map((command) => `    ${plainly(command)}`);
  return [text, "", `With ${words.join(" or ")}, these commands may be run:`, ...lines].join("\n");
}

/** What need not be there, and never was, cannot be read. */
function readsOf({ workflow, run, root }: Seen, artifact: string): Read[] {
  const declared = workflow.definition.artifacts[artifact];
  if (declared === undefined || declared.file === "") return [];
  const { reader, file, each } = declared;
  const section = reader.type === "section" ? reader.heading : "";
  const isKnown = each !== undefined || run.held[artifact]?.reading.found === true;
  const slots = each === undefined ? [""] : Object.keys(run.slots[artifact] ?? {});
  return slots
    .map((slot) => ({ artifact, path: join(root, fillPath(run, file, slot)), section }))
    .filter(({ path }) => isKnown || existsSync(path));
}

/** What to read before answering, as somebody in this folder would open it; empty for wherever they are. */
export function sayReads(reads: readonly Read[], cwd: string): string[] {
  return reads.map(({ path, section }) => {
    const near = cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
    return `read: ${near}${section === "" ? "" : `, ## ${section}`}`;
  });
}
