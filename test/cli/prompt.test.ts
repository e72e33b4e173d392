/** A question at the keyboard: lines that fit, and an empty line is no answer. */
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answerMeant } from "../../src/app/act/question/answer-words.ts";
import { paintOf } from "../../src/cli/paint.ts";
import { askPerson, askWords } from "../../src/cli/prompt.ts";
import type { QuestionView } from "../../src/app/view/decision/question.ts";

const OPTIONS: QuestionView["options"] = [
  { value: "yes", label: "Go on", text: "none", command: "", means: "on to the end" },
  {
    value: "changes/all",
    label: "Say what to change, and whose it is",
    text: "required",
    command: "",
    means: "back",
  },
  {
    value: "later",
    label: "Not now",
    text: "optional",
    command: "",
    means: "to a state with a rather long title for now",
  },
];

const QUESTION: QuestionView = {
  id: "UD-1",
  ask: "good",
  question: "Is it good?",
  openedAt: "",
  repeats: 0,
  shows: [],
  reads: [],
  shown: "",
  options: OPTIONS,
  parts: [
    { number: 1, part: "a lock", answer: "yes", text: "" },
    { number: 2, part: "a key", answer: null, text: "" },
  ],
};

async function typing(keys: string): Promise<{ readonly said: unknown; readonly shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(keys);
  const shown = text(output);
  const said = await askPerson(QUESTION, {
    run: "r1",
    cause: ["It was refused, with a sentence that is longer than a narrow terminal is wide."],
    cwd: "/",
    input,
    output,
    width: 60,
    paint: paintOf(false),
    meant: (typed) => answerMeant(QUESTION, { value: typed, isTyped: true, hasText: false, free: undefined }),
  }).catch((error: unknown) => (error instanceof Error ? error.message : error));
  output.end();
  return { said, shown: await shown };
}

test.for<[keys: string, said: unknown]>([
  ["yes\n", { said: "yes", text: undefined }],
  ["\n \nyes\n", { said: "yes", text: undefined }],
  ["changes/all\n\n\nkeep it\n", { said: "changes/all", text: "keep it" }],
  ["later\n\n", { said: "later", text: undefined }],
  ["later\nit is late\n", { said: "later", text: "it is late" }],
  // A typing mistake is asked again, and no answer.
  ["perhaps\nYES\n", { said: "yes", text: undefined }],
  ["perhaps\n", "nothing was answered"],
  ["lat\n\n", { said: "later", text: undefined }],
  ["1\n", { said: "yes", text: undefined }],
  ["", "nothing was answered"],
  ["changes/all\n", "nothing was answered"],
])("%j is %o", async ([keys, said]) => {
  expect((await typing(keys)).said).toEqual(said);
});

test("all of it is shown, in lines that fit", async () => {
  const { shown } = await typing("yes\n");
  expect(shown.split("\n")).toEqual([
    "UD-1: Is it good?",
    "  It was refused, with a sentence that is longer than a",
    "    narrow terminal is wide.",
    "  1. a lock: yes",
    "  2. a key",
    "  one by one: signalbox answer r1 --part 2=yes",
    "  1  yes          Go on: on to the end",
    "  2  changes/all  Say what to change, and whose it is: back",
    "  3  later        Not now: to a state with a rather long",
    "                  title for now",
    "> ",
  ]);
});

test("an answer in words: what is asked is shown, and an empty line is asked again", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end("\nISO dates, please\n");
  const shown = text(output);
  const asked = ["Which format do the dates in the export have?", "- ISO\u001B[2J"];
  expect(await askWords(asked, { input, output, width: 30 })).toBe("ISO dates, please");
  output.end();
  expect((await shown).split("\n")).toEqual([
    "Which format do the dates in",
    "    the export have?",
    "- ISO\uFFFD[2J",
    "> ",
  ]);
});
