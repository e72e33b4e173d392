/** A question at the terminal: what is asked, what it shows, what can be said. */

import { createInterface } from "node:readline/promises";
import { harmless } from "./paint.ts";
import type { QuestionView } from "./reading/ways.ts";

export async function askPerson(
  question: QuestionView,
  shown: string,
): Promise<{ said: string; text: string | undefined }> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    process.stderr.write(harmless(sayQuestion(question, shown)));
    const said = (await terminal.question("> ")).trim();
    const kind = question.options.find(({ value }) => value === said)?.text ?? "none";
    if (kind === "none") return { said, text: undefined };
    const text = await terminal.question(kind === "required" ? "what? " : "anything to add? ");
    return { said, text: text.trim() === "" ? undefined : text };
  } finally {
    terminal.close();
  }
}

function sayQuestion({ id, question, shows, options }: QuestionView, shown: string): string {
  return [
    `${id}: ${question}`,
    ...(shows.length === 0 ? [] : [`  about: ${shows.join(", ")} (shown as ${shown})`]),
    ...options.map(({ value, label }) => `  ${value}${label === "" ? "" : `  ${label}`}`),
    "",
  ].join("\n");
}
