/** Nothing that anybody wrote is lost with a workspace, and the person's own checkout is not touched by a whole life. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

/** The repository, byte for byte; objects and the run's branch may be added. */
function checkout(stage: Stage): Record<string, string> {
  const ours = /^\.git\/(objects|(logs\/)?refs\/heads\/signalbox)\//;
  return Object.fromEntries(Object.entries(filesBelow(stage.repo)).filter(([name]) => !ours.test(name)));
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
      const show = (path: string): string => git(stage, "show", `${workspace.branch}:${path}`);
      expect(["staged.txt", "unknown.txt", "committed.txt", "README.md"].map(show)).toEqual([
        "staged\n",
        "unknown\n",
        "committed\n",
        "A project.\nmore\n",
      ]);
      expect(readFileSync(join(workspace.kept, "workspace/.env"), "utf8")).toBe("SECRET=1\n");
      expect(existsSync(workspace.path)).toBe(false);
      // What the run itself wrote goes along with it.
      expect(filesBelow(join(stage.home.root, "runs", run, "files"))["NOTES.md"]).toContain("DONE");
      // The user's repository has nothing of the run but its branch.
      const refs = git(stage, "for-each-ref", "--format=%(refname)").trim().split("\n");
      expect(refs).toEqual(["refs/heads/main", `refs/heads/${workspace.branch}`]);
      expect((await stage.person("show", run, "--verbose")).stderr).toBe("");

      expect(checkout(stage)).toEqual(before);
      expect(git(stage, "branch", "--show-current").trim()).toBe("main");
    });
  });
});
