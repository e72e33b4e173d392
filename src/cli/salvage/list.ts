/** `salvage list`: what runs left, the newest first. */

import { changesLeft, lastLeft, strandedCommits } from "../../adapters/git/salvaged.ts";
import type { On } from "../../adapters/git/own.ts";
import { requireHome, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { numberOption } from "../number-option.ts";
import { firstLine, sayAge } from "../../app/view/words.ts";
import { columns } from "../render/table.ts";
import { findSalvages, keptFiles, keptGits, quarantined, type Aside, type Salvage } from "./find.ts";
import { repoMeant } from "./scope.ts";
import { saySize, sizeOf, type Size } from "./size.ts";

const LIMIT = 50;
const LIMIT_MAX = 100_000;
/** Looked into at the same time. */
const AT_ONCE = 4;

export const command: Command = {
  usage: "[--all | --project NAME | --here] [--limit N]",
  about:
    "Lists what runs left when their workspaces were released, the newest first: of the repository that you are in, or of all.",
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
  /** The commit of work that no handover has; empty where there is none. */
  readonly left: string;
  /** How many files are different in it. */
  readonly files: number;
  /** Handovers that are on no branch of the repository, where the newest is not. */
  readonly commits: number;
  /** Folders of files that git does not hold. */
  readonly kept: readonly string[];
  /** Without the `.git` of the workspace. */
  readonly keptSize: Size;
  /** The `.git` of the workspace was kept: it holds something that the mirror does not. */
  readonly git: boolean;
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
    const found = await findSalvages({ on, store, ...(repo === undefined ? {} : { repo }) });
    const shown = found.slice(0, limit);
    const salvages: Item[] = [];
    for (let from = 0; from < shown.length; from += AT_ONCE)
      salvages.push(
        ...(await Promise.all(shown.slice(from, from + AT_ONCE).map((each) => itemOf(on, each)))),
      );
    const quarantine = repo === undefined ? quarantined(on) : [];
    return answerOf({ salvages, quarantine, more: found.length - shown.length, repo }, door);
  });
}

async function itemOf(on: On, salvage: Salvage): Promise<Item> {
  const { run, at, row, repo, branch, mirror, refs, isStranded } = salvage;
  const kept = salvage.kept.map(({ folder }) => folder);
  const left = lastLeft(refs);
  const changes = refs === undefined || left === "" ? [] : await changesLeft(on, { mirror, refs });
  const commits = refs === undefined || !isStranded ? [] : await strandedCommits(on, { mirror, repo, refs });
  return {
    run,
    at,
    workflow: row?.workflow ?? "",
    goal: row?.goal ?? "",
    status: row?.status ?? "",
    repo,
    branch,
    left,
    files: changes.length,
    commits: commits.length,
    kept,
    keptSize: sizeOf(keptFiles(salvage.kept)),
    git: keptGits(salvage.kept).length > 0,
  };
}

type Listed = {
  readonly salvages: readonly Item[];
  readonly quarantine: readonly Aside[];
  readonly more: number;
  readonly repo: string | undefined;
};

function answerOf({ salvages, quarantine, more, repo }: Listed, { paint }: Door): Answer {
  const now = Date.now();
  const [first] = salvages;
  const elsewhere = repo === undefined ? "" : "signalbox salvage list --all";
  const next = first === undefined ? elsewhere : `signalbox salvage show ${first.run}`;
  const message =
    first === undefined
      ? "no run left anything: everything is on branches"
      : `what ${salvages.length} ${salvages.length === 1 ? "run" : "runs"} left${more > 0 ? `, and ${more} more` : ""}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => ({ salvages, quarantine, more }),
    text: () =>
      columns([
        ...salvages.map((item) => [
          paint.bold(item.run),
          sayAge(item.at, now),
          sayItem(item),
          firstLine(item.goal, 60),
        ]),
        ...quarantine.map(({ path, at, reason }) => [
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

function sayItem({ files, commits, keptSize, git }: Item): string {
  return [
    ...(files === 0 ? [] : [`${files} changed`]),
    ...(commits === 0 ? [] : [`${commits} ${commits === 1 ? "commit" : "commits"} on no branch`]),
    ...(keptSize.files === 0 ? [] : [`kept ${saySize(keptSize)}`]),
    ...(git ? ["its .git"] : []),
  ].join("; ");
}
