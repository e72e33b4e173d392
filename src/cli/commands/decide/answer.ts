/** `signalbox answer`: a person answers an open question. */

import { answerMeant } from "../../../app/act/question/answer-words.ts";
import { call } from "../../../app/client.ts";
import type { InputOf } from "../../../app/schemas.ts";
import { textIn } from "../../../app/text-input.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { wordsAsked, whileKept, type TypedWords } from "../../verb.ts";

export const command: Command = {
  usage: "[DECISION] (VALUE [--text TEXT | --text -] | --part N=VALUE...) [--shown WORD] [--key KEY]",
  about:
    "Answers an open question. DECISION is its id, RUN/ID, or the run; in a workspace, or where only one is open, it may be left out.\nWithout VALUE, at a terminal, the question is shown first. There VALUE may be in any case, the beginning of an option or its number in the list, and a typing mistake is refused. Where an agent only needs to know something, VALUE is the answer in your words; - reads it from the standard input. Only people can answer.\nWhere an agent asks for permission to use a tool, VALUE is allow, always (for the rest of the run) or deny.\nOf a question in parts, VALUE answers all of them.",
  words: { min: 0, max: 2 },
  options: {
    text: { takes: "TEXT", about: "what goes with the answer; - reads it from the standard input" },
    part: {
      takes: "N=VALUE[: TEXT]",
      many: true,
      about: "answers part N of a question in parts; may be given several times",
    },
    shown: { takes: "WORD", about: "only if this is what the question shows; the word is printed with it" },
    key: { takes: "KEY", about: "the same key twice answers once, and gives the same answer" },
  },
  examples: [
    "signalbox answer UD-1 approve",
    "signalbox answer UD-3 --part 1=fix-now --part '2=accept: it is a test'",
    "signalbox answer k3d9 allow",
    'signalbox answer k3d9 changes --text "keep the old name"',
  ],
  async answer(given, door): Promise<Answer> {
    const { key, shown, text: option } = given.options;
    const isValue = given.words.length === 1 && given.words[0] === "-";
    const [decision, word] = isValue ? [undefined, "-"] : given.words;
    const value = word === "-" ? textIn(door.cwd, "-").trim() : word;
    const parts = given.lists["part"] ?? [];
    const text = option === "-" ? textIn(door.cwd, "-") : option;
    const asked =
      value === undefined && parts.length === 0 ? await askedFor(decision, text, door) : undefined;
    const { file, ...said } = asked ?? {};
    const input: InputOf<"answer"> = {
      decision,
      value,
      either: value === undefined && parts.length === 0,
      ...said,
      parts,
      shown: shown ?? said.shown,
      key,
      text: said.text ?? text,
      typed: door.isTyped?.() === true,
    };
    return answerOf(await whileKept({ file }, () => call(door, "answer", input)));
  },
};

/** At a terminal, without a value, the question is shown first, and then asked. The answer is for what was shown. */
async function askedFor(
  decision: string | undefined,
  given: string | undefined,
  door: Door,
): Promise<
  | (Pick<InputOf<"answer">, "decision" | "value" | "either" | "text" | "shown" | "entry"> &
      Pick<TypedWords, "file">)
  | undefined
> {
  if (door.isTyped?.() !== true) return undefined;
  const { run, question, cause, free, inWords, entry } = (await call(door, "question", { decision })).data;
  if (question === null)
    return inWords === null || given !== undefined
      ? undefined
      : { decision: run, either: false, ...(await wordsAsked(inWords, door)), entry };
  const { askPerson } = await import("../../prompt.ts");
  const { stdin: input, stderr: output } = process;
  const { said, text } = await askPerson(question, {
    run,
    cause,
    cwd: door.cwd,
    input,
    output,
    width: output.columns,
    paint: door.paint,
    meant: (typed) =>
      answerMeant(question, { value: typed, isTyped: true, hasText: false, free: free ?? undefined }),
  });
  return { decision: `${run}/${question.id}`, value: said, either: false, text, shown: question.shown };
}
