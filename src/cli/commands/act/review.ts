/** `signalbox review`: what reviewers do, each part a command of its own. */

import { call } from "../../../app/client.ts";
import { readGiven } from "../../../app/text-input.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Group } from "../../command.ts";

const create: Command = {
  usage: "[RUN] (FILE | -) [--artifact NAME] [--key KEY]",
  about: [
    "Hands in a review as one JSON object: `verdict`, and what else the review of this workflow has (a summary, issues with their severity).",
    "It is written to where the workflow has it, as `signalbox submit` does. What does not fit, or does not agree with itself, is refused before anything is written.",
    "In a workspace, RUN may be left out.",
  ].join("\n"),
  words: { min: 1, max: 2 },
  options: {
    artifact: { takes: "NAME", about: "which review, where there are several" },
    key: { takes: "KEY", about: "the same key twice submits once, and gives the same answer" },
  },
  examples: ["signalbox review create review.json", "signalbox review create k3d9 - < review.json"],
  answer: async ({ words, options: { artifact, key } }, door): Promise<Answer> => {
    const run = words.length > 1 ? words[0] : undefined;
    const file = readGiven(door.cwd, words.at(-1) ?? "-");
    return answerOf(await call(door, "review-create", { run, artifact, key, file }));
  },
};

export const command: Group = {
  about: "Reviews, submitted field by field.",
  parts: {
    create: {
      about: "submit a review as JSON: verdict, summary, issues",
      load: () => Promise.resolve({ command: create }),
    },
  },
  examples: ["signalbox review create review.json"],
};
