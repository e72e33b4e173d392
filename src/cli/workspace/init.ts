/** `workspace init`: the worktrees of a project are made before they are needed, so that no task waits for a checkout. */

import { basename } from "node:path";
import { requirePerson } from "../../adapters/person/who.ts";
import { acting } from "../acting.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { projectMeant } from "../project/which.ts";
import { wake } from "../wake.ts";

export const command: Command = {
  usage: "[--project NAME]",
  about:
    "Makes the worktrees that a project may have and has not yet: of the project that you are in, or of the named one. Without this each is made when the first task needs it.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: { project: { takes: "NAME", about: "of this project" } },
  examples: ["signalbox workspace init", "signalbox workspace init --project shop"],
  answer: init,
};

function init(given: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    requirePerson(on.who);
    const { store } = on.box;
    const { name, repo } = projectMeant(store, door.cwd, given.options["project"]);
    const { initPool } = await import("../../adapters/git/pool.ts");
    const paths = await initPool({ home: on.home, env: door.env, store }, repo);
    // Whoever waited for one can have it now.
    await wake(on);
    const made = paths.map((path) => ({ name: basename(path), path }));
    const there = store.pool(repo).length - made.length;
    const message =
      made.length === 0
        ? `${name} has its worktrees already`
        : `made ${made.length} of ${made.length + there} worktrees of ${name}`;
    const next = "signalbox workspace list";
    return {
      exit: EXIT_OK,
      code: "ok",
      message,
      data: () => ({ project: name, made, there }),
      text: () => made.map(({ path }) => `${path}\n`).join(""),
      next,
      talk: `  ${message}\n  next: ${next}\n`,
    } satisfies Answer;
  });
}
