/** `next`: as `signalbox next`. */

import { command } from "../../cli/commands/look/next.ts";
import { optionsIn, texts, type OpenTool } from "../tool.ts";

export const next: OpenTool = {
  name: "next",
  title: "What can be done now",
  about: "Says what you can do with the run now, what is missing for what you cannot, and the one next step.",
  looks: true,
  for: "everybody",
  fields: { run: "the run's name, or its first letters; without it, that of this folder" },
  // An agent has something to say in its own run only.
  input: (caller) => texts([], caller === undefined ? ["run"] : []),
  call: async (given, { door }) => {
    const { run } = optionsIn(given, ["run"]);
    const words = run === undefined ? [] : [run];
    const {
      exit,
      code,
      message,
      data,
      next: then,
      text,
    } = await command.answer({ words, options: {}, lists: {} }, door);
    return { exit, code, message, data: data(), next: then, text: text() };
  },
};
