/** A repository's own checkout, as somebody works in it. Nothing of it is changed here: neither files nor index, branch or configuration. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { tryGit } from "./call.ts";
import { tipOf } from "./agent-head.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { keepAway, openBench, type On } from "./own.ts";

export async function checkout(
  on: On,
  repo: string,
  artifacts: readonly string[],
): Promise<{ readonly base: string }> {
  const gitDir = gitDirOf(repo);
  const args = ["rev-parse", "--is-bare-repository"];
  const answer = gitDir === undefined ? undefined : await tryGit(on.env, { cwd: repo, gitDir, args });
  if (answer?.code !== 0 || answer.out.toString("utf8").trim() !== "false")
    throw new UserError(
      "no-checkout",
      `${repo} has no working tree that a run could work in.`,
      "git clone it somewhere else, and begin there",
    );
  const bench = await openBench(on, repo);
  // What the person has git ignore there, as it is now: what an agent adds later hides nothing.
  const ignored = unless(["ENOENT", "ENOTDIR"], () =>
    readFileSync(join(commonDirOf(gitDirOf(repo) ?? repo), "info", "exclude"), "utf8"),
  );
  writePrivate(join(bench.own, "info", "exclude"), ignored ?? "");
  keepAway(bench, artifacts);
  return { base: await tipOf(on, bench) };
}
