/** `signalbox diff`: what a run has changed, or how an artifact was edited since it was accepted. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";

export const command: Command = {
  usage: "[RUN] [ARTIFACT]",
  about:
    "Shows what a run has changed, up to its last handover. With an artifact, shows how its file was edited since a text of it was accepted.",
  offers: "open",
  words: { min: 0, max: 2 },
  options: {},
  examples: ["signalbox diff abcd", "signalbox diff abcd plan"],
  async answer({ words: [run, artifact] }, door): Promise<Answer> {
    const outcome = await call(door, "diff", { run, artifact });
    const { files, more } = outcome.data;
    const shown = files.map(({ path, text, cut }) =>
      [`--- ${path}`, `+++ ${path}`, ...(text === "" ? [] : [text]), ...(cut ? ["..."] : [])].join("\n"),
    );
    const rest = more === 0 ? [] : [`${more} more files`];
    return answerOf(
      outcome,
      files.length === 0 ? undefined : () => [...shown, ...rest].map((part) => `${part}\n`).join(""),
    );
  },
};
