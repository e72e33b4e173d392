/** Merges of work that was handed over, as tests ask for them. */

import type { Merging } from "../../src/adapters/git/delivery/merge-plan.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { UserError } from "../../src/adapters/user-error.ts";
import { commit, put, sh, type Site } from "./git.ts";

export const MESSAGE = "Merge task r1: a change";

/** The last handover of the run, unless another commit is given. */
export function merging(of: Site, more: Partial<Merging> = {}): Merging {
  const work = sh(mirrorOf(of.home, of.repo), of.env, ["rev-parse", "refs/runs/r1/head"]);
  return {
    run: "r1",
    repo: of.repo,
    branch: "task",
    into: "main",
    base: of.base,
    commit: work,
    message: MESSAGE,
    ...more,
  };
}

/** Commits to the default branch. */
export function ahead(
  of: Site,
  files: Readonly<Record<string, string>> = { "b.txt": "elsewhere\n" },
): string {
  put(of.repo, files);
  return commit(of.repo, of.env, "elsewhere");
}

export const at = (of: Site, ref: string): string => sh(of.repo, of.env, ["rev-parse", ref]);
export const status = (of: Site): string => sh(of.repo, of.env, ["status", "--porcelain"]);
export const on = (of: Site): Pick<Site, "home" | "env"> => ({ home: of.home, env: of.env });

export async function refused(work: Promise<unknown>): Promise<UserError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
