/** `signalbox init`: a `.signalbox` folder to begin with. */

import { call } from "../../../app/client.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { fitted, wrapped } from "../../fit.ts";

const SAID = {
  written: "written",
  kept: "there already",
  changed: "there already, and your own: not touched",
};

export const command: Command = {
  usage: "",
  about:
    "Writes .signalbox/config.yaml with every setting explained and commented out, and a folder for workflows.\nNothing that exists is overwritten; Signalbox works without any of it.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox init"],
  async answer(_given, door): Promise<Answer> {
    const outcome = await call(door, "init", {});
    const { data } = await call(door, "workflows", {});
    const { files } = outcome.data;
    const isNew = files.some(({ status }) => status === "written");
    const next = `${door.self} check task`;
    return {
      ...answerOf(outcome, () => files.map(({ path, status }) => `${path}: ${SAID[status]}\n`).join("")),
      next,
      talk: [
        isNew ? "" : "Nothing was written.\n",
        "\nWhat to try next:\n",
        fitted(
          [
            [`  ${door.self} doctor`, "what is missing on this machine"],
            [`  ${next}`, "what a task can take at most"],
            [`  ${door.self} create "what to do"`, "a worker, a reviewer, and you"],
            [
              `  ${door.self} run staged "what to do"`,
              "explored, planned, done in tasks, tested, handed over",
            ],
            [
              `  ${door.self} run orchestrated "what to do"`,
              "a team with contracts: you approve design and plan",
            ],
            [
              `  ${door.self} plan NAME "what to do"`,
              "spec first: challenged, implemented, reviewed, archived",
            ],
          ],
          door.width,
        ),
        `\n${wrapped(`Workflows: ${data.workflows.map(({ name }) => name).join(", ")} (${door.self} workflows)`, door.width)}\n`,
        `After every change in .signalbox: ${door.self} trust\n`,
      ].join(""),
    };
  },
};
