/** Work whose history has the newest main and whose files do not: merging it would set main back. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { forecastMerge, type Merging } from "../../src/adapters/git/delivery/merge-plan.ts";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { handOver } from "../support/handover.ts";

afterAll(removeSites);

const on = (of: Site) => ({ home: of.home, env: of.env });

/** The last handover of the run. */
function merging(of: Site, more: Partial<Merging> = {}): Merging {
  const work = sh(mirrorOf(of.home, of.repo), of.env, ["rev-parse", "refs/runs/r1/head"]);
  const { repo, base } = of;
  return { run: "r1", repo, branch: "task", into: "main", base, commit: work, message: "Merge", ...more };
}

function ahead(of: Site, files: Readonly<Record<string, string>>): string {
  put(of.repo, files);
  return commit(of.repo, of.env, "elsewhere");
}

/** The agent's clone goes on from the newest main, in some way. */
function fetching(of: Site, how: (path: string) => void): (path: string) => void {
  return (path) => {
    sh(path, of.env, ["fetch", "-q", of.repo, "main"]);
    how(path);
  };
}

const MAIN = { "b.txt": "of main\n", "added.txt": "of main\n" };

test.for<[string, (path: string, of: Site) => void]>([
  ["git reset --soft", (path, of) => sh(path, of.env, ["reset", "-q", "--soft", "FETCH_HEAD"])],
  [
    "a merge that keeps one side",
    (path, of) => sh(path, of.env, ["merge", "-q", "-s", "ours", "--no-edit", "FETCH_HEAD"]),
  ],
])("history of main without its files is refused: %s", async ([, how]) => {
  const of = site();
  handOver(of);
  const old = ahead(of, MAIN);
  handOver(of, { "a.txt": "changed\n" }, { work: fetching(of, (path) => how(path, of)) });
  for (const strategy of [{}, { strategy: "merge" }, { strategy: "squash" }] as const) {
    await expect(mergeWork(on(of), merging(of, strategy))).rejects.toMatchObject({
      code: "would-undo",
      message: "This would undo 2 files changed on main: added.txt, b.txt. Nothing was changed.",
      next: expect.stringMatching(/signalbox send-back r1 .*signalbox accept r1 --allow-undo/) as unknown,
    });
  }
  expect(await forecastMerge(on(of), merging(of))).toMatchObject({ code: "would-undo" });
  expect(sh(of.repo, of.env, ["rev-parse", "main"])).toBe(old);
  expect(sh(of.repo, of.env, ["status", "--porcelain"])).toBe("");
  expect(await mergeWork(on(of), merging(of, { allowUndo: true }))).toMatchObject({
    undone: "2 files changed on main: added.txt, b.txt",
  });
  expect(existsSync(join(of.repo, "added.txt"))).toBe(false);
});

test.for<[string, (path: string, of: Site) => void]>([
  ["nothing of main", () => undefined],
  ["a merge", (path, of) => sh(path, of.env, ["merge", "-q", "--no-edit", "FETCH_HEAD"])],
  ["a rebase", (path, of) => sh(path, of.env, ["rebase", "-q", "FETCH_HEAD"])],
  [
    "a merge, and a change of what main had changed",
    (path, of) => {
      sh(path, of.env, ["merge", "-q", "--no-edit", "FETCH_HEAD"]);
      put(path, { "b.txt": "of main, and more\n" });
    },
  ],
  ["its own version of what main had changed", (path) => put(path, { "added.txt": "of main\n" })],
])("work with %s undoes nothing", async ([, how]) => {
  const of = site();
  handOver(of);
  ahead(of, MAIN);
  handOver(of, { "a.txt": "changed again\n" }, { work: fetching(of, (path) => how(path, of)) });
  // What main has got since is not in the work, and stays.
  ahead(of, { "later.txt": "of main\n" });
  expect(await mergeWork(on(of), merging(of))).toMatchObject({ undone: "" });
  expect(readFileSync(join(of.repo, "b.txt"), "utf8")).toMatch(/^of main/);
  expect(existsSync(join(of.repo, "later.txt"))).toBe(true);
});

test.for<[string, files: Readonly<Record<string, string>>, undone: string]>([
  ["its own side of a conflict", { "a.txt": "of the work\n" }, "1 file changed on main: a.txt"],
  ["both sides of a conflict", { "a.txt": "of main\nof the work\n" }, ""],
  [
    "a part of what main added",
    { "a.txt": "of the work\n", "b.txt": "two\nthree\n" },
    "1 file changed on main: a.txt",
  ],
])("a merge of main that leaves %s", async ([, files, undone]) => {
  const of = site();
  handOver(of, { "a.txt": "of the work\n" });
  ahead(of, { "a.txt": "of main\n", "b.txt": "two\nthree\nfour\n" });
  const merge = (path: string): void =>
    void sh(path, of.env, ["merge", "-q", "-X", "ours", "--no-edit", "FETCH_HEAD"]);
  handOver(of, files, { work: fetching(of, merge) });
  const outcome = await mergeWork(on(of), merging(of)).then(
    (merged) => merged.undone,
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );
  expect(outcome).toBe(undone === "" ? "" : `This would undo ${undone}. Nothing was changed.`);
});
