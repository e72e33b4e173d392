/** Uncommitted changes in the user's checkout: what `task merge` advises makes way for it, and loses nothing. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Merging } from "../../src/adapters/git/delivery/merge-plan.ts";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { commit, put, removeSites, site } from "../support/git.ts";
import { handOver } from "../support/handover.ts";

afterAll(removeSites);

test.for<[file: string, way: string]>([
  ["b.txt", "stash push -- b.txt"],
  [".signalbox/config.yaml", "commit -m 'Change settings' -- .signalbox/config.yaml"],
  // Nobody can type these names.
  ["caf\xE9.txt", "stash push -- ."],
  ["line\nline.txt", "stash push -- ."],
  [":x.txt", "stash push -- ."],
])("changes in %s: what is advised, typed to the letter, makes way", async ([file, way]) => {
  const of = site();
  put(of.repo, { ".signalbox/config.yaml": "terminal: auto\n" });
  // As bytes: a name need not be UTF-8.
  const path = Buffer.from(join(of.repo, file), "latin1");
  writeFileSync(path, "before\n");
  commit(of.repo, of.env, "settings");
  const { commit: work } = handOver(of);
  writeFileSync(path, "mine\n");
  const names = { run: "r1", branch: "task", into: "main", message: "Merge task r1: a change" };
  const merging: Merging = { ...names, repo: of.repo, base: of.base, commit: work };
  const on = { home: of.home, env: of.env };
  const no: unknown = await mergeWork(on, merging).catch((error: unknown) => error);
  const { next } = no as { readonly next: string };
  const [first = "", , last] = next.split(", then: ");
  expect(first).toContain(way);
  const typed = (line: string): void => void execFileSync("sh", ["-c", line], { env: of.env, stdio: "pipe" });
  typed(first);
  expect(await mergeWork(on, merging)).toMatchObject({ checkout: of.repo });
  if (last !== undefined) typed(last);
  expect(readFileSync(path, "utf8")).toBe("mine\n");
});
