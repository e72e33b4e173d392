/** Where the mirror of a repository is, and the refs of runs in it. The user's repository has none of them, only the run's branch. */

import { join } from "node:path";
import { sha256 } from "../../../format/sha256.ts";
import type { Home } from "../../home/paths.ts";

const RUN = /^[a-z0-9](?:[a-z0-9_-]|\.(?=[a-z0-9_-]))*$/i;

/**
 * *base*: where the run began. *head*: its latest handover. *published*: what the engine last wrote to the branch in the user's
 * repository. *left*: what lay in the workspace, besides the head, when it was released.
 */
export function runRef(run: string, name: "base" | "head" | "published" | "left"): string {
  return `refs/runs/${run}/${name}`;
}

/** What an earlier release of the same run left. */
export function earlierRef(run: string, commit: string): string {
  return `refs/runs/${run}/earlier/${commit}`;
}

/** The handover of a tree. */
export function workRef(run: string, tree: string): string {
  return `refs/runs/${run}/work/${tree}`;
}

/** The default branch of a project as it was fetched last. */
export function upstreamRef(branch: string): string {
  return `refs/upstream/${branch}`;
}

/** A name of a run becomes part of paths and refs. */
function isRunName(run: string): boolean {
  return RUN.test(run) && !run.endsWith(".lock");
}

export function refuseRunName(run: string): void {
  if (!isRunName(run)) throw new Error(`${JSON.stringify(run)} cannot be the name of a run`);
}

/** The mirror's path; it need not exist yet. */
export function mirrorOf(home: Pick<Home, "mirrors">, repo: string): string {
  return join(home.mirrors, `${sha256(repo).slice(0, 32)}.git`);
}

/**
 * Names that git takes for branches, without asking it.
 *
 * The rules are those of `git check-ref-format --branch`, and three more: a name of ours becomes a file's name, no option of a
 * command, and no second path of refs, which `refs/heads/x` would be: git takes a branch `heads/main` for `main` wherever people name
 * it. A test compares them with git's own answer.
 */

const FILE_NAME_MAX = 240;

/** A name is refused for one of these. */
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u0020\u007F~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/;

const SECOND_PATH = /^(?:refs|heads|tags|remotes)\//;

/** Git takes some of these names for branches, and they mislead whoever types them. */
export function isMisleading(name: string): boolean {
  return name === "@" || name === "HEAD" || name.startsWith("-") || SECOND_PATH.test(name);
}

export function isBranchName(name: string): boolean {
  if (name === "" || isMisleading(name) || UNFIT.test(name)) return false;
  return name
    .split("/")
    .every(
      (part) => !part.startsWith(".") && !part.endsWith(".lock") && Buffer.byteLength(part) <= FILE_NAME_MAX,
    );
}

/** Of two names one of which is a folder of the other, git can keep only one. */
export function isInTheWay(name: string, other: string): boolean {
  return name !== other && (name.startsWith(`${other}/`) || other.startsWith(`${name}/`));
}
