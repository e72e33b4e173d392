/** `salvage show ID`: what a run left, and how to get it back. */

import { basename } from "node:path";
import { operationIn } from "../../adapters/git/checkout.ts";
import type { On } from "../../adapters/git/own.ts";
import { changesLeft, diffLeft, lastLeft, strandedCommits } from "../../adapters/git/salvaged.ts";
import type { Change, Commit } from "../../adapters/git/salvaged.ts";
import { requireHome, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { firstLine, sayTime } from "../../app/view/words.ts";
import { keptFiles, keptGits, salvageNamed, type Salvage } from "./find.ts";
import { saySize, sizeOf, type Size } from "./size.ts";

const LINES_MAX = 40;

export const command: Command = {
  usage: "ID [--diff]",
  about:
    "Shows what a run left: changed files that no handover has, handovers that are on no branch, and files that git does not hold.",
  words: { min: 1, max: 1 },
  options: { diff: { about: "also show the changed files as a diff" } },
  examples: ["signalbox salvage show k3d9", "signalbox salvage show k3d9 --diff"],
  answer: show,
};

/** What `--json` gives. */
type Shown = {
  readonly run: string;
  readonly at: string;
  readonly workflow: string;
  readonly goal: string;
  readonly status: string;
  readonly repo: string;
  readonly branch: string;
  readonly mirror: string;
  /** Where the run began. */
  readonly base: string;
  /** Its latest handover. */
  readonly head: string;
  /** The commit of work that no handover has; empty where there is none. */
  readonly left: string;
  readonly changed: readonly Change[];
  /** Handovers, and agents' commits under them, that are on no branch of the repository. */
  readonly commits: readonly Commit[];
  /** At the top of the folders of files that git does not hold. */
  readonly kept: readonly string[];
  readonly keptSize: Size;
  /** The `.git` of the workspace, where it holds something that the mirror does not. */
  readonly git: readonly string[];
  /** The git operation that was interrupted in the workspace; empty where there is none. */
  readonly operation: string;
  /** A command that makes a branch of the commits; empty where there are none. */
  readonly fetch: string;
  readonly restore: string;
};

function show(given: Given, door: Door): Promise<Answer> {
  const [word = ""] = given.words;
  return withStore(door, async (store) => {
    const on: On = { home: requireHome(door), env: door.env };
    const found = await salvageNamed({ on, store, door }, word);
    const { mirror, refs } = found;
    const salvage = await shownOf(on, found);
    const isAsked = given.options["diff"] !== undefined;
    const diff =
      isAsked && refs !== undefined && salvage.left !== "" ? await diffLeft(on, { mirror, refs }) : "";
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `what run ${found.run} left`,
      data: () => ({ salvage, ...(isAsked ? { diff } : {}) }),
      text: () => `${inWords(salvage, door)}${diff === "" ? "" : `\n${diff}`}`,
      next: salvage.restore,
      talk: `  next: ${salvage.restore}\n`,
    } satisfies Answer;
  });
}

async function shownOf(on: On, found: Salvage): Promise<Shown> {
  const { run, row, repo, branch, mirror, refs, at } = found;
  const left = lastLeft(refs);
  const files = keptFiles(found.kept);
  const git = keptGits(found.kept);
  const changed = refs === undefined || left === "" ? [] : await changesLeft(on, { mirror, refs });
  const commits = refs === undefined ? [] : await strandedCommits(on, { mirror, repo, refs });
  const isFetched = repo !== "" && (left !== "" || commits.length > 0);
  return {
    run,
    at,
    workflow: row?.workflow ?? "",
    goal: row?.goal ?? "",
    status: row?.status ?? "",
    repo,
    branch,
    mirror,
    base: refs?.base ?? "",
    head: refs?.head ?? "",
    left,
    changed: changed.map(readable),
    commits,
    kept: files.map((file) => basename(file)),
    keptSize: sizeOf(files),
    git,
    operation: git.map(operationIn).find((name) => name !== "") ?? "",
    fetch: isFetched
      ? `git -C '${repo}' fetch '${mirror}' ${left === "" ? refs?.head : left}:refs/heads/salvage-${run}`
      : "",
    restore: `signalbox salvage restore ${run}`,
  };
}

function readable({ status, name }: Change): Change {
  return { status, name: Buffer.from(name, "latin1").toString("utf8") };
}

function inWords(salvage: Shown, { paint }: Door): string {
  const facts = [
    ["left at", sayTime(salvage.at)],
    ["goal", firstLine(salvage.goal)],
    ["repository", salvage.repo],
    ["branch", salvage.branch],
    ["base", salvage.base],
    ["last handover", salvage.head],
    ["left", salvage.left],
    ["its .git", salvage.git.join(", ")],
    ["interrupted", salvage.operation],
    ["as a branch", salvage.fetch],
  ] as const;
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    paint.bold(salvage.run),
    ...facts.filter(([, value]) => value !== "").map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...section(
      "Changed since the last handover",
      salvage.changed.map(({ status, name }) => `${status} ${name}`),
    ),
    ...section(
      "Commits on no branch",
      salvage.commits.map(({ oid, subject }) => `${oid.slice(0, 12)} ${firstLine(subject)}`),
    ),
    ...section(`Not held by git (${saySize(salvage.keptSize)})`, salvage.kept),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const more = lines.length - LINES_MAX;
  return [
    `${title}:`,
    ...lines.slice(0, LINES_MAX).map((line) => `  ${line.replaceAll("\n", "\\n")}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
