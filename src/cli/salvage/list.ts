/** `salvage list`: everything that was kept, the newest first. */

import { holdingOf, changesBetween } from "../../adapters/git/salvaged.ts";
import type { On } from "../../adapters/git/own.ts";
import { requireHome, withStore } from "../box.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { numberOption } from "../number-option.ts";
import { columns, firstLine, sayAge } from "../say.ts";
import { findAll, type Aside, type Found } from "./find.ts";
import { repoMeant } from "./scope.ts";
import { saySize, sizeOf, type Size } from "./size.ts";

const LIMIT = 50;
const LIMIT_MAX = 100_000;
/** Looked into at the same time. */
const AT_ONCE = 4;

export const command: Command = {
  usage: "[--all | --project NAME | --here] [--limit N]",
  about:
    "Lists what was kept when workspaces were given back, the newest first: of the repository that you are in, or of all.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every repository" },
    project: { takes: "NAME", about: "of this project" },
    here: { about: "of the repository that you are in; elsewhere it is an error" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: ["signalbox salvage list", "signalbox salvage list --all --json"],
  answer: list,
};

/** What `--json` gives for each. */
type Item = {
  readonly run: string;
  readonly at: string;
  readonly workflow: string;
  readonly goal: string;
  readonly status: string;
  readonly repo: string;
  readonly branch: string;
  readonly ref: string;
  /** That no branch reaches. */
  readonly commits: number;
  /** That were not committed. */
  readonly files: number;
  readonly kept: readonly string[];
  readonly keptSize: Size;
  readonly quarantine: readonly Aside[];
};

function list(given: Given, door: Door): Promise<Answer> {
  return withStore(door, async (store) => {
    const limit = numberOption(given, "limit", {
      otherwise: LIMIT,
      min: 1,
      max: LIMIT_MAX,
      help: "signalbox salvage list --help",
    });
    const on: On = { home: requireHome(door), env: door.env };
    const repo = repoMeant(store, given, door);
    const { found, others } = await findAll({ on, store, ...(repo === undefined ? {} : { repo }) });
    const shown = found.slice(0, limit);
    const salvages: Item[] = [];
    for (let from = 0; from < shown.length; from += AT_ONCE)
      salvages.push(
        ...(await Promise.all(shown.slice(from, from + AT_ONCE).map((each) => itemOf(on, each)))),
      );
    return answerOf({ salvages, others, more: found.length - shown.length, repo }, door);
  });
}

async function itemOf(on: On, found: Found): Promise<Item> {
  const { run, at, row, repo, branch, commonDir, kept, aside } = found;
  const ref = [found.ref, found.forgotten, found.stranded].find((name) => name !== "") ?? "";
  const isInGit = commonDir !== "" && ref !== "";
  const holding = isInGit ? await holdingOf(on, { commonDir, run, branch }) : undefined;
  const newest = holding?.layers[0];
  const changes = newest === undefined ? [] : await changesBetween(on, commonDir, [newest.head, newest.tree]);
  return {
    run,
    at,
    workflow: row?.workflow ?? "",
    goal: row?.goal ?? "",
    status: row?.status ?? "",
    repo,
    branch,
    ref,
    commits: holding?.commits.length ?? 0,
    files: changes.length,
    kept,
    keptSize: sizeOf(kept),
    quarantine: aside,
  };
}

type Listed = {
  readonly salvages: readonly Item[];
  readonly others: readonly Aside[];
  readonly more: number;
  readonly repo: string | undefined;
};

function answerOf({ salvages, others, more, repo }: Listed, { paint }: Door): Answer {
  const now = Date.now();
  const [first] = salvages;
  const next =
    first === undefined
      ? repo === undefined
        ? ""
        : "signalbox salvage list --all"
      : `signalbox salvage show ${first.run}`;
  const message =
    first === undefined
      ? "nothing was kept: everything is on branches"
      : `what was kept of ${salvages.length} ${salvages.length === 1 ? "run" : "runs"}${more > 0 ? `, and ${more} more` : ""}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => ({ salvages, others, more }),
    text: () =>
      columns([
        ...salvages.map((item) => [
          paint.bold(item.run),
          sayAge(item.at, now),
          sayItem(item),
          firstLine(item.goal, 60),
        ]),
        ...others.map(({ path, at, reason }) => [
          paint.dim("-"),
          sayAge(at, now),
          path,
          firstLine(reason.split("\n").at(-1) ?? ""),
        ]),
      ]),
    next,
    talk: [
      ...(first === undefined ? [`  ${message}`] : []),
      ...(more > 0 ? [`  ${more} more: --limit ${salvages.length + more}`] : []),
      ...(next === "" ? [] : [`  next: ${next}`]),
      "",
    ].join("\n"),
  };
}

function sayItem({ files, commits, kept, keptSize, quarantine }: Item): string {
  const parts = [
    ...(files === 0 ? [] : [`${files} changed`]),
    ...(commits === 0 ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"}`]),
    ...(kept.length === 0 ? [] : [`kept ${saySize(keptSize)}`]),
    ...(quarantine.length === 0 ? [] : [`${quarantine.length} in quarantine`]),
  ];
  return parts.length === 0 ? "the index, or logs" : parts.join("; ");
}
