/**
 * What runs left in git: the work that no handover has, and handovers that are on no branch of the user's repository.
 *
 * The mirror is asked for the commits and the user's repository for its branches, so that everything can be read also where the
 * repository is gone.
 */

import { git, gitRecords, tryGit } from "../call/call.ts";
import { inRepository, isAncestor } from "../call/commits.ts";
import { inMirror } from "../mirror/mirror.ts";
import type { RunRefs } from "../mirror/run-refs.ts";
import { commonDirOf, gitDirOf } from "../repository/locate.ts";
import type { Git } from "../workspace/bench.ts";

export type Commit = { readonly oid: string; readonly at: string; readonly subject: string };

/** `M`, `A`, `D` or `T`, and the name with one character for each byte. */
export type LeftChange = { readonly status: string; readonly name: string };

const SHOWN_MAX = 1000;

/** Of these commits, those that no branch, remote branch or tag of the repository has: all of them where it is gone. */
export async function offBranches(
  on: Git,
  repo: string,
  oids: readonly string[],
): Promise<ReadonlySet<string>> {
  const wanted = [...new Set(oids)];
  const gitDir = repo === "" ? undefined : gitDirOf(repo);
  if (gitDir === undefined || wanted.length === 0) return new Set(wanted);
  const commonDir = commonDirOf(gitDir);
  const call = inRepository(commonDir);
  const types = await git(on.env, {
    ...call,
    args: ["cat-file", "--batch-check=%(objecttype)"],
    input: wanted.map((oid) => `${oid}\n`).join(""),
  });
  const lines = types.split("\n");
  const present = wanted.filter((_, place) => lines[place] === "commit");
  const missing = wanted.filter((_, place) => lines[place] !== "commit");
  if (present.length === 0) return new Set(missing);
  const args = ["rev-list", ...present, "--not", "--branches", "--remotes", "--tags", "--"];
  const off = new Set((await git(on.env, { ...call, args })).split("\n"));
  return new Set([...missing, ...present.filter((oid) => off.has(oid))]);
}

/** Handovers of a run, and the agents' commits under them, that are on no branch of the user's repository; the newest first. */
export async function strandedCommits(
  on: Git,
  { mirror, repo, refs }: { readonly mirror: string; readonly repo: string; readonly refs: RunRefs },
): Promise<readonly Commit[]> {
  const { base, head, works, earlier } = refs;
  const tips = [...new Set([head, ...works, ...earlier])].filter((oid) => oid !== "" && oid !== base);
  if (tips.length === 0) return [];
  const format = "--format=%H%x00%ct%x00%s";
  const args = ["log", "--no-show-signature", "--no-notes", `--max-count=${SHOWN_MAX}`, format, ...tips];
  const not = base === "" ? ["--"] : ["--not", base, "--"];
  const lines = (await git(on.env, { ...inMirror(mirror), args: [...args, ...not] })).split("\n");
  const commits = lines.flatMap((line): Commit[] => {
    const [oid = "", seconds = "", subject = ""] = line.split("\0");
    return oid === "" ? [] : [{ oid, at: new Date(Number(seconds) * 1000).toISOString(), subject }];
  });
  const off = await offBranches(
    on,
    repo,
    commits.map(({ oid }) => oid),
  );
  return commits.filter(({ oid }) => off.has(oid));
}

type LeftWork = { readonly mirror: string; readonly refs: RunRefs };

/** The newest work of a run that no handover has; empty where there is none. */
export function lastLeft(refs: RunRefs | undefined): string {
  if (refs === undefined) return "";
  return refs.left === "" ? (refs.earlier[0] ?? "") : refs.left;
}

/** The files that are different in the work that was left. */
export async function changesLeft(on: Git, of: LeftWork): Promise<readonly LeftChange[]> {
  const fields = await gitRecords(on.env, {
    ...inMirror(of.mirror),
    args: [...DIFF, "--name-status", "-z", await beforeLeft(on, of), lastLeft(of.refs), "--"],
  });
  const changes: LeftChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    changes.push({ status: fields[at] ?? "", name: fields[at + 1] ?? "" });
  return changes;
}

export async function diffLeft(on: Git, of: LeftWork): Promise<string> {
  const args = [...DIFF, "-p", "--no-color", await beforeLeft(on, of), lastLeft(of.refs), "--"];
  return (await tryGit(on.env, { ...inMirror(of.mirror), args })).out.toString("utf8");
}

const DIFF = [
  "diff-tree",
  "-r",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=none",
];

/** The head, unless the run went on after it was released: then the commit that the work stands on. */
async function beforeLeft(on: Git, { mirror, refs }: LeftWork): Promise<string> {
  const left = lastLeft(refs);
  const head = refs.head === "" ? refs.base : refs.head;
  const isBelow = (): Promise<boolean> => isAncestor(on.env, inMirror(mirror), [head, left]);
  if (head !== "" && (await isBelow())) return head;
  const args = ["rev-parse", "--verify", "--quiet", `${left}^1`];
  const { code, out } = await tryGit(on.env, { ...inMirror(mirror), args });
  if (code === 0) return out.toString("utf8").trim();
  // Git knows the empty tree without having it.
  return git(on.env, { ...inMirror(mirror), args: ["hash-object", "-t", "tree", "--stdin"], input: "" });
}
