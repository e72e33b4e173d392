/** A verb of people as a command: which run, which words, and how its outcome is shown. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

const STRATEGIES = ["ff", "merge", "squash", "pull-request"] as const;

/** The options of commands that deliver. */
export const DELIVERY: Readonly<Record<string, Option>> = {
  strategy: {
    takes: "ff|merge|squash|pull-request",
    about: "only a fast-forward, always a merge commit, one new commit, or a pull request instead of a merge",
  },
  squash: { about: "short for --strategy squash" },
  "pull-request": { about: "short for --strategy pull-request: pushes the branch and opens it with gh" },
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
    const typed =
      isMissing && door.isTyped?.() === true ? await wordsAsked([error.message], door) : undefined;
    if (typed === undefined || typed.text === "") throw error;
    return whileKept(typed, () => act(typed.text));
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

/** Everything from this line on is not part of the words. Words may begin with `#`: they are Markdown. */
const CUT = "# ------------------------ >8 ------------------------";

/** `file` is where the editor has left the words; undefined where none was used. */
export type TypedWords = { readonly text: string; readonly file?: string | undefined };

/** In the person's editor, or on the terminal where none is set. Empty where nothing was written. */
export async function wordsAsked(about: readonly string[], { env }: Pick<Door, "env">): Promise<TypedWords> {
  const editor = [env["VISUAL"], env["EDITOR"]].find((name) => name !== undefined && name !== "");
  if (editor !== undefined) return wordsFromEditor(about, editor);
  const { askWords } = await import("./prompt.ts");
  const { stdin: input, stderr: output } = process;
  return { text: await askWords(about, { input, output, width: output.columns }) };
}

/** Words from an editor stay in their file until they count: whoever wrote them need not write them again after a refusal. */
export async function whileKept<T>({ file }: Pick<TypedWords, "file">, act: () => Promise<T>): Promise<T> {
  if (file === undefined) return act();
  try {
    const outcome = await act();
    rmSync(dirname(file), { recursive: true, force: true });
    return outcome;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, next, exit, at } = error;
    const kept = `${message.replace(/\.$/, "")}. Your words are in ${file}`;
    throw new UserError(code, kept, { next, exit, ...(at === undefined ? {} : { at }) });
  }
}

function wordsFromEditor(about: readonly string[], editor: string): TypedWords {
  const file = join(mkdtempSync(join(tmpdir(), "signalbox-words-")), "WORDS.md");
  const comments = ["This and what follows is left out; without words nothing is done.", ...about];
  const lines = ["", CUT, ...comments.map((line) => `# ${line}`), ""];
  writeFileSync(file, lines.join("\n"), { mode: 0o600 });
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  // An editor may be a command with arguments, as git takes it.
  const { status } = spawnSync("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const text = status === 0 ? wordsIn(readFileSync(file, "utf8"), lines) : "";
  if (text !== "") return { text, file };
  rmSync(dirname(file), { recursive: true, force: true });
  return { text };
}

/** Lines of ours are left out also where the person has removed the first of them. */
function wordsIn(text: string, ours: readonly string[]): string {
  const all = text.split("\n");
  const end = all.findIndex((line) => line.trimEnd() === CUT);
  return all
    .slice(0, end === -1 ? undefined : end)
    .filter((line) => line === "" || !ours.includes(line))
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
  const given = [options["strategy"], ...SHORT.filter((name) => options[name] !== undefined)].filter(
    (name) => name !== undefined,
  );
  const [first = "", second] = new Set(given);
  if (second !== undefined)
    throw badUsage(`--strategy ${first} and --strategy ${second} exclude each other`, help);
  const known = STRATEGIES.find((each) => each === first);
  if (given.length > 0 && known === undefined)
    throw badUsage(`--strategy ${first}: use ff, merge, squash or pull-request`, help);
  return known;
}

/** Strategies that are options, too. */
const SHORT: readonly string[] = ["squash", "pull-request"];
