/**
 * What runs left when their workspaces were released: refs of the mirrors, and folders of kept files.
 *
 * Mirrors and folders are asked, not the journal: what was left is found also where a release was cut short or the journal is lost.
 */

import { filtered } from "../../engine/lists.ts";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { GitError } from "../../adapters/git/call/call.ts";
import { isFolder, isThere } from "../../adapters/git/repository/locate.ts";
import { mirrorOf } from "../../adapters/git/mirror/names.ts";
import type { Git } from "../../adapters/git/workspace/bench.ts";
import { keptWorkspaces, type KeptWorkspace } from "../../adapters/git/salvage/release.ts";
import { refsOfRuns, type RunRefs } from "../../adapters/git/mirror/run-refs.ts";
import { lastLeft, offBranches } from "../../adapters/git/salvage/salvaged.ts";
import { runFolders } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation } from "../invocation.ts";
import { repoHere } from "./project-named.ts";

export type Salvage = {
  readonly run: string;
  /** Undefined where the journal does not know the run. */
  readonly row: RunRow | undefined;
  /** Empty where nothing says which it was. */
  readonly repo: string;
  /** The run's branch in the user's repository; empty where it is not known. */
  readonly branch: string;
  readonly mirror: string;
  /** Undefined where the mirror has nothing of the run. */
  readonly refs: RunRefs | undefined;
  /** The newest handover is on no branch of the user's repository. */
  readonly isStranded: boolean;
  /** The newest first. */
  readonly kept: readonly KeptWorkspace[];
  /** When the newest of it was left. */
  readonly at: string;
};

export type Searching = {
  readonly on: Git;
  readonly store: Store | undefined;
  /** Only of this repository. */
  readonly repo?: string;
};

const MISSING = ["ENOENT", "ENOTDIR"];
const ALL = 1_000_000;
const LISTED = 10;

/** The newest first. */
export async function findSalvages({ on, store, repo: only }: Searching): Promise<readonly Salvage[]> {
  const rows = new Map(
    ((await store?.list({ limit: ALL, hidden: true }))?.rows ?? []).map((row) => [row.id, row]),
  );
  const found = new Map<string, Salvage>();
  const repos = new Set([
    ...[...rows.values()].map(({ repo }) => repo),
    ...(only === undefined ? [] : [only]),
  ]);
  const repoOf = new Map([...repos].map((repo) => [mirrorOf(on.home, repo), repo]));
  const about = async (run: string, mirror: string): Promise<Omit<Salvage, "refs" | "isStranded" | "at">> => {
    const row = rows.get(run);
    const repo = row?.repo ?? repoOf.get(mirror) ?? "";
    const kept = keptWorkspaces(runFolders(on.home, run).kept).toReversed();
    return { run, row, repo, mirror, kept, branch: (await store?.workspace(run))?.branch ?? "" };
  };
  for (const name of namesIn(on.home.mirrors).filter((each) => each.endsWith(".git"))) {
    const mirror = join(on.home.mirrors, name);
    if (only !== undefined && repoOf.get(mirror) !== only) continue;
    for (const { refs, isStranded } of await refsIn(on, { mirror, repo: repoOf.get(mirror) ?? "", store })) {
      const own = await about(refs.run, mirror);
      if (lastLeft(refs) !== "" || isStranded || own.kept.length > 0)
        found.set(refs.run, { ...own, refs, isStranded, at: leftAt(own, [refs.at]) });
    }
  }
  for (const run of namesIn(join(on.home.root, "runs"))) {
    const row = rows.get(run);
    const own = await about(run, row === undefined ? "" : mirrorOf(on.home, row.repo));
    if (found.has(run) || own.kept.length === 0 || (only !== undefined && own.repo !== only)) continue;
    found.set(run, { ...own, refs: undefined, isStranded: false, at: leftAt(own, []) });
  }
  return [...found.values()].toSorted((a, b) =>
    a.at === b.at ? (a.run < b.run ? -1 : 1) : a.at < b.at ? 1 : -1,
  );
}

/** When the run ended; of a run that the journal does not know, the time of what it left. Commits know only whole seconds. */
function leftAt({ row, kept }: Pick<Salvage, "row" | "kept">, times: readonly string[]): string {
  return row?.updatedAt ?? latest([...times, ...kept.map(timeOf)]);
}

type Mirror = Pick<Searching, "store"> & { readonly mirror: string; readonly repo: string };

