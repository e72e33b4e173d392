/** `signalbox task`: what agents and people type about the task they are in. Each word is a command of its own. */

import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Answer, Command, Door, Given } from "../command.ts";
import { respawn } from "../task/respawn.ts";
import { update } from "../task/update.ts";

type Part = (given: Given, door: Door) => Promise<Answer>;

const PARTS: Readonly<Record<string, Part>> = { update, respawn };
const HELP = "signalbox task --help";

export const command: Command = {
  usage: "update|respawn [RUN] [ROLE] [--status STATE] [--branch [NAME]] [--summary TEXT]",
  about:
    "update: changes details of a task and asks for a move, exactly as `signalbox move` does.\nrespawn: a person has an agent started again that has crashed.\nIn a workspace, RUN may be left out.",
  words: { min: 1, max: 3 },
  options: {
    status: { takes: "STATE", about: "ask for a move to this state" },
    branch: {
      takes: "[NAME]",
      about: "the branch has this name now; without one, that of the workspace",
      alone: true,
    },
    summary: { takes: "TEXT", about: "one line that says what the task is" },
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: [
    "signalbox task update --status working",
    'signalbox task update --branch --summary "Dates in the export"',
    "signalbox task respawn k3d9",
  ],
  answer: async (given, door): Promise<Answer> => {
    const [name = "", ...words] = given.words;
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (part === undefined) throw unknownPart(name);
    return part({ ...given, words }, door);
  },
};

function unknownPart(name: string): UserError {
  const near = closest(name, Object.keys(PARTS));
  const hint =
    near === undefined ? `; there are ${Object.keys(PARTS).join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-command", `there is no command "task ${name}"${hint}`, HELP);
}
