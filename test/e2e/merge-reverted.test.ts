/** Work that goes on after an earlier handover of it was merged, and taken out of main again: git would merge only the rest. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { forecastMerge } from "../../src/adapters/git/delivery/merge-plan.ts";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { removeSites, sh, site, type Site } from "../support/git.ts";
import { handOver } from "../support/handover.ts";
import { ahead, at, merging, on, refused, status } from "../support/merging.ts";

afterAll(removeSites);

const MERGES = { "a fast-forward": ["--ff-only"], "a merge commit": ["--no-ff", "--no-edit"] };

/** The first handover is in main. */
function merged(of: Site, how: keyof typeof MERGES = "a merge commit"): (...args: string[]) => string {
  const git = (...args: string[]): string => sh(of.repo, of.env, args);
  handOver(of);
  git("merge", "-q", ...MERGES[how], "task");
  return git;
}

/** The merge is taken out of main again. Gives the commit that did it. */
function reverted(of: Site, git: (...args: string[]) => string): string {
  const isMerge = git("rev-list", "--parents", "-1", "HEAD").split(" ").length > 2;
  git("revert", "--no-edit", ...(isMerge ? ["-m", "1"] : []), "HEAD");
  return at(of, "main");
}

test.for(Object.keys(MERGES) as (keyof typeof MERGES)[])(
  "refused with the commit to revert, and merged whole after that: %s",
  async (how) => {
    const of = site();
    const git = merged(of, how);
    const revert = reverted(of, git);
    const { tree } = handOver(of, { "more.txt": "more\n" });
    const no = await refused(mergeWork(on(of), merging(of)));
    expect(no).toMatchObject({
      code: "merge-reverted",
      exit: 5,
      message: expect.stringMatching(
        /^An earlier part of the work of r1 was merged into main by .* and taken out again by [0-9a-f]{7} "Revert .*": a\.txt, new\.txt\. Git would merge only what came after it\. Nothing was changed\.$/,
      ) as unknown,
    });
    expect(no.next).toContain(`git -C '${of.repo}' revert ${revert.slice(0, 7)}`);
    expect(no.next).toContain("signalbox send-back r1 ");
    expect(await forecastMerge(on(of), merging(of))).toMatchObject({ code: "merge-reverted" });
    expect([at(of, "main"), status(of)]).toEqual([revert, ""]);
    git("revert", "--no-edit", revert);
    expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "merge" });
    expect(at(of, "main^{tree}")).toBe(tree);
  },
);

test("the rest alone is in main, by a cherry-pick: that is not the work", async () => {
  const of = site();
  const git = merged(of);
  reverted(of, git);
  const { commit } = handOver(of, { "more.txt": "more\n" });
  git("cherry-pick", commit);
  expect(await refused(mergeWork(on(of), merging(of)))).toMatchObject({ code: "merge-reverted" });
});

test("the worker brings it back on top of main: merged whole", async () => {
  const of = site();
  const git = merged(of);
  const revert = reverted(of, git);
  const work = (path: string): void => {
    sh(path, of.env, ["fetch", "-q", of.repo, "main"]);
    sh(path, of.env, ["merge", "-q", "--no-edit", "FETCH_HEAD"]);
    sh(path, of.env, ["revert", "--no-edit", revert]);
  };
  const { tree } = handOver(of, { "more.txt": "more\n" }, { work });
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "ff", undone: "" });
  expect(at(of, "main^{tree}")).toBe(tree);
});

test.for<[string, (of: Site, git: (...args: string[]) => string) => void, Readonly<Record<string, string>>]>([
  ["main keeps it", () => undefined, {}],
  ["main has changed the same lines since", (of) => ahead(of, { "a.txt": "changed, and again\n" }), {}],
  ["main has taken out something else", (of, git) => (ahead(of), void reverted(of, git)), {}],
  ["the work has dropped the same by itself", reverted, { "a.txt": "one\n", "new.txt": "" }],
])("nothing of the work is missing, and it is merged: %s", async ([, since, files]) => {
  const of = site();
  const git = merged(of);
  since(of, git);
  const work = (path: string): void => void sh(path, of.env, ["rm", "-q", "new.txt"]);
  const isDropped = files["new.txt"] === "";
  const { "new.txt": _gone, ...others } = files;
  handOver(of, { ...others, "more.txt": "more\n" }, isDropped ? { work } : {});
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "merge" });
  expect(git("show", "main:more.txt")).toBe("more");
});

test("a change of main that the worker merged is main's: it may be taken out again", async () => {
  const of = site();
  const git = (...args: string[]): string => sh(of.repo, of.env, args);
  handOver(of);
  ahead(of, { "b.txt": "elsewhere\n" });
  const work = (path: string): void => {
    sh(path, of.env, ["fetch", "-q", of.repo, "main"]);
    sh(path, of.env, ["merge", "-q", "--no-edit", "FETCH_HEAD"]);
  };
  handOver(of, { "more.txt": "more\n" }, { work });
  git("revert", "--no-edit", "HEAD");
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ how: "merge" });
  expect(readFileSync(join(of.repo, "b.txt"), "utf8")).toBe("two\n");
});

test("main was reset below where the work began: the merge says which commits it brings back", async () => {
  const of = site();
  const base = ahead(of);
  const { tree } = handOver({ ...of, base });
  sh(of.repo, of.env, ["reset", "-q", "--hard", "HEAD~"]);
  const { notes } = await mergeWork(on(of), merging({ ...of, base }));
  expect(notes).toEqual([`main also got 1 commit that the work began from: ${base.slice(0, 7)} "elsewhere"`]);
  expect(at(of, "main^{tree}")).toBe(tree);
});
