/** Workspaces that the journal knows and that cannot be worked in: the folder, its `.git`, the mirror or the repository is gone. */

import { basename, join } from "node:path";
import { gitDirOf, isFolder, isThere } from "../git/repository/locate.ts";
import { isMirror } from "../git/mirror/mirror.ts";
import { mirrorOf } from "../git/mirror/names.ts";
import { isWorkspaceAt } from "../git/workspace/bench.ts";
import type { Home } from "../home/paths.ts";
import type { Database } from "../store/database.ts";
import { text } from "../store/row.ts";
import { note, problem, REPAIR, some, type Finding } from "./finding.ts";
import { namesIn } from "./home.ts";

export type LostWorkspace = {
  readonly run: string;
  readonly path: string;
  readonly repo: string;
  /** What is gone, in a sentence. */
  readonly reason: string;
  readonly hasMirror: boolean;
  /** Without it the workspace cannot be made again. */
  readonly hasRepository: boolean;
};

export function lostWorkspaces(home: Home, db: Database): readonly LostWorkspace[] {
  // In place, the checkout is the user's own.
  const rows = db.all(
    "SELECT run, path, repo FROM workspaces WHERE status = 'bound' AND path <> repo ORDER BY run",
  );
  return rows.flatMap((row): LostWorkspace[] => {
    const [run, path, repo] = [text(row["run"]), text(row["path"]), text(row["repo"])];
    const hasMirror = isMirror(mirrorOf(home, repo));
    const hasRepository = gitDirOf(repo) !== undefined;
    const reason = reasonOf(home, { path, repo, hasMirror, hasRepository });
    return reason === "" ? [] : [{ run, path, repo, reason, hasMirror, hasRepository }];
  });
}

function reasonOf(
  home: Home,
  { path, repo, hasMirror, hasRepository }: Omit<LostWorkspace, "run" | "reason">,
): string {
  if (!hasRepository) return `its repository ${repo} was moved or is gone`;
  if (!hasMirror) return `the mirror ${mirrorOf(home, repo)} is missing or damaged`;
  if (!isThere(path)) return `${path} is gone`;
  if (!isWorkspaceAt({ home }, path)) return `${path} is not the workspace that was made there`;
  return isFolder(join(path, ".git")) ? "" : `${path} has no .git any more`;
}

export function workspacesOf(home: Home, db: Database): readonly Finding[] {
  const unusable = lostWorkspaces(home, db);
  const lost = [...unusable.map(lostFinding), ...heldUp(db, new Set(unusable.map(({ run }) => run)))];
  const bound = new Set(
    db
      .all("SELECT path FROM workspaces WHERE status <> 'released'")
      .map((row) => basename(text(row["path"]))),
  );
  const strange = namesIn(home.workspaces).filter((name) => !bound.has(name));
  if (strange.length === 0) return lost;
  const said = `${strange.length} of ${strange.length + bound.size} folders belong to no run that is under way: ${some(strange)}`;
  const next = "signalbox workspace gc --all, then look into what it leaves";
  return [...lost, note("workspaces", `${home.workspaces}: ${said}`, next)];
}

/** Runs with a workspace that the supervisor could not go on with, for example because git cannot read a file of the work. */
function heldUp(db: Database, lost: ReadonlySet<string>): readonly Finding[] {
  const rows = db.all(
    "SELECT runs.id, runs.attention FROM runs JOIN workspaces ON workspaces.run = runs.id WHERE workspaces.status = 'bound' AND runs.attention <> '' ORDER BY runs.id",
  );
  return rows.flatMap((row): Finding[] => {
    const run = text(row["id"]);
    const reason = `run ${run} needs attention: ${text(row["attention"])}`;
    return lost.has(run) ? [] : [problem("workspaces", reason, `signalbox show ${run}`)];
  });
}

function lostFinding({ run, repo, reason, hasRepository }: LostWorkspace): Finding {
  const next = hasRepository ? REPAIR : `move ${repo} back; if it is gone, release the workspace: ${REPAIR}`;
  return problem("workspaces", `the workspace of run ${run} cannot be used: ${reason}`, next);
}
