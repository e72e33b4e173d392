/**
 * A private clone: a work tree with a `.git` of its own that borrows objects from the mirror.
 *
 * It is written file by file and checked out with the bench, which is quicker than `git clone` and runs nothing. From then on it
 * belongs to its agents, and the engine never runs git on it. It carries over what people rely on: branches, remote branches
 * and tags for reading, remotes (pushing is off), exclude rules, hooks that the user has put in place, sparse checkout, and the user's
 * identity.
 */

import { copyFileSync, cpSync, existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { makeFolder } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { gitBytes, tryGit, type GitCall } from "../call/call.ts";
import { inMirror } from "../mirror/mirror.ts";
import { configText, entriesOf, type RepositorySettings } from "../repository/settings.ts";
import { noteSkipped } from "../snapshot/head-index.ts";
import { at, rulesOf, type Bench, type Git } from "./bench.ts";

export type Cloning = {
  /** Where it is made; its bench may be for another path, which it is moved to when it is whole. */
  readonly folder: string;
  readonly commit: string;
  /** The branch to be on; empty for a detached HEAD. */
  readonly branch: string;
  readonly settings: RepositorySettings;
};

const FAILED = 1;
const CHECKOUT_MS = 30 * 60_000;
/** Git says of it that it is not a repository. */
const PUSH_OFF = "file:///pushing-is-off-in-workspaces";

export async function makeClone(on: Git, bench: Bench, cloning: Cloning): Promise<void> {
  const { folder, commit, branch } = cloning;
  makeFolder(folder);
  const dot = join(folder, ".git");
  for (const name of ["", "objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    mkdirSync(join(dot, name), { recursive: true });
  const head = branch === "" ? `${commit}\n` : `ref: refs/heads/${branch}\n`;
  writeFileSync(join(dot, "HEAD"), head);
  writeFileSync(join(dot, "objects/info/alternates"), `${join(bench.mirror, "objects")}\n`);
  writeFileSync(join(dot, "config"), configOf(cloning.settings));
  writeFileSync(join(dot, "info/exclude"), rulesOf(bench));
  if (cloning.settings.sparse !== undefined)
    writeFileSync(join(dot, "info/sparse-checkout"), cloning.settings.sparse);
  unless(["ENOENT"], () => copyFileSync(join(bench.mirror, "shallow"), join(dot, "shallow")));
  await writeRefs(on, bench, { dot, branch, commit, remotes: cloning.settings.remotes });
  copyHooks(cloning.settings, join(dot, "hooks"));
  await checkOut(on, { ...bench, path: folder }, { dot, commit });
}

type Refs = Pick<Cloning, "branch" | "commit"> & {
  readonly dot: string;
  readonly remotes: RepositorySettings["remotes"];
};

/** All refs in one file. The ref of the clone's own branch is this run's, and not the one of the user's repository. */
export async function writeRefs(
  on: Git,
  { mirror }: Pick<Bench, "mirror">,
  { dot, branch, commit, remotes }: Refs,
): Promise<void> {
  const format = "--format=%(objectname) %(refname)";
  const args = ["for-each-ref", format, "refs/heads", "refs/remotes", "refs/tags"];
  const listed = (await gitBytes(on.env, { ...inMirror(mirror), args })).toString("latin1").split("\n");
  const own = branch === "" ? [] : [`${commit} ${Buffer.from(`refs/heads/${branch}`).toString("latin1")}`];
  // A remote's HEAD is a symbolic ref, of which the mirror only knows the commit.
  const heads = remotes.filter(({ head }) => head !== "");
  const without = new Set([
    ...own.map((line) => line.slice(commit.length)),
    ...heads.map(({ name }) => ` ${Buffer.from(`refs/remotes/${name}/HEAD`).toString("latin1")}`),
  ]);
  const others = listed.filter((line) => line !== "" && !without.has(line.slice(line.indexOf(" "))));
  writeFileSync(join(dot, "packed-refs"), [...others, ...own].map((line) => `${line}\n`).join(""), "latin1");
  for (const { name, head } of heads) {
    mkdirSync(join(dot, "refs/remotes", name), { recursive: true });
    writeFileSync(join(dot, "refs/remotes", name, "HEAD"), `ref: ${head}\n`);
  }
}

function configOf({ format, remotes, hooksPath, user }: RepositorySettings): string {
  return configText([
    [
      "core",
      [
        ...entriesOf(format, "core"),
        ["bare", "false"],
        ["logAllRefUpdates", "true"],
        ...(hooksPath === "" ? [] : [["hooksPath", hooksPath] as const]),
      ],
    ],
    ["extensions", entriesOf(format, "extensions")],
    ["user", Object.entries(user).filter(([, value]) => value !== "")],
    ["gc", [["auto", "0"]]],
    ...remotes.map(
      ({ name, url, fetch }) =>
        [
          `remote ${name}`,
          [["url", url], ...fetch.map((spec) => ["fetch", spec] as const), ["pushurl", PUSH_OFF]],
        ] as const,
    ),
  ]);
}

/** Hooks of the repository's own folder, with the files that they use. */
function copyHooks({ hooks, hooksPath }: RepositorySettings, to: string): void {
  if (hooksPath !== "" || !existsSync(hooks)) return;
  const filter = (file: string): boolean => {
    const stat = lstatSync(file);
    return !file.endsWith(".sample") && (stat.isFile() || stat.isDirectory() || stat.isSymbolicLink());
  };
  cpSync(hooks, to, { recursive: true, filter });
}

async function checkOut(
  on: Git,
  bench: Bench,
  { dot, commit }: { readonly dot: string; readonly commit: string },
): Promise<void> {
  const index = join(dot, "index");
  const call: Omit<GitCall, "args"> = { ...at(bench, index), limitMs: CHECKOUT_MS };
  const answer = await tryGit(on.env, { ...call, args: ["read-tree", "-m", "-u", commit] });
  if (answer.code !== 0) throw notCheckedOut(commit, answer.err);
  await noteSkipped(on, bench, index);
}

/** Most likely a filter of the user's own, such as Git LFS without its program or without what it would fetch. */
function notCheckedOut(commit: string, err: string): UserError {
  const why = err.trim().split("\n").join("; ");
  return new UserError("checkout-failed", `The commit ${commit.slice(0, 12)} cannot be checked out: ${why}`, {
    next: "git config --show-origin --get-regexp '^filter'",
    exit: FAILED,
  });
}
