/** A verb of people as a command: which run, which words, and how its outcome is shown. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "../app/client.ts";
import { badUsage, NEEDS_TEXT, UserError } from "../app/failure.ts";
import type { Given } from "../app/invocation.ts";
import type { Outcome } from "../app/outcome.ts";
import type { InputOf } from "../app/schemas.ts";
import { textIn } from "../app/text-input.ts";
import { answerOf } from "./acted.ts";
import type { Answer, Door, Option } from "./command.ts";

export const VERB_OPTIONS: Readonly<Record<string, Option>> = {
  to: { takes: "WHERE", about: "which of several: a state, an option, or a part of an option" },
  shown: { takes: "WORD", about: "only if this is what the question shows; the word is printed with it" },
  key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
};

type DeliveryInput = NonNullable<InputOf<"accept">["delivery"]>;

const STRATEGIES = ["ff", "merge", "squash"] as const;

/** The options of commands that deliver. */
export const DELIVERY: Readonly<Record<string, Option>> = {
  strategy: {
    takes: "ff|merge|squash",
    about: "only a fast-forward, always a merge commit, or one new commit",
  },
  squash: { about: "short for --strategy squash" },
  leave: { about: "leave out commits on the branch of the task that were not reviewed" },
  "allow-undo": {
    about: "merge also what undoes changes that the default branch got since the task began",
  },
  message: { takes: "TEXT", about: "the message of the new commit" },
  "delete-remote": { about: "delete the branch on the project's remote afterwards" },
};

export async function verbAnswer(
  verb: "accept" | "send-back" | "retry",
  given: Given,
  door: Door,
): Promise<Answer> {
  const { to, key, shown, note } = given.options;
  const words = runAndText(given.words, door);
  const input = { ...words, text: words.text ?? note, to, shown, key };
  const delivery = deliveryIn(given, `signalbox ${verb} --help`);
  const act = async (text: string | undefined): Promise<SaidOutcome> =>
    verb === "accept" ? call(door, verb, { ...input, text, delivery }) : call(door, verb, { ...input, text });
  return answerOf(await withWords(door, input.text, act));
}

type SaidOutcome = Outcome<Readonly<Record<string, unknown>>>;

/** At a terminal, the person is asked for words that the verb needs and that were not given. */
export async function withWords<T>(
  door: Door,
  text: string | undefined,
  act: (text: string | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await act(text);
  } catch (error) {
    const isMissing = error instanceof UserError && error.code === NEEDS_TEXT;
    const typed = isMissing && door.isTyped?.() === true ? await wordsAsked([error.message], door) : "";
    if (typed === "") throw error;
    return act(typed);
  }
}

/** A `-` stands for the standard input. One word may be the run or the text. */
function runAndText(
  [first, second]: readonly string[],
  { cwd }: Door,
): Pick<InputOf<"send-back">, "run" | "text" | "either"> {
  const given = second ?? (first === "-" ? first : undefined);
  const text = given === "-" ? textIn(cwd, "-") : given;
  if (first === "-" && second === undefined) return { text };
  return { run: first, text, either: first !== undefined && second === undefined };
}

/** Lines that begin with this sign are not part of the words. */
const COMMENT = "#";

/** In the person's editor, or on the terminal where none is set. Empty where nothing was written. */
export async function wordsAsked(about: readonly string[], { env }: Pick<Door, "env">): Promise<string> {
  const editor = [env["VISUAL"], env["EDITOR"]].find((name) => name !== undefined && name !== "");
  if (editor !== undefined) return wordsFromEditor(about, editor);
  const { askWords } = await import("./prompt.ts");
  const { stdin: input, stderr: output } = process;
  return askWords(about, { input, output, width: output.columns });
}

function wordsFromEditor(about: readonly string[], editor: string): string {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-words-"));
  const file = join(folder, "WORDS.md");
  try {
    writeFileSync(
      file,
      `\n${[...about, `Lines that begin with ${COMMENT} are left out; without words nothing is done.`].map((line) => `${COMMENT} ${line}\n`).join("")}`,
      {
        mode: 0o600,
      },
    );
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    // An editor may be a command with arguments, as git takes it.
    const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    return status === 0 ? withoutComments(readFileSync(file, "utf8")) : "";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !line.startsWith(COMMENT))
    .join("\n")
    .trim();
}

function deliveryIn({ options }: Given, help: string): DeliveryInput {
  const strategy = strategyOf(options, help);
  const { message, leave } = options;
  return {
    ...(strategy === undefined ? {} : { strategy }),
    ...(message === undefined ? {} : { message }),
    leave: leave !== undefined,
    allowUndo: options["allow-undo"] !== undefined,
    deleteRemote: options["delete-remote"] !== undefined,
  };
}

function strategyOf(options: Given["options"], help: string): DeliveryInput["strategy"] {
  const given = options["strategy"] ?? (options["squash"] === undefined ? undefined : "squash");
  const known = STRATEGIES.find((each) => each === given);
  if (given !== undefined && known === undefined)
    throw badUsage(`--strategy ${given}: use ff, merge or squash`, help);
  if (options["squash"] !== undefined && known !== "squash")
    throw badUsage(`--squash and --strategy ${given} exclude each other`, help);
  return known;
}
