/**
 * A run's branch gets a tag with a message, as it was looked at: once, never over one that is there, and only in this repository.
 * What no second try would change is an answer. Done again, it finds its own tag.
 */

import type { Completion, Tagged } from "../../engine/ports/completion.ts";
import { failpoint } from "../failpoint.ts";
import { authorOf } from "./author.ts";
import { isBranchName, isInTheWay } from "./branch-name.ts";
import { git, tryGit } from "./call.ts";
import { trailerOf, withTrailer } from "./commit.ts";
import type { On } from "./own.ts";
import { lookAtBranch } from "./push-branch.ts";
import { updateRef } from "./update-ref.ts";

type Wish = Parameters<Completion["tag"]>[0];

/** Called under the repository's lock. */
export async function tagWork(on: On, wish: Wish): Promise<Tagged> {
  const { run, repo, branch, tree, artifacts, name, message } = wish;
  // Git takes the same names for both.
  if (!isBranchName(name)) return refused(`${JSON.stringify(name)} cannot be the name of a tag`);
  const looked = { tree, artifacts };
  const { commonDir, tip } = await lookAtBranch(on, { run, repo, branch, base: "", looked, what: "tag" });
  const there = { cwd: commonDir, gitDir: commonDir };
  const listed = ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/tags"];
  const names = (await git(on.env, { ...there, args: listed })).split("\n");
  if (names.includes(name)) {
    const { out } = await tryGit(on.env, { ...there, args: ["cat-file", "tag", `refs/tags/${name}`] });
    const lines = out.toString("utf8").split("\n");
    return lines[0] === `object ${tip}` && lines.includes(trailerOf(run))
      ? { type: "tagged", tag: name, commit: tip }
      : refused(`there is a tag ${name} already`);
  }
  const other = names.find((each) => each !== "" && isInTheWay(name, each));
  if (other !== undefined) return refused(`git cannot have the tag ${name} beside the tag ${other}`);
  const author = await authorOf(on, commonDir, "the tag");
  const args = ["tag", "--annotate", "--no-sign", "--cleanup=verbatim", "--file=-", "--", name, tip];
  failpoint("tag.before-ref");
  await updateRef(on, commonDir, { ...there, args, input: withTrailer(message, trailerOf(run)), author });
  failpoint("tag.after-ref");
  return { type: "tagged", tag: name, commit: tip };
}

function refused(reason: string): Tagged {
  return { type: "refused", reason };
}
