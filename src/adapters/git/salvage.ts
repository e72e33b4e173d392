/**
 * Keeps what is not committed, as commits under a ref of ours, before anything is taken away.
 *
 * The salvage commit is the work as it is on the disk. Its parents are HEAD and, where there is such a thing: the index as it
 * was staged (with the sides of a conflict under `.conflict/1`, `2`, `3`), the exact bytes of files that git stores in another
 * form, commits that no ref reaches, and the salvage before this one.
 */

import { lstatSync, readFileSync } from "node:fs";
import { sep } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";
import { git, gitRecords, tryGit } from "./call.ts";
import { mentioned, unreachable } from "./commits.ts";
import { makeDurable } from "./durable.ts";
import { parseIndex } from "./index-file.ts";
import { forgottenRef, salvageRef } from "./names.ts";
import { at, inRepository, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";
import { addAll, headOf, withCopy } from "./tree.ts";
import { updateRef } from "./update-ref.ts";

export type Salvaged = {
  /** The work as it is on the disk. */
  readonly tree: string;
  /** Empty where there was nothing to keep. */
  readonly ref: string;
};

type Scene = { readonly on: On; readonly bench: Bench; readonly run: string };

export async function salvage(scene: Scene, of: { readonly isThere: boolean }): Promise<Salvaged> {
  const { on, bench, run } = scene;
  const head = await headOf(on, bench);
  const before = await treeAt(scene, head);
  const staged = await stagedTree(scene);
  const { tree, raw } = of.isThere ? await workTree(scene) : { tree: before, raw: undefined };
  const known = mentioned(bench);
  const lost = await unreachable(on, bench, [...known.current, ...(head === undefined ? [] : [head])]);
  const old = await valueOf(scene, salvageRef(run));
  if (tree !== before || staged !== before || raw !== undefined || lost.length > 0) {
    const parents = [
      ...(head === undefined ? [] : [head]),
      ...(staged === before
        ? []
        : [
            await commit(scene, staged, {
              message: `signalbox: what was staged in run ${run}`,
              parents: [],
              date: ONCE,
            }),
          ]),
      ...(raw === undefined
        ? []
        : [
            await commit(scene, raw, {
              message: `signalbox: exact bytes of files of run ${run}`,
              parents: [],
              date: ONCE,
            }),
          ]),
      ...lost.filter((oid) => oid !== head),
    ];
    await keep(scene, salvageRef(run), {
      tree,
      parents,
      old,
      message: `signalbox: not committed when run ${run} was released`,
    });
  }
  const forgotten = await unreachable(on, bench, known.past);
  if (forgotten.length > 0)
    await keep(scene, forgottenRef(run), {
      tree: before,
      parents: forgotten,
      old: await valueOf(scene, forgottenRef(run)),
      message: `signalbox: commits that no branch held when run ${run} was released`,
    });
  const now = await valueOf(scene, salvageRef(run));
  return { tree, ref: now === undefined ? "" : salvageRef(run) };
}

type Keeping = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly old: string | undefined;
  readonly message: string;
};

async function keep(scene: Scene, ref: string, { tree, parents, old, message }: Keeping): Promise<void> {
  if (old !== undefined && (await isSame(scene, old, { tree, parents }))) return;
  const made = await commit(scene, tree, {
    message,
    parents: old === undefined ? parents : [...parents, old],
  });
  failpoint("workspace.before-salvage");
  await updateRef(scene.on, scene.bench.commonDir, {
    ...inRepository(scene.bench),
    args: ["update-ref", "--create-reflog", "-m", message, ref, made, old ?? "0".repeat(made.length)],
  });
  await makeDurable(scene.on, { commonDir: scene.bench.commonDir, from: made, until: parents[0] });
  failpoint("workspace.after-salvage");
}

/** Whether the salvage of an earlier try, or one that it was put on top of, is this one. */
async function isSame(
  scene: Scene,
  old: string,
  { tree, parents }: Pick<Keeping, "tree" | "parents">,
): Promise<boolean> {
  const [oldTree = "", oldParents = ""] = (
    await git(scene.on.env, {
      ...within(scene.bench),
      args: ["show", "--no-patch", "--no-notes", "--format=%T%n%P", old],
    })
  ).split("\n");
  const own = oldParents.split(" ");
  return oldTree === tree && parents.every((oid) => own.includes(oid));
}

async function treeAt(scene: Scene, head: string | undefined): Promise<string> {
  if (head === undefined)
    return git(scene.on.env, {
      ...within(scene.bench),
      args: ["hash-object", "-t", "tree", "-w", "--stdin"],
    });
  return git(scene.on.env, { ...within(scene.bench), args: ["rev-parse", "--verify", `${head}^{tree}`] });
}

async function valueOf(scene: Scene, ref: string): Promise<string | undefined> {
  const answer = await tryGit(scene.on.env, {
    ...inRepository(scene.bench),
    args: ["rev-parse", "--verify", "--quiet", ref],
  });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}

type Committing = { readonly message: string; readonly parents: readonly string[]; readonly date?: string };

/** Of commits beside the salvage: trying again makes the same one and not another. */
const ONCE = "2000-01-01T00:00:00Z";

