/**
 * What a salvage holds, read back from its commits.
 *
 * Whoever can write the repository can write these refs, so that what they say is data: names in them lead nowhere by themselves, and
 * nothing of a repository's configuration is obeyed.
 */

import { git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { baseRef, forgottenRef, salvageRef } from "./names.ts";
import type { On } from "./own.ts";

export type SalvageRef = {
  readonly run: string;
  readonly kind: "salvage" | "forgotten";
  readonly ref: string;
  readonly at: string;
};

export type Commit = { readonly oid: string; readonly at: string; readonly subject: string };

/** `M`, `A`, `D`, `T`, and the name with one character for each byte. */
export type Change = { readonly status: string; readonly name: string };

/** One release of a run. */
export type Layer = {
  readonly oid: string;
  /** The work as it was on the disk. */
  readonly tree: string;
  readonly at: string;
  /** Where HEAD was; empty for a branch without a commit. */
  readonly head: string;
  /** A commit of the index, where it was neither HEAD nor the work; empty otherwise. */
  readonly staged: string;
  /** A commit of exact bytes that a checkout would not give; empty where there are none. */
  readonly raw: string;
};

export type Holding = {
  /** The newest release first: a run can have several. */
  readonly layers: readonly Layer[];
  /** Commits that no branch, remote or tag reaches. */
  readonly commits: readonly Commit[];
  readonly base: string;
  /** Refs of the work as it was at gates. */
  readonly snapshots: readonly string[];
};

export type Where = { readonly commonDir: string; readonly run: string };

const OURS = "signalbox@localhost";
const SHOWN_MAX = 1000;
const LAYERS_MAX = 1000;

export function inCommon(commonDir: string): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

/** All of a repository, in one call. */
export async function salvageRefs(on: On, commonDir: string): Promise<readonly SalvageRef[]> {
  const args = [
    "for-each-ref",
    "--format=%(refname)%00%(committerdate:unix)",
    "refs/signalbox/salvage",
    "refs/signalbox/forgotten",
  ];
  const listed = await git(on.env, { ...inCommon(commonDir), args });
  return listed.split("\n").flatMap((line) => {
    const [ref = "", seconds = ""] = line.split("\0");
    const [, kind = "", run = ""] = /^refs\/signalbox\/(salvage|forgotten)\/([^/]+)$/.exec(ref) ?? [];
    if (kind !== "salvage" && kind !== "forgotten") return [];
    return [{ run, kind, ref, at: timeOf(seconds) }];
  });
}

export async function holdingOf(on: On, where: Where): Promise<Holding> {
  const { commonDir, run } = where;
  const oids = await valuesOf(on, commonDir, [salvageRef(run), forgottenRef(run), baseRef(run)]);
  const [top = "", forgotten = "", base = ""] = oids;
  const tips = [top, forgotten].filter((oid) => oid !== "");
  const [layers, commits, listed] = await Promise.all([
    layersOf(on, where, top),
    tips.length === 0 ? [] : onlyHere(on, commonDir, tips),
    git(on.env, {
      ...inCommon(commonDir),
      args: ["for-each-ref", "--format=%(refname)", `refs/signalbox/snapshots/${run}/`],
    }),
  ]);
  return { layers, commits, base, snapshots: listed.split("\n").filter((ref) => ref !== "") };
}

async function valuesOf(on: On, commonDir: string, refs: readonly string[]): Promise<readonly string[]> {
  const call: Call = {
    ...inCommon(commonDir),
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    input: refs.map((ref) => `${ref}\n`).join(""),
  };
  const lines = (await git(on.env, call)).split("\n");
  return refs.map((_, place) => /^([0-9a-f]{40,64}) commit$/.exec(lines[place] ?? "")?.[1] ?? "");
}

async function layersOf(on: On, { commonDir, run }: Where, top: string): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (let oid = top; oid !== "" && layers.length < LAYERS_MAX;) {
    const { layer, earlier } = await layerAt(on, { commonDir, run }, oid);
    layers.push(layer);
    oid = earlier;
  }
  return layers;
}

