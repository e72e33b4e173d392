/**
 * The work of a run gets a tag with a message: once, never over one that exists, and only in the user's repository. What is tagged is
 * the handover commit. What no second try would change is an answer. Done again, it finds its own tag.
 */

import type { Completion, Tagged } from "../../../engine/ports/completion.ts";
import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import { git, tryGit, type GitCall } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import { inMirror } from "../mirror/mirror.ts";
import { isBranchName, isInTheWay } from "../mirror/names.ts";
import { authorOf } from "../repository/settings.ts";
import { updateRef } from "../repository/update-ref.ts";
import { trailerOf, withTrailer } from "../snapshot/work-commit.ts";
import type { Git } from "../workspace/bench.ts";
import { bringOver } from "./publish.ts";
import { deliveryOf } from "./push.ts";

type TagRequest = Parameters<Completion["tag"]>[0];

const FAILED = 1;

/** Called under the repository's lock. */
export async function tagWork(on: Git, wish: TagRequest): Promise<Tagged> {
  const { run, repo, tree, name, message } = wish;
  // Git takes the same names for both.
  if (!isBranchName(name)) return refused(`${JSON.stringify(name)} cannot be the name of a tag`);
  const { mirror, commonDir, commit } = await deliveryOf(on, { run, repo, tree, base: "" });
  const there = inRepository(commonDir);
  const listed = ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags"];
  const names = (await git(on.env, { ...there, args: listed })).split("\n");
  if (names.includes(name)) {
    const { out } = await tryGit(on.env, { ...there, args: ["cat-file", "tag", `refs/tags/${name}`] });
    const lines = out.toString("utf8").split("\n");
    return lines[0] === `object ${commit}` && lines.includes(trailerOf(run))
      ? { type: "tagged", tag: name, commit }
      : refused(`there is a tag ${name} already`);
  }
  const other = names.find((each) => each !== "" && isInTheWay(name, each));
  if (other !== undefined) return refused(`git cannot have the tag ${name} beside the tag ${other}`);
  const author = await authorOf(on, repo, "the tag");
  const problem = await bringOver(on, { repo, commit });
  if (problem !== "") throw new Error(`${commit} could not be copied into ${repo}: ${problem}`);
  const args = ["tag", "--annotate", "--no-sign", "--cleanup=verbatim", "--file=-", "--", name, commit];
  failpoint("tag.before-ref");
  await updateRef(on, commonDir, { ...there, args, input: withTrailer(message, trailerOf(run)), author });
  failpoint("tag.after-ref");
  const [reviewed, arrived] = await Promise.all([
    treeOf(on, inMirror(mirror), commit),
    treeOf(on, { ...there, isReplacing: true }, `refs/tags/${name}`),
  ]);
  if (reviewed !== arrived) throw notDelivered(wish, reviewed);
  return { type: "tagged", tag: name, commit };
}

function treeOf(on: Git, call: Omit<GitCall, "args">, name: string): Promise<string> {
  return git(on.env, { ...call, args: ["rev-parse", "--verify", `${name}^{tree}`] });
}

function notDelivered({ name, repo, run }: TagRequest, tree: string): UserError {
  return new UserError(
    "not-delivered",
    `The tag ${name} of ${run} does not show the content that passed its gate.`,
    { next: `git -C '${repo}' diff ${tree} 'refs/tags/${name}'`, exit: FAILED },
  );
}

function refused(reason: string): Tagged {
  return { type: "refused", reason };
}
