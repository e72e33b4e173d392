/** `signalbox respawn`: the agent that has crashed is started again. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { OF_PROJECT } from "../../project-option.ts";

export const command: Command = {
  usage: "[RUN] [ROLE] [--key KEY]",
  about: "Has an agent started again that has crashed. Only people can do this.",
  offers: "open",
  words: { min: 0, max: 2 },
  options: {
    ...OF_PROJECT,
    key: { takes: "KEY", about: "the same key twice starts it once, and gives the same answer" },
  },
  examples: ["signalbox respawn k3d9", "signalbox respawn k3d9 worker"],
  answer: async ({ words, options: { project, key } }, door): Promise<Answer> =>
    answerOf(await call(door, "respawn", { words, project, key })),
};
