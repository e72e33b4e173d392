/** What a restored folder says about itself: where it comes from, and what to type for what is no file. */

import type { Holding } from "../../adapters/git/salvaged.ts";
import type { Found } from "./find.ts";
import { operationsIn } from "./operations.ts";

export function aboutOf(found: Found, { layers, commits, base, snapshots }: Holding): string {
  const { run, repo, branch, ref, forgotten, kept, aside } = found;
  const [newest, ...earlier] = layers;
  const operations = operationsIn(kept);
  const facts = [
    ["Repository", repo],
    ["Branch", branch],
    ["Began at", base],
    ["HEAD was", newest?.head ?? ""],
    ["Kept as", [ref, forgotten].filter((name) => name !== "").join(", ")],
    ["Kept in", kept.join(", ")],
    ["In the middle of", operations.join(", ")],
  ];
  return [
    `# What was kept of ${run}`,
    "",
    "A copy: everything is still kept where it was, and can be restored again.",
    "",
    ...facts.filter(([, value]) => value !== "").map(([name, value]) => `- ${name}: ${value}`),
    "",
    ...(newest === undefined || newest.staged === ""
      ? []
      : [
          "`staged` holds the files that were staged in another form than they were on the disk; under `.conflict/1`, `2` and `3`",
          "are the common ancestor and the two sides of a conflict.",
          "",
        ]),
    ...(operations.length === 0
      ? []
      : [
          "`git` holds what git's own folder for the worktree knew of that. A submodule's commits can be read with",
          "`git --git-dir=.salvage/git/modules/NAME --work-tree=NAME log`.",
          "",
        ]),
    ...(earlier.length === 0
      ? []
      : ["`earlier` holds what was kept when the run was released before, the newest first.", ""]),
    ...(aside.length === 0 ? [] : ["`quarantine` holds what lay where the workspace was to be.", ""]),
    ...(commits.length === 0
      ? []
      : [
          `Commits that no branch has; \`signalbox salvage restore ${run} --branch NAME\` gives them one:`,
          "",
          ...commits.map(({ oid, subject }) => `- ${oid} ${subject}`),
          "",
        ]),
    ...(snapshots.length === 0
      ? []
      : ["The work as it was at gates:", "", ...snapshots.map((name) => `- ${name}`), ""]),
  ].join("\n");
}
