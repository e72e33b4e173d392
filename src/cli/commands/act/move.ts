/** `signalbox move`: asks for a move. The engine decides. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";

const SEQ = { otherwise: 0, min: 1, max: 999_999_999, help: "signalbox move --help" };

export const command: Command = {
  usage: "[RUN] STATE [--note TEXT] [--key KEY] [--from STATE] [--seq N]",
  about:
    "Asks for a move of a run to a state. It is taken if the workflow has it, if it is yours to ask for, and if its gate is met.\nIn a workspace, RUN may be left out.",
  offers: "open",
  words: { min: 1, max: 2 },
  options: {
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice moves once, and gives the same answer" },
    from: { takes: "STATE", about: "only if the run is in this state; otherwise a conflict (exit 6)" },
    seq: { takes: "N", about: "only if this was the last thing that happened to it" },
  },
  examples: ["signalbox move working", 'signalbox move k3d9 done --note "looks good"'],
  answer: async (given, door): Promise<Answer> => {
    const [to = "", run] = given.words.toReversed();
    const { note, key, from } = given.options;
    const seq = given.options["seq"] === undefined ? undefined : numberOption(given, "seq", SEQ);
    return answerOf(await call(door, "move", { run, to, note, key, from, seq }));
  },
};
