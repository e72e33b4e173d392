/** Nothing that anybody wrote is lost with a workspace, and the person's own checkout is not touched by a whole life. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow, onStage, type Stage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

/** Leaves one file committed, one staged, one that git does not know and one that git ignores. */
const CODER = `
echo committed >committed.txt; git add committed.txt; git commit -q -m "by the agent"
echo staged >staged.txt; git add staged.txt
echo more >>README.md
echo unknown >unknown.txt
echo "SECRET=1" >.env
mkdir -p node_modules/some; echo cache >node_modules/some/file
printf 'DONE: %s\\n' "$SIGNALBOX_JOB" | signalbox submit handoff -
signalbox move testing
`;

const SCENE = {
  workflow: "checks",
  agents: { coder: CODER, fixer: "true" },
  files: { "test.sh": "true", ".gitignore": ".env\nnode_modules/\n" },
};

const git = (stage: Stage, ...argv: string[]): string =>
  execFileSync("git", argv, { cwd: stage.repo, encoding: "utf8" });

/** The checkout, its index and its branches, byte for byte; objects, refs of ours and worktrees may be added. */
function checkout(stage: Stage): Record<string, string> {
  const mine = Object.entries(filesBelow(stage.repo)).filter(
    ([name]) =>
      !/^\.git\/(objects|worktrees|refs\/(signalbox|heads\/signalbox)|logs\/refs\/(signalbox|heads\/signalbox)|packed-refs|info\/exclude)/.test(
        name,
      ),
  );
  return Object.fromEntries(mine);
}

type Workspace = { status: string; salvage: string; kept: string; branch: string; path: string };

describe.runIf(isPerson).concurrent("a workspace that goes away", () => {
  test.for(sampled(1, ["done", "cancel"]))("%s: everything is still there", async (end) => {
    await onStage(SCENE, async (stage) => {
      // The person has work of their own under way.
      writeFileSync(join(stage.repo, "README.md"), "Half a sentence\n");
      writeFileSync(join(stage.repo, "staged-by-me.txt"), "mine\n");
      git(stage, "add", "staged-by-me.txt");
      writeFileSync(join(stage.repo, ".env"), "MINE=1\n");
      const before = checkout(stage);

      const run = await stage.begin("checks");
      await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
      const { code } = await stage.person(...(end === "done" ? ["move", run, "done"] : ["cancel", run]));
      expect(code).toBe(0);
      await stage.until(run, ({ isIdle }) => isIdle);

      const { document } = await stage.person("show", run);
      const workspace = document["workspace"] as Workspace;
      expect(workspace).toMatchObject({ status: "released", branch: `signalbox/${run}` });
      const show = (path: string): string => git(stage, "show", `${workspace.salvage}:${path}`);
      expect(["staged.txt", "unknown.txt", "committed.txt", "README.md"].map(show)).toEqual([
        "staged\n",
        "unknown\n",
        "committed\n",
        "A project.\nmore\n",
      ]);
      expect(git(stage, "show", `${workspace.branch}:committed.txt`)).toBe("committed\n");
      expect(readFileSync(join(workspace.kept, ".env"), "utf8")).toBe("SECRET=1\n");
      // Nothing of it is left for whoever comes next.
      expect(git(stage, "-C", workspace.path, "status", "--porcelain", "--ignored")).toBe("");
      // What the run itself wrote goes along with it.
      expect(filesBelow(join(stage.home.root, "runs", run, "files"))["NOTES.md"]).toContain("DONE");
      // Every gate that was passed is kept as it was there.
      const gates = git(stage, "for-each-ref", "--format=%(refname)", "refs/signalbox").trim().split("\n");
      expect(gates.length).toBeGreaterThan(2);
      expect((await stage.person("show", run, "--verbose")).stderr).toBe("");

      expect(checkout(stage)).toEqual(before);
      expect(git(stage, "branch", "--show-current").trim()).toBe("main");
    });
  });
});
