/** A question at the terminal: what is asked, what it shows, what can be said. */

import { UserError } from "../app/failure.ts";
import { createInterface, type Interface } from "node:readline/promises";
import type { Meant } from "../app/act/question/answer-words.ts";
import { fitted, wrapped } from "./fit.ts";
import { harmless, type Paint } from "./paint.ts";
import { labelled, sayParts, sayReads, type QuestionView } from "../app/view/decision/question.ts";

/** Why it is asked, and where whoever is asked stands. */
type PromptInput = {
  readonly run: string;
  readonly cause: readonly string[];
  readonly cwd: string;
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly width: number | undefined;
  readonly paint: Paint;
  /** What somebody means who types this; throws where that is none of the options. */
  readonly meant: (typed: string) => Meant;
};

export async function askPerson(
  question: QuestionView,
  on: PromptInput,
): Promise<{ said: string; text: string | undefined }> {
  const { input, output } = on;
  const terminal = createInterface({ input, output });
  const lines = linesOf(terminal);
  try {
    output.write(harmless(sayQuestion(question, on)));
    const { said, text: words } = await meantIn(lines, on);
    if (words !== undefined) return { said, text: words };
    const kind = question.options.find(({ value }) => value === said)?.text ?? "none";
    if (kind === "none") return { said, text: undefined };
    if (kind === "required") return { said, text: await lines.filled("what? ") };
    const text = await lines.next("anything to add? ");
    return { said, text: text === "" ? undefined : text };
  } finally {
    terminal.close();
  }
}

/** Words that no option stands for: one line, after what they are about. */
export async function askWords(
  about: readonly string[],
  { input, output, width }: Pick<PromptInput, "input" | "output" | "width">,
): Promise<string> {
  const terminal = createInterface({ input, output });
  const lines = linesOf(terminal);
  try {
    output.write(harmless(about.map((line) => `${wrapped(line, width)}\n`).join("")));
    return await lines.filled("> ");
  } finally {
    terminal.close();
  }
}

/** A typing mistake is asked again here, before it is an answer. */
async function meantIn(lines: Lines, { meant, output }: PromptInput): Promise<Meant> {
  for (;;) {
    const typed = await lines.filled("> ");
    try {
      return meant(typed);
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== "not-an-option") throw error;
      output.write(harmless(`${error.message}\n`));
    }
  }
}

type Lines = { next(prompt: string): Promise<string>; filled(prompt: string): Promise<string> };

/** Line by line, also where they come faster than they are asked for. */
function linesOf(terminal: Interface): Lines {
  const all = terminal[Symbol.asyncIterator]();
  let isOver = false;
  terminal.once("close", () => (isOver = true));
  const next: Lines["next"] = async (prompt) => {
    terminal.setPrompt(prompt);
    // What was typed before is still to be read.
    if (!isOver) terminal.prompt();
    const line = await all.next();
    if (line.done === true) throw new UserError("bad-usage", "nothing was answered", "signalbox inbox");
    return line.value.trim();
  };
  return {
    next,
    // Enter alone is no answer, and must not count as a wrong one.
    async filled(prompt) {
      for (;;) {
        const said = await next(prompt);
        if (said !== "") return said;
      }
    },
  };
}

function sayQuestion(asked: QuestionView, { run, cause, cwd, width, paint }: PromptInput): string {
  const { id, question, shows, shown, reads, options } = asked;
  const about = shows.length === 0 ? [] : [`about: ${shows.join(", ")} (shown as ${shown})`];
  const below = [...about, ...sayReads(reads, cwd), ...sayParts({ run, ...asked })];
  const typed = options.map(({ value, label, means }, at) => [
    `  ${at + 1}  ${paint.bold(value)}`,
    labelled(label, means),
  ]);
  return [
    `${wrapped(`${paint.yellow(`${id}:`)} ${question}`, width)}\n`,
    ...cause.map((line) => `${wrapped(`  ${line}`, width)}\n`),
    ...below.map((line) => `  ${line}\n`),
    fitted(typed, width),
  ].join("");
}
