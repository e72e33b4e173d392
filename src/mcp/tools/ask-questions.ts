/** `ask_questions`: questions to a person are written down, and nobody waits for the answer. */

import { canAsk } from "../../app/act/ask-questions.ts";
import { call } from "../../app/client.ts";
import { optionsIn, speak, type AgentTool } from "../tool.ts";

export const askQuestions: AgentTool = {
  name: "ask_questions",
  title: "Ask a person",
  about:
    "Writes down questions to a person, and hands the run over to one where the workflow has it so. Nothing is waited for: end your turn. The answers are in get_task when you are called again.",
  looks: false,
  for: "agent",
  fields: {
    questions: "two or three, each precise enough to be answered in a sentence",
    key: "the same key twice asks once, and gives the same answer",
  },
  isFor: canAsk,
  input: () => ({
    type: "object",
    required: { questions: { type: "list", of: { type: "text" }, min: 1 } },
    optional: { key: { type: "text" } },
    open: false,
  }),
  call: async ({ questions, key }, { door }) => {
    const all = Array.isArray(questions) ? questions.map(String) : [];
    return speak(await call(door, "ask-questions", { questions: all, ...optionsIn({ key }, ["key"]) }));
  },
};
