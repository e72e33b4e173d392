/** A question at the terminal: what is asked, what it shows, what can be said. */

import { createInterface } from "node:readline/promises";
import { harmless } from "./paint.ts";
import { labelled, sayReads, type QuestionView } from "./reading/question.ts";

/** Why it is asked, and where whoever is asked stands. */
type On = { readonly cause: readonly string[]; readonly cwd: string };

export async function askPerson(
  question: QuestionView,
  on: On,
): Promise<{ said: string; text: string | undefined }> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    process.stderr.write(harmless(sayQuestion(question, on)));
    const said = (await terminal.question("> ")).trim();
    const kind = question.options.find(({ value }) => value === said)?.text ?? "none";
    if (kind === "none") return { said, text: undefined };
    const text = await terminal.question(kind === "required" ? "what? " : "anything to add? ");
    return { said, text: text.trim() === "" ? undefined : text };
  } finally {
    terminal.close();
  }
}

function sayQuestion(
  { id, question, shows, shown, reads, options }: QuestionView,
  { cause, cwd }: On,
): string {
  return [
    `${id}: ${question}`,
    ...cause.map((line) => `  ${line}`),
    ...(shows.length === 0 ? [] : [`  about: ${shows.join(", ")} (shown as ${shown})`]),
    ...sayReads(reads, cwd).map((line) => `  ${line}`),
    ...options.map(({ value, label, means }) => `  ${value}  ${labelled(label, means)}`),
    "",
  ].join("\n");
}
