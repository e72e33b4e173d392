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
  /** *stranded*: the work as it was at a gate, on commits that no branch has. */
  readonly kind: "salvage" | "forgotten" | "stranded";
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
  /**
   * The newest release first: a run can have several. Where nothing had to be salvaged, the work as it was at the last gate, or as
   * its branch is now.
   */
  readonly layers: readonly Layer[];
  /** Commits that no branch, remote or tag reaches. */
  readonly commits: readonly Commit[];
  readonly base: string;
  /** Refs of the work as it was at gates. */
  readonly snapshots: readonly string[];
};

export type Where = {
  readonly commonDir: string;
  readonly run: string;
  /** Of the run; empty where nobody knows it. */
  readonly branch: string;
};

const OURS = "signalbox@localhost";
const SHOWN_MAX = 1000;
const LAYERS_MAX = 1000;

export function inCommon(commonDir: string): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

/** All of a repository, in three calls. */
export async function salvageRefs(on: On, commonDir: string): Promise<readonly SalvageRef[]> {
  const [kept, snapshots] = await Promise.all([keptRefs(on, commonDir), snapshotsIn(on, commonDir)]);
  const heads = snapshots.flatMap(({ layer: { head } }) => (head === "" ? [] : [head]));
  const stranded = new Set(heads.length === 0 ? [] : await offBranches(on, commonDir, heads));
  return [
    ...kept,
    ...snapshots
      .filter(({ layer: { head } }) => stranded.has(head))
      .map(({ run, ref, layer: { at } }) => ({ run, kind: "stranded" as const, ref, at })),
  ];
}

async function keptRefs(on: On, commonDir: string): Promise<readonly SalvageRef[]> {
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

type Snapshot = { readonly run: string; readonly seq: number; readonly ref: string; readonly layer: Layer };

/** In the order in which they were made. */
async function snapshotsIn(on: On, commonDir: string, run?: string): Promise<readonly Snapshot[]> {
  const args = [
    "for-each-ref",
    "--format=%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(parent)",
    `refs/signalbox/snapshots${run === undefined ? "" : `/${run}/`}`,
  ];
  const listed = await git(on.env, { ...inCommon(commonDir), args });
  const snapshots = listed.split("\n").flatMap((line): Snapshot[] => {
    const [ref = "", oid = "", tree = "", seconds = "", head = ""] = line.split("\0");
    const [, whose = "", seq = ""] = /^refs\/signalbox\/snapshots\/([^/]+)\/(\d+)$/.exec(ref) ?? [];
    if (whose === "" || tree === "") return [];
    const layer = { oid, tree, at: timeOf(seconds), head, staged: "", raw: "" };
    return [{ run: whose, seq: Number(seq), ref, layer }];
  });
  return snapshots.toSorted((a, b) => a.seq - b.seq);
}

export async function holdingOf(on: On, where: Where): Promise<Holding> {
  const { commonDir, run, branch } = where;
  const refs = [
    salvageRef(run),
    forgottenRef(run),
    baseRef(run),
    ...(branch === "" ? [] : [`refs/heads/${branch}`]),
  ];
  const [[top = "", forgotten = "", base = "", tip = ""], snapshots] = await Promise.all([
    valuesOf(on, commonDir, refs),
    snapshotsIn(on, commonDir, run),
  ]);
  const made = snapshots.map(({ layer: { oid } }) => oid);
  const tips = [top, forgotten, ...made].filter((oid) => oid !== "");
  const [salvaged, commits] = await Promise.all([
    layersOf(on, where, top),
    tips.length === 0 ? [] : onlyHere(on, commonDir, tips),
  ]);
  const last = snapshots.at(-1)?.layer ?? (tip === "" ? undefined : await plainLayer(on, commonDir, tip));
  return {
    layers: salvaged.length > 0 || last === undefined ? salvaged : [last],
    commits: commits.filter(({ oid }) => !made.includes(oid)),
    base,
    snapshots: snapshots.map(({ ref }) => ref),
  };
}

/** A commit as it is. */
async function plainLayer(on: On, commonDir: string, oid: string): Promise<Layer> {
  const [own = ""] = await shown(on, commonDir, [oid]);
  const [, tree = "", seconds = ""] = own.split("\0");
  return { oid, tree, at: timeOf(seconds), head: oid, staged: "", raw: "" };
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

async function layersOf(on: On, where: Where, top: string): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (let oid = top; oid !== "" && layers.length < LAYERS_MAX;) {
    const { layer, earlier } = await layerAt(on, where, oid);
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

/** Of these commits, those that no branch, remote or tag has. */
async function offBranches(on: On, commonDir: string, oids: readonly string[]): Promise<readonly string[]> {
  const args = ["rev-list", "--ignore-missing", ...new Set(oids), ...ON_BRANCHES];
  return (await git(on.env, { ...inCommon(commonDir), args })).split("\n");
}

const ON_BRANCHES = ["--not", "--branches", "--remotes", "--tags", "--"];

/** Without those that we have made to hold the others. */
async function onlyHere(on: On, commonDir: string, tips: readonly string[]): Promise<readonly Commit[]> {
  const args = [
    "log",
    "--no-show-signature",
    "--no-notes",
    `--max-count=${SHOWN_MAX}`,
    "--format=%H%x00%ct%x00%ce%x00%s",
    ...tips,
    ...ON_BRANCHES,
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
