/** `workspace init`: the worktrees of a project are made before they are needed, so that no task waits for a checkout. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { PoolRow, ProjectRow } from "../../engine/ports/projects.ts";
import { acting, type Acting } from "../acting.ts";
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

type Made = { readonly name: string; readonly path: string };
type Begun = { readonly project: ProjectRow; readonly base: string; readonly notes: readonly string[] };

/** Everything that can be refused is refused before anything is made; then each is told when it is there. */
async function init(given: Given, door: Door): Promise<Answer> {
  const { project, base, notes } = await acting(door, async (on): Promise<Begun> => {
    requirePerson(on.who);
    const found = projectMeant(on.box.store, door.cwd, given.options["project"]);
    return { project: found, ...(await baseOf(on, found)) };
  });
  const made: Made[] = [];
  const there = await makeAll(door, { project, base, made });
  const { name, poolSize } = project;
  const message =
    made.length === 0
      ? `${name} has its ${poolSize} worktrees already`
      : `made ${made.length} of ${made.length + there} worktrees of ${name}`;
  const next = "signalbox workspace list";
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => ({ project: name, made, there }),
    text: () => made.map(({ path }) => `${path}\n`).join(""),
    next,
    talk: [...notes.map((note) => `  ${note}`), `  ${message}`, `  next: ${next}`, ""].join("\n"),
  };
}

async function baseOf({ box, home, door }: Acting, project: ProjectRow): Promise<Omit<Begun, "project">> {
  const [{ gitBranches }, { readSettings }] = await Promise.all([
    import("../../adapters/git/branch-port.ts"),
    import("../../adapters/config/read.ts"),
  ]);
  const { repo, defaultBranch, remote } = project;
  const { fetch } = (await readSettings({ repo, env: door.env, store: box.store })).workspace;
  return gitBranches({ home, env: door.env }).baseOf({ repo, defaultBranch, remote: fetch ? remote : "" });
}

type Making = { readonly project: ProjectRow; readonly base: string; readonly made: Made[] };

/** Gives how many were there already. */
async function makeAll(door: Door, { project, base, made }: Making): Promise<number> {
  return acting(door, async (on) => {
    const { makeFree } = await import("../../adapters/git/make-free.ts");
    const { store } = on.box;
    const { repo, poolSize } = project;
    let there = 0;
    for (const row of rows(on, project)) {
      if (row.run !== "") {
        there += 1;
        continue;
      }
      try {
        const { path, isNew } = await makeFree(
          { home: on.home, env: door.env },
          { repo, name: row.name, base },
        );
        if (isNew) made.push({ name: row.name, path });
        else there += 1;
      } catch (error) {
        // Nobody can have what is not there; those that are stay.
        if (store.pool(repo).some(({ name, run }) => name === row.name && run === ""))
          store.dropFromPool(row.name);
        throw error instanceof UserError && made.length > 0
          ? new UserError(error.code, `${error.message} ${made.length} of ${poolSize} were made.`, error.next)
          : error;
      }
    }
    await wake(on);
    return there;
  });
}

/** Those that are known first, then new ones, as long as there is room. */
function* rows({ box: { store } }: Acting, { repo, poolSize }: ProjectRow): Generator<PoolRow> {
  yield* store.pool(repo).filter(({ n }) => n <= poolSize);
  for (let row = store.addToPool(repo); row !== undefined; row = store.addToPool(repo)) yield row;
}
