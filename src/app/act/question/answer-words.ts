/**
 * Which option a person means by what they typed.
 *
 * A person at a terminal may type it in any case, its beginning, or its number in the list; what is none of the options is refused
 * there before anything is written. A program says exactly what it means: an unknown value from it is an event, counted where the
 * workflow counts.
 */

import { UserError } from "../../../adapters/user-error.ts";
import { closest } from "../../../core/text/closest.ts";
import type { QuestionView } from "../../view/decision/question.ts";
import { EXIT_USAGE } from "../../exit-codes.ts";
import type { Seen } from "../../runs/find.ts";

export type Meant = { readonly said: string; readonly text?: string };

type AnswerOptions = QuestionView["options"];

/** The options that the typed text may mean: exactly one is an answer, several are refused. */
function optionsMeant(options: AnswerOptions, typed: string): readonly string[] {
  const word = typed.trim().toLowerCase();
  if (word === "") return [];
  const same = options.filter(({ value }) => value.toLowerCase() === word);
  const begun = options.filter(({ value }) => value.toLowerCase().startsWith(word));
  const numbered = /^\d+$/.test(word) ? options.slice(Number(word) - 1, Number(word)) : [];
  // A number may also be the beginning of the name of a phase: then it is refused unless both are the same option.
  const meant = same.length > 0 ? same : [...begun, ...numbered];
  return [...new Set(meant.map(({ value }) => value))];
}

type TypedAnswer = {
  readonly value: string;
  /** A person at a terminal, not a program. */
  readonly isTyped: boolean;
  /** Words were given apart from it. */
  readonly hasText: boolean;
  /** The option that takes an answer in words. */
  readonly free: string | undefined;
};

export function answerMeant(question: QuestionView, typed: TypedAnswer): Meant {
  const { value, isTyped, hasText } = typed;
  const { options } = question;
  if (options.some((option) => option.value === value)) return { said: value };
  const [meant, another] = isTyped ? optionsMeant(options, value) : [];
  if (meant !== undefined && another === undefined) return { said: meant };
  const isMistake = another !== undefined || isNear(options, value);
  const free = hasText || isMistake ? undefined : typed.free;
  if (free !== undefined) return { said: free, text: value };
  if (!isTyped) return { said: value };
  throw new UserError("not-an-option", `${question.id}: ${sayNone(options, value)}`, {
    next: options.map(({ command }) => command).join(", or: "),
    exit: EXIT_USAGE,
  });
}

/** For whoever typed something else. */
function sayNone(options: AnswerOptions, value: string): string {
  const meant = optionsMeant(options, value);
  if (meant.length > 1) return `"${value}" may be ${meant.join(" or ")}`;
  return `"${value}" is not one of ${options.map((option) => option.value).join(", ")}`;
}

/** One word that looks like an option is a mistake, not an answer in words. */
function isNear(options: AnswerOptions, value: string): boolean {
  if (/\s/.test(value.trim())) return false;
  const names = options.flatMap((option) => [option.value, option.value.split("/")[0] ?? ""]);
  const near = closest(value.toLowerCase(), names);
  return near !== undefined || names.some((name) => name === value.split("/")[0]);
}

/** The one option that takes what the agent needs to know. A workflow that counts wrong values of programs means what it says. */
export function freeAnswer(
  { workflow, run }: Pick<Seen, "workflow" | "run">,
  { options }: QuestionView,
  isTyped: boolean,
): string | undefined {
  const declared = workflow.definition.asks[run.question?.ask ?? ""];
  if (declared === undefined || (declared.reask !== undefined && !isTyped)) return undefined;
  const free = options.filter(
    ({ value, text }) => declared.options[value]?.verb === "answer" && text !== "none",
  );
  return free.length === 1 ? free[0]?.value : undefined;
}
