/** `workspace init`: the worktrees of a project are made before they are needed, so that no task waits for a checkout. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import { acting, type Acting } from "../acting.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { projectMeant } from "../project/which.ts";
import { progressOf } from "../progress.ts";
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
    const project = projectMeant(store, door.cwd, given.options["project"]);
    const { name, repo } = project;
    const { made, left } = await makeAll(on, project);
    // Whoever waited for one can have it now.
    await wake(on);
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
      data: () => ({ project: name, made, there, left }),
      text: () => made.map(({ path }) => `${path}\n`).join(""),
      next,
      talk: [`  ${message}`, ...left.map((each) => `  left: ${each}`), `  next: ${next}`, ""].join("\n"),
    } satisfies Answer;
  });
}

type Made = { readonly name: string; readonly path: string };

/** They rest at the default branch as it is here: whoever takes one fetches. */
async function makeAll(
  { box: { store }, home, door }: Acting,
  { repo, defaultBranch, poolSize }: ProjectRow,
): Promise<{ readonly made: readonly Made[]; readonly left: readonly string[] }> {
  const [{ baseOf }, { makeFree }] = await Promise.all([
    import("../../adapters/git/base.ts"),
    import("../../adapters/git/make-free.ts"),
  ]);
  const on = { home, env: door.env };
  const { base } = await baseOf(on, { repo, defaultBranch, remote: "" });
  while (store.addToPool(repo) !== undefined);
  const made: Made[] = [];
  const left: string[] = [];
  const vacant = store
    .pool(repo)
    .filter(({ run, n, isRetired }) => run === "" && !isRetired && n <= poolSize);
  const progress = progressOf(door);
  try {
    for (const [at, { name }] of vacant.entries()) {
      const onMake = (): void => progress.begin(`making ${name} (${at + 1} of ${vacant.length})`);
      try {
        const { path, isNew } = await makeFree(on, { repo, name, base, onMake });
        if (isNew) made.push({ name, path });
      } catch (error) {
        // The others can still be made.
        if (!(error instanceof UserError)) throw error;
        left.push(error.message);
      }
    }
  } finally {
    progress.end();
  }
  return { made, left };
}
