/** What became of the files of a commit, in work that is known by its digest. */

import type { Branches, Changed } from "../../engine/ports/files.ts";
import { artifactTest } from "./artifact-paths.ts";
import { failed, tryGit } from "./call.ts";
import { within, type Bench, type On } from "./own.ts";
import { filesOf } from "./tree.ts";

/** By folder of ours, the last answer: one after the other judges the same work, and two trees never differ in another way. */
const answers = new WeakMap<On, Map<string, Answer>>();

type Answer = { readonly of: string; readonly all: readonly Changed[] };

export async function changedIn(
  on: On,
  bench: Bench,
  of: Parameters<Branches["changed"]>[1],
): Promise<readonly Changed[]> {
  const isArtifact = artifactTest(of.artifacts);
  const all = await onceMore(on, bench, of);
  return all
    .filter(({ path }) => !isArtifact(path))
    .map(({ path, type, from }) => ({ path: utf8(path), type, from: from === null ? null : utf8(from) }));
}

async function onceMore(
  on: On,
  bench: Bench,
  between: { readonly from: string; readonly tree: string },
): Promise<readonly Changed[]> {
  const known = answers.get(on) ?? new Map<string, Answer>();
  const of = `${between.from} ${between.tree}`;
  const last = known.get(bench.own);
  if (last?.of === of) return last.all;
  const all = await differences(on, bench, between);
  if (between.from !== "") answers.set(on, known.set(bench.own, { of, all }));
  return all;
}

async function differences(
  on: On,
  bench: Bench,
  { from, tree }: { readonly from: string; readonly tree: string },
): Promise<readonly Changed[]> {
  if (from === "") {
    const files = await filesOf(on, bench, tree);
    return files.map((path) => ({ path: latin1(path), type: "added", from: null }));
  }
  const args = ["diff-tree", "-r", "-z", "-M", "--name-status", "--no-ext-diff", "--no-textconv"];
  const call = { ...within(bench), args: [...args, from, tree] };
  const answer = await tryGit(on.env, call);
  if (answer.code !== 0) throw failed(call, answer);
  return entriesIn(answer.out.toString("latin1").split("\0"));
}

/** Names are compared byte by byte, and told as text. */
function utf8(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}

function latin1(name: string): string {
  return Buffer.from(name).toString("latin1");
}

/** A status, then its path; a rename has the old path first. */
function entriesIn(words: readonly string[]): Changed[] {
  const all: Changed[] = [];
  for (let at = 0; at + 1 < words.length;) {
    const [status = "", path = "", to = ""] = words.slice(at, at + 3);
    const isRenamed = status.startsWith("R");
    all.push(
      isRenamed
        ? { path: to, type: "renamed", from: path }
        : { path, type: TYPES[status] ?? "modified", from: null },
    );
    at += isRenamed ? 3 : 2;
  }
  return all;
}

const TYPES: Readonly<Record<string, Changed["type"]>> = { A: "added", D: "deleted" };
