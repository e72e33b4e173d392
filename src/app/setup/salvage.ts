/** What runs left when their workspaces were released, and how to get it back. */

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { codeOf } from "../../adapters/files/errno.ts";
import { operationIn } from "../../adapters/git/delivery/user-checkout.ts";
import { gitDirOf } from "../../adapters/git/repository/locate.ts";
import type { Git } from "../../adapters/git/workspace/bench.ts";
import {
  changesLeft,
  diffLeft,
  lastLeft,
  strandedCommits,
  type LeftChange,
} from "../../adapters/git/salvage/salvaged.ts";
import type { Looking, Reading } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { requireHome } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { repoMeant } from "./project-named.ts";
import {
  findSalvages,
  keptFiles,
  keptGits,
  quarantined,
  salvageNamed,
  type Salvage,
} from "./salvage-find.ts";

type SalvageRow = DataOf<"salvages">["salvages"][number];
type SalvageView = DataOf<"salvage">["salvage"];
type KeptSize = SalvageRow["keptSize"];

/** Looked into at the same time. */
const AT_ONCE = 4;
const FILES_MAX = 20_000;

/** The newest first. */
export async function listSalvages(
  { door, store }: Looking,
  { limit, ...scope }: InputOf<"salvages">,
): Promise<Outcome<DataOf<"salvages">>> {
  const on: Git = { home: requireHome(door), env: door.env };
  const repo = await repoMeant(store, scope, door);
  const found = await findSalvages({ on, store, ...(repo === undefined ? {} : { repo }) });
  const shown = found.slice(0, limit);
  const rows: SalvageRow[] = [];
  for (let from = 0; from < shown.length; from += AT_ONCE)
    rows.push(...(await Promise.all(shown.slice(from, from + AT_ONCE).map((each) => rowOf(on, each)))));
  const more = found.length - shown.length;
  const elsewhere = repo === undefined ? "" : "signalbox salvage list --all";
  const [first] = rows;
  const message =
    first === undefined
      ? "no run left anything: everything is on branches"
      : `what ${rows.length} ${rows.length === 1 ? "run" : "runs"} left${more > 0 ? `, and ${more} more` : ""}`;
  return success(
    message,
    { salvages: rows, quarantine: repo === undefined ? quarantined(on) : [], more },
    {
      next: first === undefined ? elsewhere : `signalbox salvage show ${first.run}`,
      notes: [
        ...(first === undefined ? [message] : []),
        ...(more > 0 ? [`${more} more: --limit ${rows.length + more}`] : []),
      ],
    },
  );
}

/** What both the list and the screen of one salvage say, with what is counted in the one and shown in the other. */
async function lookInto(on: Git, found: Salvage) {
  const { run, at, row, repo, branch, mirror, refs } = found;
  const left = lastLeft(refs);
  const files = keptFiles(found.kept);
  const { workflow = "", goal = "", status = "" } = row ?? {};
  return {
    about: { run, at, workflow, goal, status, repo, branch, left, keptSize: sizeOf(files) },
    changed: refs === undefined || left === "" ? [] : await changesLeft(on, { mirror, refs }),
    commitsOf: async () => (refs === undefined ? [] : strandedCommits(on, { mirror, repo, refs })),
    files,
    git: keptGits(found.kept),
  };
}

async function rowOf(on: Git, salvage: Salvage): Promise<SalvageRow> {
  const { about, changed, commitsOf, git } = await lookInto(on, salvage);
  return {
    ...about,
    files: changed.length,
    commits: salvage.isStranded ? (await commitsOf()).length : 0,
    kept: salvage.kept.map(({ folder }) => folder),
    git: git.length > 0,
  };
}

export async function viewSalvage(
  { door, store }: Looking,
  { run: word, diff: isAsked }: InputOf<"salvage">,
): Promise<Outcome<DataOf<"salvage">>> {
  const on: Git = { home: requireHome(door), env: door.env };
  const found = await salvageNamed({ on, store, door }, word);
  const { mirror, refs } = found;
  const view = await viewOf(on, found);
  const hasDiff = isAsked && refs !== undefined && view.left !== "";
  const diff = hasDiff ? await diffLeft(on, { mirror, refs }) : "";
  const data = { salvage: view, ...(isAsked ? { diff } : {}) };
  return success(`what run ${found.run} left`, data, { next: view.restore });
}

async function viewOf(on: Git, found: Salvage): Promise<SalvageView> {
  const { mirror, refs } = found;
  const { about, changed, commitsOf, files, git } = await lookInto(on, found);
  const { run, repo, left } = about;
  const commits = await commitsOf();
  const isFetched = repo !== "" && (left !== "" || commits.length > 0);
  return {
    ...about,
    mirror,
    base: refs?.base ?? "",
    head: refs?.head ?? "",
    changed: changed.map(readable),
    commits,
    kept: files.map((file) => basename(file)),
    git,
    operation: git.map(operationIn).find((name) => name !== "") ?? "",
    fetch: isFetched
      ? `git -C '${repo}' fetch '${mirror}' ${left === "" ? refs?.head : left}:refs/heads/salvage-${run}`
      : "",
    restore: `signalbox salvage restore ${run}`,
  };
}

function readable({ status, name }: LeftChange): LeftChange {
  return { status, name: Buffer.from(name, "latin1").toString("utf8") };
}

/** A person gets back everything that a run left, in a new folder. */
export async function restoreSalvage(
  { door, store }: Reading,
  { run: word, folder: named }: InputOf<"restore-salvage">,
): Promise<Outcome<DataOf<"restore-salvage">>> {
  const on: Git = { home: requireHome(door), env: door.env };
  const { run, mirror, refs, kept } = await salvageNamed({ on, store, door }, word);
  const folder = resolve(door.cwd, named ?? `salvage-${run}`);
  const { restore } = await import("../../adapters/git/salvage/restore.ts");
  const { files, left } = await restore(on, {
    folder,
    mirror,
    kept,
    left: lastLeft(refs),
    head: refs?.head ?? "",
  });
  const isInside = gitDirOf(door.cwd) !== undefined && folder.startsWith(`${door.cwd}/`);
  const git = `${folder}/.salvage/git`;
  return success(
    `${files} files of ${run} are in ${folder}`,
    { restored: { run, folder, files, left } },
    {
      notes: [
        ...(existsSync(git) ? [`the .git of its workspace: ${git}`] : []),
        ...left.map((what) => `left where it is: ${what}`),
        ...(isInside ? ["it is in a working tree of git, which shows it as untracked"] : []),
      ],
    },
  );
}

/** How much lies in a folder. Links are not followed, and counting stops where it would take long. */
function sizeOf(paths: readonly string[]): KeptSize {
  const size = { files: 0, bytes: 0, more: false };
  const open: Buffer[] = paths.map((path) => Buffer.from(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (size.files >= FILES_MAX) return { ...size, more: true };
    try {
      const stat = lstatSync(path);
      if (stat.isDirectory()) {
        for (const name of readdirSync(path, { encoding: "buffer" }))
          open.push(Buffer.concat([path, Buffer.from("/"), name]));
        continue;
      }
      size.files += 1;
      size.bytes += stat.size;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      // It went away, or is closed to us: it is there to be told of, not to be counted.
      size.more = true;
    }
  }
  return size;
}
