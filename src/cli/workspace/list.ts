/** `workspace list`: each worktree, who has it, how much work is in it, and what is odd. */

import { requireHome, withStore } from "../box.ts";
import { changesIn } from "../board/changes.ts";
import { UNKNOWN, type Work } from "../board/row.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { repoMeant } from "../salvage/scope.ts";
import { columns } from "../say.ts";
import { strangersOf, worktreesOf, type Worktree } from "./look.ts";

export const command: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Lists the worktrees of the project that you are in, or of all: free, or whose they are, with commits ahead of where they began and changed lines, and what is odd about them.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every project" },
    project: { takes: "NAME", about: "of this project" },
  },
  examples: ["signalbox workspace list", "signalbox workspace list --all --json"],
  answer: list,
};

/** What `--json` gives for each. */
type Item = Pick<Worktree, "name" | "project" | "repo" | "path" | "run" | "branch" | "odd"> &
  Work & { readonly state: string; readonly status: string };

function list(given: Given, door: Door): Promise<Answer> {
  return withStore(door, async (store) => {
    const home = requireHome(door);
    const repo = repoMeant(store, given, door);
    const items: Item[] = [];
    for (const worktree of store === undefined ? [] : worktreesOf({ home, store }, repo))
      items.push(await itemOf(worktree, { home, env: door.env }));
    const strange = store === undefined ? [] : strangersOf({ home, store });
    const isOdd = strange.length > 0 || items.some(({ odd }) => odd.some((what) => what !== "not made yet"));
    const next = isOdd
      ? "signalbox workspace gc"
      : items.length === 0
        ? "signalbox workspace init"
        : "signalbox task list";
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${items.length} ${items.length === 1 ? "worktree" : "worktrees"}`,
      data: () => ({ workspaces: items, strange }),
      text: () =>
        columns([
          ...items.map((item) => rowOf(item, door)),
          ...strange.map((path) => strangerRow(path, door)),
        ]),
      next,
      talk: `${items.length === 0 ? "  there are no worktrees here yet\n" : ""}  next: ${next}\n`,
    } satisfies Answer;
  });
}

async function itemOf(worktree: Worktree, on: Parameters<typeof changesIn>[0]): Promise<Item> {
  const { name, project, repo, path, run, row, bound, branch, odd } = worktree;
  // What git cannot tell is not known, and no reason to say nothing about the others.
  const work =
    bound === undefined
      ? UNKNOWN
      : await changesIn(on, { path, base: bound.base, into: "" }).catch(() => UNKNOWN);
  const state = row?.state ?? "";
  const status = row?.status ?? "";
  return { name, project, repo, path, run, state, status, branch, ...work, odd };
}

function rowOf(
  { name, run, state, branch, ahead, added, removed, path, odd }: Item,
  { paint }: Door,
): string[] {
  return [
    paint.bold(name),
    run === "" ? "free" : run,
    paint.cyan(state),
    branch,
    ahead === null ? "" : `${ahead} ahead`,
    added === null ? "" : `+${added} -${removed ?? 0}`,
    odd.length === 0 ? path : `${path} ${paint.yellow(`(${odd.join("; ")})`)}`,
  ];
}

function strangerRow(path: string, { paint }: Door): string[] {
  return [paint.dim("-"), "", "", "", "", "", `${path} ${paint.yellow("(belongs to nobody)")}`];
}
