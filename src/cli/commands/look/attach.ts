/** `signalbox attach`: a person's terminal becomes a look into the terminals of a run's agents. */

import { spawnSync } from "node:child_process";
import { acting } from "../../../app/context.ts";
import { EXIT_FAILED, EXIT_OK } from "../../../app/exit-codes.ts";
import { UserError } from "../../../app/failure.ts";
import { attachTo } from "../../../app/runs/attach.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

/** What `--json` gives. */
export type AttachData = { readonly run: string };

export const command: Command = {
  usage: "[RUN] [--role ROLE]",
  about:
    "Shows the terminals in which the agents of a run live, in this one. Ctrl-b d leaves; Ctrl-b n goes to the next window.\nWhat you type goes to the agent that you see. Only people can do this, and only at a terminal.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    role: { takes: "ROLE", about: "the window of this role; otherwise the one that was last looked at" },
  },
  examples: ["signalbox attach k3d9", "signalbox attach k3d9 --role reviewer"],
  answer: async ({ words: [word], options }, door): Promise<Answer> => {
    const { project, role } = options;
    const { run, argv } = await acting(door, (on) => attachTo(on, { run: word, project, role }));
    const data: AttachData = { run };
    const message = `you have left the terminals of ${run}; its agents go on`;
    show(run, argv, door);
    return {
      exit: EXIT_OK,
      code: "ok",
      message,
      data: () => data,
      text: () => `${message}\n`,
      next: `signalbox show ${run}`,
    };
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
