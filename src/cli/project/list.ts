/** `signalbox project list`: the projects of this machine. */

import { withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { columns } from "../render/table.ts";
import { itemOf } from "./said.ts";

export const command: Command = {
  usage: "",
  about:
    "Lists the projects of this machine, with how many of their agents are at work, how many workspaces they have, and how many tasks are queued.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox project list"],
  answer: (_given, door) =>
    withStore(door, (store) => {
      const projects = store === undefined ? [] : store.projects().map((row) => itemOf(store, row));
      const next = projects.length === 0 ? "signalbox project add" : "signalbox task list";
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${projects.length} ${projects.length === 1 ? "project" : "projects"}`,
        data: () => ({ projects }),
        text: () =>
          columns(
            projects.map(({ name, defaultBranch, agents, atWork, workspaces, queued, repo }) => [
              door.paint.bold(name),
              defaultBranch,
              `${atWork} of ${agents} agents at work`,
              `${workspaces} ${workspaces === 1 ? "workspace" : "workspaces"}`,
              queued === 0 ? "" : `${queued} queued`,
              repo,
            ]),
          ),
        next,
        talk: `  next: ${next}\n`,
      } satisfies Answer;
    }),
};
