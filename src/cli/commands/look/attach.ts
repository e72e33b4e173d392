/** `signalbox attach`: a person's terminal becomes a look into the terminals of a run's agents. */

import { spawnSync } from "node:child_process";
import { call } from "../../../app/client.ts";
import { EXIT_FAILED } from "../../../app/exit-codes.ts";
import { UserError } from "../../../app/failure.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [--role ROLE]",
  about:
    "Shows the terminals in which the agents of a run live, in this one. Ctrl-b d leaves; Ctrl-b n goes to the next window.\nWhat you type goes to the agent that you see. Only people can do this, and only at a terminal.",
  offers: "open",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    role: { takes: "ROLE", about: "the window of this role; otherwise the one that was last looked at" },
  },
  examples: ["signalbox attach k3d9", "signalbox attach k3d9 --role reviewer"],
  answer: async ({ words: [run], options: { project, role } }, door): Promise<Answer> => {
    const outcome = await call(door, "attach", { run, project, role });
    show(outcome.data.run, outcome.data.argv, door);
    const { talk: _talk, ...answer } = answerOf(outcome);
    return answer;
  },
};

/** Until the person leaves; nothing of ours is open meanwhile. */
function show(run: string, [program = "", ...rest]: readonly string[], { env, cwd }: Door): void {
  const { status, error } = spawnSync(program, rest, { stdio: "inherit", env, cwd });
  if (error === undefined && status === 0) return;
  throw new UserError("no-session", `the terminals of ${run} could not be shown, or were closed`, {
    next: `signalbox show ${run}`,
    exit: EXIT_FAILED,
  });
}
