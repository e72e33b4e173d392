/** `workspace list`: the workspace of each run, how much work is in it, and what is odd. */

import { requireHome, withStore } from "../../app/runs/find.ts";
import { changesIn } from "../../app/board/changes.ts";
import { UNKNOWN, type Work } from "../../app/board/row.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { repoMeant } from "../salvage/scope.ts";
import { columns } from "../render/table.ts";
import { strangersOf, workspacesOf, type Workspace } from "./look.ts";

export const command: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Lists the workspaces of the project that you are in, or of all: the run of each and where it is, its branch, commits ahead of where it began and changed lines, and what is odd about it.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every project" },
    project: { takes: "NAME", about: "of this project" },
  },
  examples: ["signalbox workspace list", "signalbox workspace list --all --json"],
  answer: list,
};

/** What `--json` gives for each. */
type Item = Pick<Workspace, "project" | "repo" | "path" | "run" | "branch" | "odd"> &
  Work & { readonly state: string; readonly status: string };

function list(given: Given, door: Door): Promise<Answer> {
  return withStore(door, async (store) => {
    const home = requireHome(door);
    const repo = repoMeant(store, given, door);
    const items: Item[] = [];
    for (const workspace of store === undefined ? [] : workspacesOf({ home, store }, repo))
      items.push(await itemOf(workspace, { home, env: door.env }));
    const strange = store === undefined ? [] : strangersOf({ home, store });
    const isOdd = strange.length > 0 || items.some(({ odd }) => odd.length > 0);
    const next = isOdd ? "signalbox workspace gc" : "signalbox task list";
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `${items.length} ${items.length === 1 ? "workspace" : "workspaces"}`,
      data: () => ({ workspaces: items, strange }),
      text: () =>
        columns([
          ...items.map((item) => rowOf(item, door)),
          ...strange.map((path) => strangerRow(path, door)),
        ]),
      next,
      talk: `${items.length === 0 ? "  no run has a workspace here\n" : ""}  next: ${next}\n`,
    } satisfies Answer;
  });
}

async function itemOf(workspace: Workspace, on: Parameters<typeof changesIn>[0]): Promise<Item> {
  const { project, repo, path, run, row, own, branch, odd } = workspace;
  // What git cannot tell is not known, and no reason to say nothing about the others.
  const work =
    own?.status === "bound"
      ? await changesIn(on, { path, base: own.base, into: "" }).catch(() => UNKNOWN)
      : UNKNOWN;
  const state = row?.state ?? "";
  const status = row?.status ?? "";
  return { project, repo, path, run, state, status, branch, ...work, odd };
}

function rowOf({ run, state, branch, ahead, added, removed, path, odd }: Item, { paint }: Door): string[] {
  return [
    paint.bold(run),
    paint.cyan(state),
    branch,
    ahead === null ? "" : `${ahead} ahead`,
    added === null ? "" : `+${added} -${removed ?? 0}`,
    odd.length === 0 ? path : `${path} ${paint.yellow(`(${odd.join("; ")})`)}`,
  ];
}

function strangerRow(path: string, { paint }: Door): string[] {
  return [paint.dim("-"), "", "", "", "", `${path} ${paint.yellow("(belongs to no run)")}`];
}