/** Work that is still in its workspace is not left by anybody. */
async function refsIn(
  on: Git,
  { mirror, repo, store }: Mirror,
): Promise<readonly { readonly refs: RunRefs; readonly isStranded: boolean }[]> {
  const all = await readable(() => refsOfRuns(on, mirror), []);
  const isOver = async ({ run, head, base }: RunRefs): Promise<boolean> =>
    head !== "" && head !== base && (await store?.workspace(run))?.status !== "bound";
  const heads = (await filtered(all, isOver)).map(({ head }) => head);
  const off = await readable(() => offBranches(on, repo, heads), new Set(heads));
  return Promise.all(
    all.map(async (refs) => ({ refs, isStranded: (await isOver(refs)) && off.has(refs.head) })),
  );
}

/** A mirror or a repository that is damaged is no reason to show nothing: `doctor` reports it. */
async function readable<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GitError || error instanceof UserError) return otherwise;
    throw error;
  }
}

function timeOf({ folder }: KeptWorkspace): string {
  return changedAt(folder);
}

function latest(times: readonly string[]): string {
  return times.reduce((a, b) => (a > b ? a : b), "");
}

/** What was kept at the top of the folders, without the `.git` of the workspace. */
export function keptFiles(kept: readonly KeptWorkspace[]): readonly string[] {
  return kept.flatMap(({ folder }) => {
    if (!isFolder(folder)) return [folder];
    return namesIn(folder).flatMap((name) => (name === ".git" ? [] : [join(folder, name)]));
  });
}

/** The `.git` of workspaces that was kept: stashes, commits that were taken back, interrupted operations. */
export function keptGits(kept: readonly KeptWorkspace[]): readonly string[] {
  return kept.map(({ folder }) => join(folder, ".git")).filter((path) => isThere(path));
}

export type SalvageNaming = {
  readonly on: Git;
  readonly store: Store | undefined;
  readonly door: Invocation;
};

/** By the run, the beginning of its name, or its branch in the repository that the caller is in. */
export async function salvageNamed({ on, store, door }: SalvageNaming, word: string): Promise<Salvage> {
  const here = await repoHere(store, door);
  const found = await findSalvages({ on, store });
  const named = word === "" ? [] : found;
  const begun = named.filter(({ run }) => run.startsWith(word));
  const like =
    begun.length > 0 ? begun : named.filter(({ repo, branch }) => repo === here && branch === word);
  const exact = like.find(({ run }) => run === word) ?? (like.length === 1 ? like[0] : undefined);
  if (exact !== undefined) return exact;
  if (like.length > 1) {
    const runs = like.slice(0, LISTED).map(({ run }) => run);
    throw new UserError(
      "ambiguous-run",
      `"${word}" may be ${runs.join(", ")}${like.length > LISTED ? " and more" : ""}`,
      begun.length > 0 ? "give more of its name" : "give the run's own name",
    );
  }
  throw await unknown(word, { store, found });
}

async function unknown(
  word: string,
  { store, found }: { readonly store: Store | undefined; readonly found: readonly Salvage[] },
): Promise<UserError> {
  const next = "signalbox salvage list --all";
  const [run] = word === "" ? [] : ((await store?.idsLike(word, 1)) ?? []);
  const workspace = run === undefined ? undefined : await store?.workspace(run);
  if (run !== undefined && workspace?.status === "bound")
    return new UserError(
      "no-salvage",
      `Run ${run} left nothing yet: its work is still in ${workspace.path}.`,
      `signalbox show ${run}`,
    );
  if (run !== undefined)
    return new UserError("no-salvage", `Run ${run} left nothing: all its work is on its branch.`, next);
  const near = closest(
    word,
    found.map((each) => each.run),
  );
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new UserError("unknown-salvage", `No run "${word}" left anything.${hint}`, next);
}

export type Quarantined = { readonly path: string; readonly reason: string; readonly at: string };

/** What lies in the quarantine, without the files that say why. */
export function quarantined({ home }: Git): readonly Quarantined[] {
  const names = namesIn(home.quarantine);
  return names
    .filter((name) => !(name.endsWith(".reason.txt") && names.includes(name.slice(0, -".reason.txt".length))))
    .map((name) => {
      const path = join(home.quarantine, name);
      const reason = textAt(`${path}.reason.txt`) ?? textAt(join(path, "reason.txt")) ?? "";
      return { path, reason: reason.trim(), at: changedAt(path) };
    });
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