type Parent = {
  readonly oid: string;
  readonly isOurs: boolean;
  readonly isRoot: boolean;
  readonly subject: string;
};

async function layerAt(
  on: On,
  { commonDir, run }: Where,
  oid: string,
): Promise<{ readonly layer: Layer; readonly earlier: string }> {
  const [own = ""] = await shown(on, commonDir, [oid]);
  const [, tree = "", seconds = "", parentOids = ""] = own.split("\0");
  const names = parentOids.split(" ").filter((name) => name !== "");
  const parents = (names.length === 0 ? [] : await shown(on, commonDir, names)).map((line): Parent => {
    const [name = "", , , above = "", email = "", subject = ""] = line.split("\0");
    return { oid: name, isOurs: email === OURS, isRoot: above === "", subject };
  });
  const beside = (said: string): string =>
    parents.find(({ isOurs, isRoot, subject }) => isOurs && isRoot && subject.startsWith(said))?.oid ?? "";
  const staged = beside("signalbox: what was staged in run ");
  const raw = beside("signalbox: exact bytes of files of run ");
  const last = `signalbox: not committed when run ${run} was released`;
  const earlier = parents.findLast(({ isOurs, subject }) => isOurs && subject === last)?.oid ?? "";
  const [first] = parents;
  const head = first === undefined || [staged, raw, earlier].includes(first.oid) ? "" : first.oid;
  return { layer: { oid, tree, at: timeOf(seconds), head, staged, raw }, earlier };
}

async function shown(on: On, commonDir: string, oids: readonly string[]): Promise<readonly string[]> {
  const args = [
    "log",
    "--no-walk=unsorted",
    "--no-show-signature",
    "--no-notes",
    "--format=%H%x00%T%x00%ct%x00%P%x00%ce%x00%s",
    ...oids,
    "--",
  ];
  return (await git(on.env, { ...inCommon(commonDir), args })).split("\n");
}

/** Without those that we have made to hold the others. */
async function onlyHere(on: On, commonDir: string, tips: readonly string[]): Promise<readonly Commit[]> {
  const args = [
    "log",
    "--no-show-signature",
    "--no-notes",
    `--max-count=${SHOWN_MAX}`,
    "--format=%H%x00%ct%x00%ce%x00%s",
    ...tips,
    "--not",
    "--branches",
    "--remotes",
    "--tags",
    "--",
  ];
  const lines = (await git(on.env, { ...inCommon(commonDir), args })).split("\n");
  return lines.flatMap((line) => {
    const [oid = "", seconds = "", email = "", subject = ""] = line.split("\0");
    if (oid === "" || (email === OURS && subject.startsWith("signalbox: "))) return [];
    return [{ oid, at: timeOf(seconds), subject }];
  });
}

/** From one tree to another; an empty name stands for the tree that holds nothing. */
export async function changesBetween(
  on: On,
  commonDir: string,
  [from, to]: readonly [from: string, to: string],
): Promise<readonly Change[]> {
  const fields = await gitRecords(on.env, {
    ...inCommon(commonDir),
    args: [...DIFF, "--name-status", "-z", from === "" ? await emptyTree(on, commonDir) : from, to, "--"],
  });
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    changes.push({ status: fields[at] ?? "", name: fields[at + 1] ?? "" });
  return changes;
}

export async function diffBetween(
  on: On,
  commonDir: string,
  [from, to]: readonly [from: string, to: string],
): Promise<string> {
  const answer = await tryGit(on.env, {
    ...inCommon(commonDir),
    args: [...DIFF, "-p", "--no-color", from === "" ? await emptyTree(on, commonDir) : from, to, "--"],
  });
  return answer.out.toString("utf8");
}

const DIFF = [
  "diff-tree",
  "-r",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=none",
];

async function emptyTree(on: On, commonDir: string): Promise<string> {
  // Only its name: every git knows this tree without having it.
  return git(on.env, { ...inCommon(commonDir), args: ["hash-object", "-t", "tree", "--stdin"] });
}

function timeOf(seconds: string): string {
  const time = new Date(Number(seconds) * 1000);
  return seconds === "" || Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
