/** Workspaces as a list shows them: whose each is, where its branch stands, and what in it is not committed. */

import { existsSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import { unless } from "../files/errno.ts";
import type { Env, Home } from "../home/paths.ts";
import { gitRecords, tryGit } from "./call.ts";
import { defaultBranchOf } from "./default-refs.ts";
import { headIndex, tipOf } from "./head-index.ts";
import { commonDirOf, gitDirOf, registrationOf } from "./locate.ts";
import { isFreeAt } from "./marks.ts";
import { at, isWorkspaceAt, openBench, type Bench, type On } from "./own.ts";
import { branchAt } from "./refs.ts";
import { withScratch } from "./scratch.ts";

export type WorkspaceFacts = {
  /** Of its folder. */
  readonly name: string;
  readonly path: string;
  readonly repo: string;
  /** Empty for none. */
  readonly run: string;
  /** *missing*: nobody has made it yet, or it is gone. *strange*: free, and not as it was left. */
  readonly status: "bound" | "free" | "missing" | "strange";
  /** The branch that the worktree is on; empty where it is on none. */
  readonly branch: string;
  /** Commits that the branch has and the default branch has not, and the other way round. */
  readonly ahead: number;
  readonly behind: number;
  readonly changed: number;
  readonly untracked: number;
};

type Listing = { readonly home: Home; readonly env: Env; readonly store: Store };

/** Those of one project, or of all; also workspaces of runs that have none of a pool. */
export async function listWorkspaces(on: Listing, repo?: string): Promise<readonly WorkspaceFacts[]> {
  const { store, home } = on;
  const above = existsSync(home.worktrees) ? realpathSync(home.worktrees) : home.worktrees;
  const pooled = (repo === undefined ? store.pools() : store.pool(repo)).map((row) => ({
    ...row,
    path: join(above, row.name),
  }));
  const known = new Set(store.pools().map(({ name }) => name));
  const names = unless(["ENOENT"], () => readdirSync(above)) ?? [];
  const others = names
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const row = store.workspaceAt(join(above, name));
      return row === undefined || (repo !== undefined && row.repo !== repo) ? [] : [{ name, ...row }];
    });
  const facts: WorkspaceFacts[] = [];
  for (const { name, path, repo: of, run } of [...pooled, ...others])
    facts.push(await factsOf(on, { name, path, repo: of, run }));
  return facts;
}

type Known = Pick<WorkspaceFacts, "name" | "path" | "repo" | "run">;

async function factsOf(on: Listing, known: Known): Promise<WorkspaceFacts> {
  const nothing = { branch: "", ahead: 0, behind: 0, changed: 0, untracked: 0 };
  const mainDir = gitDirOf(known.repo);
  const gitDir = mainDir === undefined ? undefined : registrationOf(commonDirOf(mainDir), known.path);
  const isHere = gitDir !== undefined && (known.run === "" || isWorkspaceAt(on, known.path));
  if (!isHere) return { ...known, ...nothing, status: "missing" };
  const branch = branchAt(gitDir)?.replace(/^refs\/heads\//, "") ?? "";
  if (known.run === "")
    return { ...known, ...nothing, branch, status: isFreeAt(gitDir) ? "free" : "strange" };
  const bench = await openBench(on, known.path);
  const named = on.store.projectAt(known.repo)?.defaultBranch ?? "";
  return {
    ...known,
    branch,
    ...(await distance(on, bench, defaultBranchOf(known.repo, named) ?? "")),
    ...(await uncommitted(on, bench)),
    status: "bound",
  };
}

async function distance(
  on: On,
  { commonDir, branch }: Bench,
  from: string,
): Promise<Pick<WorkspaceFacts, "ahead" | "behind">> {
  const args = ["rev-list", "--left-right", "--count", `refs/heads/${from}...${branch}`, "--"];
  const answer = await tryGit(on.env, { cwd: commonDir, gitDir: commonDir, args });
  const [behind = 0, ahead = 0] =
    answer.code === 0 ? answer.out.toString("utf8").split("\t").map(Number) : [];
  return { ahead, behind };
}

/** Against the branch, not against what somebody has staged. */
async function uncommitted(on: On, bench: Bench): Promise<Pick<WorkspaceFacts, "changed" | "untracked">> {
  const index = await headIndex(on, bench, await tipOf(on, bench));
  return withScratch(on, async (file) => {
    writeFileSync(file, index.bytes, { mode: 0o600 });
    const call = at(bench, file);
    const [changed, untracked] = await Promise.all([
      gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--modified", "--deduplicate"] }),
      gitRecords(on.env, {
        ...call,
        args: ["ls-files", "-z", "--others", "--exclude-standard", "--directory", "--no-empty-directory"],
      }),
    ]);
    return { changed: changed.length, untracked: untracked.length };
  });
}
