/** Workspaces that the journal knows and that are not there any more as what they were: folder, working tree or repository is gone. */

import { namesIn } from "./home.ts";
import { basename, join } from "node:path";
import { gitDirOf, isThere } from "../git/locate.ts";
import { isWorkspaceAt } from "../git/own.ts";
import type { Home } from "../home/paths.ts";
import type { Database } from "../store/database.ts";
import { text } from "../store/row.ts";
import { REPAIR, some, type Finding } from "./finding.ts";

export type LostWorkspace = {
  readonly run: string;
  readonly path: string;
  readonly repo: string;
  /** Something still lies in its place. */
  readonly isFilled: boolean;
  /** Without it nothing can be made again. */
  readonly hasRepository: boolean;
};

export function lostWorkspaces(home: Home, db: Database): readonly LostWorkspace[] {
  // A checkout that is gone is a person's own: nobody makes it again, and nobody takes away what lies there.
  const rows = db.all(
    "SELECT run, path, repo FROM workspaces WHERE status = 'bound' AND path <> repo ORDER BY run",
  );
  return rows
    .map((row) => ({ run: text(row["run"]), path: text(row["path"]), repo: text(row["repo"]) }))
    .filter(({ path }) => !isWorkspaceAt({ home }, path))
    .map((row) => ({
      ...row,
      isFilled: isThere(row.path),
      hasRepository: gitDirOf(row.repo) !== undefined,
    }));
}

export function workspacesOf(home: Home, db: Database): readonly Finding[] {
  const lost = lostWorkspaces(home, db).map(lostFinding);
  const bound = new Set([
    ...db.all("SELECT path FROM workspaces WHERE status = 'bound'").map((row) => basename(text(row["path"]))),
    // Those that wait for the next run.
    ...db.all("SELECT name FROM pool").map((row) => text(row["name"])),
  ]);
  const strange = namesIn(home.worktrees).filter((name) => !bound.has(name));
  if (strange.length === 0) return lost;
  const said = `${strange.length} of ${strange.length + bound.size} folders belong to no run that is under way: ${some(strange)}`;
  const [first = ""] = strange;
  const next = `look into it, then: git worktree remove ${join(home.worktrees, first)}`;
  return [...lost, { status: "note", name: "workspaces", text: `${home.worktrees}: ${said}`, next }];
}

function lostFinding({ run, path, repo, isFilled, hasRepository }: LostWorkspace): Finding {
  const what = isFilled ? `${path} is no working tree of git any more` : path;
  const said = `the workspace of run ${run} is gone: ${what}`;
  const finding = { status: "problem", name: "workspaces" } as const;
  if (hasRepository) return { ...finding, text: said, next: REPAIR };
  return {
    ...finding,
    text: `${said}; its repository ${repo} was moved or is gone`,
    next: `put ${repo} back; if it is gone, give the workspace up: ${REPAIR}`,
  };
}