async function commit(scene: Scene, tree: string, { message, parents, date }: Committing): Promise<string> {
  const unique = [...new Set(parents)];
  const args = ["commit-tree", tree, ...unique.flatMap((oid) => ["-p", oid]), "-m", message];
  return git(scene.on.env, {
    ...within(scene.bench),
    args,
    durable: true,
    ...(date === undefined ? {} : { date }),
  });
}

/** The index as it is. The sides of a conflict have no place in a tree, so they are given one. */
async function stagedTree({ on, bench }: Scene): Promise<string> {
  return withCopy(on, bench, async (index) => {
    const call = at(bench, index);
    const sides = await gitRecords(on.env, { ...call, args: ["ls-files", "--unmerged", "-z"] });
    if (sides.length > 0) {
      const zero = "0".repeat((sides[0] ?? "").split(" ")[1]?.length ?? 40);
      const input = sides.flatMap((side) => {
        const [, mode = "", oid = "", stage = "", name = ""] =
          /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(side) ?? [];
        return [`0 ${zero}\t${name}\0`, `${mode} ${oid} 0\t.conflict/${stage}/${name}\0`];
      });
      await git(on.env, {
        ...call,
        args: ["update-index", "-z", "--index-info"],
        input: Buffer.from(input.join(""), "latin1"),
      });
    }
    return git(on.env, { ...call, args: ["write-tree", "--missing-ok"], durable: true });
  });
}

type Work = { readonly tree: string; readonly raw: string | undefined };

async function workTree(scene: Scene): Promise<Work> {
  const { on, bench } = scene;
  return withCopy(on, bench, async (index) => {
    await addAll(on, bench, index);
    const args = ["write-tree", "--missing-ok"];
    const tree = await git(on.env, { ...at(bench, index), args, durable: true });
    return { tree, raw: await rawTree(scene, index) };
  });
}

/**
 * Line ends and filters change what git stores: of such files, the bytes as they are on the disk, unless a checkout gives the
 * same. Every file is read: whose stamps would say which were not touched since they were checked out?
 */
async function rawTree(scene: Scene, index: string): Promise<string | undefined> {
  const { on, bench } = scene;
  const call = at(bench, index);
  const files = storedFiles(scene, index);
  const plain = await hashes(scene, files, []);
  const converted = files.filter(({ oid }, place) => plain[place] !== oid);
  const odd = await unreproduced(scene, index, converted);
  if (odd.length === 0) return undefined;
  const raw = await hashes(scene, odd, ["-w"]);
  const input = odd.map(({ mode, name }, place) => `${mode} ${raw[place] ?? ""} 0\t${name}\0`).join("");
  await git(on.env, { ...call, args: ["read-tree", "--empty"] });
  await git(on.env, {
    ...call,
    args: ["update-index", "-z", "--index-info"],
    input: Buffer.from(input, "latin1"),
  });
  return git(on.env, { ...call, args: ["write-tree"], durable: true });
}

type Stored = { readonly mode: string; readonly oid: string; readonly name: string };

function storedFiles({ bench }: Scene, index: string): readonly Stored[] {
  const { oidBytes } = bench;
  const bytes = readFileSync(index);
  return (parseIndex(bytes, oidBytes)?.entries ?? []).flatMap(({ name, mode, oidAt }) => {
    const isFile = (mode & 0o170000) === 0o100000 && isFileAt(bytePath(bench.path, name));
    if (!isFile) return [];
    return [{ name, mode: mode.toString(8), oid: bytes.toString("hex", oidAt, oidAt + oidBytes) }];
  });
}

/** Of the bytes as they are. */
async function hashes(
  { on, bench }: Scene,
  files: readonly Stored[],
  more: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const hashed = await git(on.env, {
    ...within(bench),
    args: ["hash-object", ...more, "--no-filters", "--stdin-paths"],
    input: Buffer.from(files.map(({ name }) => `${quoted(name)}\n`).join(""), "latin1"),
    durable: true,
  });
  return hashed.split("\n");
}

/** Those of which a checkout would not give the bytes that are there. */
async function unreproduced(
  scene: Scene,
  index: string,
  files: readonly Stored[],
): Promise<readonly Stored[]> {
  if (files.length === 0) return files;
  const { on, bench } = scene;
  return withScratch(on, async (folder) => {
    const args = ["checkout-index", "-q", `--prefix=${folder}${sep}`, "-z", "--stdin"];
    const input = Buffer.from(files.map(({ name }) => `${name}\0`).join(""), "latin1");
    await tryGit(on.env, { ...at(bench, index), args, input });
    return files.filter(({ name }) => {
      const made = bytesAt(bytePath(folder, name));
      return made === undefined || bytesAt(bytePath(bench.path, name))?.equals(made) !== true;
    });
  });
}

function bytesAt(path: Buffer): Buffer | undefined {
  return unless(["ENOENT", "ENOTDIR", "EISDIR"], () => readFileSync(path));
}

function isFileAt(path: Buffer): boolean {
  return unless(["ENOENT", "ENOTDIR"], () => lstatSync(path))?.isFile() === true;
}

/** As git writes names that hold line ends and the like. */
function quoted(name: string): string {
  const escaped = name.replaceAll(
    /[\\"\n\r\t]/g,
    (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}
