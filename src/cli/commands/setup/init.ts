/** `signalbox init`: a `.signalbox` folder to begin with. */

import { relative } from "node:path";
import { initialise } from "../../../adapters/config/init.ts";
import { listWorkflows } from "../../../adapters/library/find.ts";
import { repositoryOf } from "../../../adapters/trust/repository.ts";
import { columns } from "../../render/table.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command } from "../../command.ts";

/** What `--json` gives. */
export type InitData = {
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly status: "written" | "kept" | "changed" }[];
};

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
  answer(_given, door): Answer {
    const { tree } = repositoryOf(door.cwd);
    const { files } = initialise(tree);
    const near = (path: string): string => relative(door.cwd, `${tree}/${path}`);
    const shown = files.map(({ path, status }) => ({ path: near(path), status }));
    const isNew = files.some(({ status }) => status === "written");
    const data: InitData = { folder: near(".signalbox"), files: shown };
    const next = `${door.self} check task`;
    return {
      exit: EXIT_OK,
      code: "ok",
      message: isNew ? "the repository is set up" : "everything is there already; nothing was written",
      data: () => data,
      text: () => shown.map(({ path, status }) => `${path}: ${SAID[status]}\n`).join(""),
      next,
      talk: [
        isNew ? "" : "Nothing was written.\n",
        "\nWhat to try next:\n",
        columns([
          [`  ${door.self} doctor`, "what is missing on this machine"],
          [`  ${next}`, "what a task can take at most"],
          [`  ${door.self} task create "what to do"`, "a worker, a reviewer, and you"],
          [`  ${door.self} run staged "what to do"`, "explored, planned, done in tasks, tested, handed over"],
          [
            `  ${door.self} run orchestrated "what to do"`,
            "a team with contracts: you approve design and plan",
          ],
          [
            `  ${door.self} plan NAME "what to do"`,
            "spec first: challenged, implemented, reviewed, archived",
          ],
        ]),
        `\nWorkflows: ${listWorkflows(door)
          .map(({ name }) => name)
          .join(", ")} (${door.self} workflows)\n`,
        `After every change in .signalbox: ${door.self} trust\n`,
      ].join(""),
    };
  },
};
