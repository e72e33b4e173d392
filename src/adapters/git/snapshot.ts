/** The work as it was at a moment, kept under a ref of ours for as long as the repository lives. */

import { failpoint } from "../failpoint.ts";
import { git, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { createRef, putCommit } from "./by-hand.ts";
import { makeDurable } from "./durable.ts";
import { snapshotRef } from "./names.ts";
import { rememberedObjects } from "./new-objects.ts";
import { inRepository, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { headAt, isTabled } from "./refs.ts";
import { headOf, workOf } from "./tree.ts";
import { tryUpdateRef } from "./update-ref.ts";

export type Moment = {
  readonly run: string;
  readonly seq: number;
  /** A digest of the work. */
  readonly tree: string;
  readonly message: string;
};

/** By run, what its last snapshot in this process put on the disk. Most gates are passed without a change of the work. */
const lastHeld = new WeakMap<On, Map<string, string>>();

export async function snapshot(
  on: On,
  bench: Bench,
  { run, seq, tree: digested, message }: Moment,
): Promise<string> {
  const tree = workOf(digested);
  const ref = snapshotRef(run, seq);
  const call: Omit<Call, "args"> = { ...inRepository(bench), durable: true };
  const head = isTabled(bench.commonDir) ? await headOf(on, bench) : headAt(bench.gitDir);
  const parents = head === undefined ? [] : ["-p", head];
  const made =
    putCommit(bench, { tree, parent: head, message }) ??
    (await git(on.env, {
      ...within(bench),
      durable: true,
      args: ["commit-tree", tree, ...parents, "-F", "-"],
      input: message,
    }));
  // The commit was written durably. Its objects were, too, where the last snapshot held the same.
  const held = `${bench.commonDir} ${head ?? ""} ${tree}`;
  const last = lastHeld.get(on) ?? new Map<string, string>();
  const objects = rememberedObjects(on, bench, { commit: head ?? "", tree });
  const reach = { commonDir: bench.commonDir, from: made, until: head };
  if (last.get(run) !== held)
    await makeDurable(on, objects === undefined ? reach : { ...reach, objects: [made, ...objects] });
  lastHeld.set(on, last.set(run, held));
  failpoint("workspace.before-snapshot");
  const args = ["update-ref", ref, made, "0".repeat(made.length)];
  const isMade = createRef(bench, ref, made);
  const answer = isMade ? undefined : await tryUpdateRef(on, bench.commonDir, { ...call, args });
  if (answer !== undefined && answer.code !== 0) {
    // It was made before, or another process was quicker with the same.
    const kept = await treeOfRef(on, call, ref);
    if (kept === undefined) throw new Error(`${ref} could not be made: ${answer.err.trim()}`);
    if (kept !== tree) throw new Error(`${ref} holds the tree ${kept} already, and not ${tree}`);
  }
  failpoint("workspace.after-snapshot");
  return ref;
}

async function treeOfRef(on: On, call: Omit<Call, "args">, ref: string): Promise<string | undefined> {
  const answer = await tryGit(on.env, {
    ...call,
    args: ["rev-parse", "--verify", "--quiet", `${ref}^{tree}`],
  });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}
