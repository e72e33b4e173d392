/**
 * Everything that was kept, by the run that it belongs to: refs of repositories, folders of files that git does not hold, quarantine.
 *
 * The world is asked, not the registry: what was kept is there also where a release was cut short, or the journal is lost.
 */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { commonDirOf, gitDirOf } from "../../adapters/git/locate.ts";
import type { On } from "../../adapters/git/own.ts";
import { salvageRefs, type SalvageRef } from "../../adapters/git/salvaged.ts";
import { runFolders } from "../../adapters/home/paths.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { holdsMore } from "./kept-names.ts";

export type Found = {
  readonly run: string;
  /** Undefined where the journal does not know it. */
  readonly row: RunRow | undefined;
  /** Empty where nobody knows it. */
  readonly repo: string;
  /** Where git keeps what all worktrees share; empty where the repository is gone. */
  readonly commonDir: string;
  readonly branch: string;
  readonly base: string;
  /** Empty where there is none. */
  readonly ref: string;
  /** Commits that only a log of git's knew. */
  readonly forgotten: string;
  /** The newest work at a gate that stands on commits that no branch has. */
  readonly stranded: string;
  readonly kept: readonly string[];
  readonly aside: readonly Aside[];
  /** When the newest of it was kept. */
  readonly at: string;
};

export type Aside = { readonly path: string; readonly reason: string; readonly at: string };

export type Looking = {
  readonly on: On;
  readonly store: Store | undefined;
  /** Only of this repository; it is looked into also where no run of it is known. */
  readonly repo?: string;
  /** These too, where no run of them is known. */
  readonly also?: readonly string[];
};

const MISSING = ["ENOENT", "ENOTDIR"];
const ALL = 1_000_000;

export type Everything = {
  /** The newest first. */
  readonly found: readonly Found[];
  /** In quarantine, of no run that is known. */
  readonly others: readonly Aside[];
};

export async function findAll({ on, store, repo: only, also = [] }: Looking): Promise<Everything> {
  const rows = new Map((store?.list({ limit: ALL, hidden: true }).rows ?? []).map((row) => [row.id, row]));
  const known = [...rows.values()].map(({ repo }) => repo);
  const repos = new Set(only === undefined ? [...known, ...also] : [only]);
  const pieces = new Map<string, Piece[]>();
  const add = (run: string, piece: Piece): void => {
    pieces.set(run, [...(pieces.get(run) ?? []), piece]);
  };
  for (const repo of repos)
    for (const { run, kind, ref, at } of await refsIn(on, repo)) add(run, { type: kind, repo, ref, at });
  for (const run of namesIn(join(on.home.root, "runs"))) {
    const path = runFolders(on.home, run).kept;
    if (holdsMore(path)) add(run, { type: "kept", path, at: changedAt(path) });
  }
  const asides = asidesIn(on);
  const runs = new Set([...rows.keys(), ...pieces.keys()]);
  const owned = new Map(asides.map((aside) => [aside, ownerOf(aside, { runs, on })]));
  for (const [aside, run] of owned) if (run !== "") add(run, { type: "aside", ...aside });
  const found = [...pieces]
    .map(([run, all]) => foundOf({ run, row: rows.get(run), all, store, on }))
    .filter(({ repo }) => only === undefined || repo === only);
  return {
    found: found.toSorted((a, b) => (a.at === b.at ? (a.run < b.run ? -1 : 1) : a.at < b.at ? 1 : -1)),
    others: only === undefined ? asides.filter((aside) => owned.get(aside) === "") : [],
  };
}

type Piece =
  | {
      readonly type: SalvageRef["kind"];
      readonly repo: string;
      readonly ref: string;
      readonly at: string;
    }
  | { readonly type: "kept"; readonly path: string; readonly at: string }
  | ({ readonly type: "aside" } & Aside);

type Gathered = Pick<Looking, "on" | "store"> & {
  readonly run: string;
  readonly row: RunRow | undefined;
  readonly all: readonly Piece[];
};

function foundOf({ run, row, all, store, on }: Gathered): Found {
  const refs = all.flatMap((piece) => (piece.type === "kept" || piece.type === "aside" ? [] : [piece]));
  const repo = row?.repo ?? refs[0]?.repo ?? "";
  const mainDir = repo === "" ? undefined : gitDirOf(repo);
  const workspace = store?.workspace(run);
  const ofDoctor = workspace?.kept ?? "";
  const isApart =
    ofDoctor !== "" &&
    ofDoctor !== runFolders(on.home, run).kept &&
    !ofDoctor.startsWith(on.home.quarantine + sep) &&
    namesIn(ofDoctor).length > 0;
  return {
    run,
    row,
    repo,
    commonDir: mainDir === undefined ? "" : commonDirOf(mainDir),
    branch: workspace?.branch ?? "",
    base: workspace?.base ?? row?.base ?? "",
    ref: refs.find(({ type }) => type === "salvage")?.ref ?? "",
    forgotten: refs.find(({ type }) => type === "forgotten")?.ref ?? "",
    stranded: refs.findLast(({ type }) => type === "stranded")?.ref ?? "",
    kept: [
      ...all.flatMap((piece) => (piece.type === "kept" ? [piece.path] : [])),
      ...(isApart ? [ofDoctor] : []),
    ],
    aside: all.flatMap((piece) =>
      piece.type === "aside" ? [{ path: piece.path, reason: piece.reason, at: piece.at }] : [],
    ),
    at: all.map(({ at }) => at).reduce((a, b) => (a > b ? a : b), ""),
  };
}

async function refsIn(on: On, repo: string): ReturnType<typeof salvageRefs> {
  const mainDir = gitDirOf(repo);
  return mainDir === undefined ? [] : salvageRefs(on, commonDirOf(mainDir));
}

/** What lies in the quarantine, without the files that say why. */
function asidesIn({ home }: On): readonly Aside[] {
  const names = namesIn(home.quarantine);
  return names
    .filter((name) => !(name.endsWith(".reason.txt") && names.includes(name.slice(0, -".reason.txt".length))))
    .map((name) => {
      const path = join(home.quarantine, name);
      const reason = textAt(`${path}.reason.txt`) ?? textAt(join(path, "reason.txt")) ?? "";
      return { path, reason: reason.trim(), at: changedAt(path) };
    });
}

/** By its name, or by the reason that is told beside it. */
function ownerOf(
  { path, reason }: Aside,
  { runs, on }: Pick<Looking, "on"> & { readonly runs: ReadonlySet<string> },
): string {
  const name = path.slice(on.home.quarantine.length + 1).replace(/~\d+$/, "");
  const bare = name
    .replace(/^(?:worktree|registration|git|checkout|reuse)-/, "")
    .replace(/^\d{4}-\d\d-\d\dT\d{6}Z-/, "");
  if (runs.has(bare)) return bare;
  const said = /\brun ([A-Za-z0-9_.-]*[A-Za-z0-9_-])/.exec(reason)?.[1] ?? "";
  return runs.has(said) ? said : "";
}

function namesIn(folder: string): readonly string[] {
  return (unless(MISSING, () => readdirSync(folder)) ?? []).toSorted();
}

function textAt(file: string): string | undefined {
  return unless([...MISSING, "EISDIR", "EACCES"], () => readFileSync(file, "utf8"));
}

function changedAt(path: string): string {
  return unless(MISSING, () => statSync(path).mtime.toISOString()) ?? "";
}
