/** `salvage show ID`: what is in it, and how to get it back. */

import type { On } from "../../adapters/git/own.ts";
import { changesBetween, diffBetween, holdingOf } from "../../adapters/git/salvaged.ts";
import type { Change, Commit, Holding } from "../../adapters/git/salvaged.ts";
import { requireHome, withStore } from "../box.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { firstLine, sayTime } from "../say.ts";
import type { Aside, Found } from "./find.ts";
import { keptNames } from "./kept-names.ts";
import { operationsIn } from "./operations.ts";
import { salvageNamed } from "./one.ts";
import { saySize, sizeOf, type Size } from "./size.ts";

const LINES_MAX = 40;

export const command: Command = {
  usage: "ID [--diff]",
  about:
    "Shows what was kept of a run: commits that no branch has, files that were not committed, what was staged, what git does not hold, and what it was in the middle of.",
  words: { min: 1, max: 1 },
  options: { diff: { about: "also as a diff against where HEAD was" } },
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
  /** Where the run began. */
  readonly base: string;
  /** Where HEAD was. */
  readonly head: string;
  readonly ref: string;
  readonly forgotten: string;
  readonly commits: readonly Commit[];
  readonly changed: readonly Change[];
  readonly untracked: readonly string[];
  /** The index against HEAD, where it was something else. */
  readonly staged: readonly Change[];
  /** At the top of the folders of what git does not hold. */
  readonly kept: readonly string[];
  readonly keptSize: Size;
  /** What git was in the middle of. */
  readonly operations: readonly string[];
  readonly snapshots: readonly string[];
  /** How often the run was released before. */
  readonly earlier: number;
  readonly quarantine: readonly Aside[];
  readonly restore: string;
};

function show(given: Given, door: Door): Promise<Answer> {
  const [word = ""] = given.words;
  return withStore(door, async (store) => {
    const on: On = { home: requireHome(door), env: door.env };
    const found = await salvageNamed({ on, store, door }, word);
    const { commonDir, run, branch } = found;
    const holding = commonDir === "" ? undefined : await holdingOf(on, { commonDir, run, branch });
    const salvage = await shownOf(on, found, holding);
    const [newest] = holding?.layers ?? [];
    const diff =
      given.options["diff"] === undefined || newest === undefined
        ? ""
        : await diffBetween(on, commonDir, [newest.head, newest.tree]);
    const withDiff = given.options["diff"] === undefined ? {} : { diff };
    return {
      exit: EXIT_OK,
      code: "ok",
      message: `what was kept of ${run}`,
      data: () => ({ salvage, ...withDiff }),
      text: () => `${inWords(salvage, door)}${diff === "" ? "" : `\n${diff}`}`,
      next: salvage.restore,
      talk: `  next: ${salvage.restore}\n`,
    } satisfies Answer;
  });
}

async function shownOf(on: On, found: Found, holding: Holding | undefined): Promise<Shown> {
  const { run, row, commonDir, kept } = found;
  const [newest, ...earlier] = holding?.layers ?? [];
  const changes = newest === undefined ? [] : await changesBetween(on, commonDir, [newest.head, newest.tree]);
  const staged =
    newest === undefined || newest.staged === ""
      ? []
      : await changesBetween(on, commonDir, [newest.head, newest.staged]);
  const inIndex = new Set(staged.map(({ name }) => name));
  const isUntracked = ({ status, name }: Change): boolean => status === "A" && !inIndex.has(name);
  return {
    run,
    at: found.at,
    workflow: row?.workflow ?? "",
    goal: row?.goal ?? "",
    status: row?.status ?? "",
    repo: found.repo,
    branch: found.branch,
    base: holding?.base === undefined || holding.base === "" ? found.base : holding.base,
    head: newest?.head ?? "",
    ref: found.ref,
    forgotten: found.forgotten,
    commits: holding?.commits ?? [],
    changed: changes.filter((change) => !isUntracked(change)).map(readable),
    untracked: changes.filter(isUntracked).map((change) => readable(change).name),
    staged: staged.map(readable),
    kept: kept.flatMap((folder) => keptNames(folder)).filter((name) => name !== ".git"),
    keptSize: sizeOf(kept),
    operations: operationsIn(kept),
    snapshots: holding?.snapshots ?? [],
    earlier: earlier.length,
    quarantine: found.aside,
    restore: `signalbox salvage restore ${run}`,
  };
}

function readable({ status, name }: Change): Change {
  return { status, name: Buffer.from(name, "latin1").toString("utf8") };
}

function inWords(salvage: Shown, { paint }: Door): string {
  const facts = [
    ["kept at", sayTime(salvage.at)],
    ["goal", firstLine(salvage.goal)],
    ["repository", salvage.repo],
    ["branch", salvage.branch],
    ["base", salvage.base],
    ["HEAD was", salvage.head],
    ["ref", [salvage.ref, salvage.forgotten].filter((ref) => ref !== "").join(", ")],
    ["in the middle of", salvage.operations.join(", ")],
    ["released before", salvage.earlier === 0 ? "" : `${salvage.earlier} times: in .salvage/earlier`],
  ] as const;
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    paint.bold(salvage.run),
    ...facts.filter(([, value]) => value !== "").map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...section(
      "Commits that no branch has",
      salvage.commits.map(({ oid, subject }) => `${oid.slice(0, 12)} ${firstLine(subject)}`),
    ),
    ...section(
      "Changed",
      salvage.changed.map(({ status, name }) => `${status} ${name}`),
    ),
    ...section("Untracked", salvage.untracked),
    ...section(
      "Staged",
      salvage.staged.map(({ status, name }) => `${status} ${name}`),
    ),
    ...section(`Not held by git (${saySize(salvage.keptSize)})`, salvage.kept),
    ...section("Work as it was at gates", salvage.snapshots),
    ...section(
      "Quarantine",
      salvage.quarantine.map(({ path }) => path),
    ),
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
