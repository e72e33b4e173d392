/** The refs of runs in a mirror, read back. */

import { git } from "../call/call.ts";
import type { Git } from "../workspace/bench.ts";
import { inMirror } from "./mirror.ts";

export type RunRefs = {
  readonly run: string;
  /** Commits; empty where the ref is missing. */
  readonly base: string;
  readonly head: string;
  /** What the last release left. */
  readonly left: string;
  /** What releases before that left, the newest first. */
  readonly earlier: readonly string[];
  /** All handovers. */
  readonly works: readonly string[];
  /** When the newest of these commits was made, without the base. */
  readonly at: string;
};

type RefRow = { readonly run: string; readonly name: string; readonly oid: string; readonly seconds: number };

/** Of every run that the mirror knows. */
export async function refsOfRuns(on: Git, mirror: string): Promise<readonly RunRefs[]> {
  const rows = Map.groupBy(await rowsIn(on, mirror, "refs/runs"), ({ run }) => run);
  return [...rows].map(([run, all]) => refsIn(run, all));
}

export async function refsOfRun(
  on: Git,
  { mirror, run }: { readonly mirror: string; readonly run: string },
): Promise<RunRefs> {
  return refsIn(run, await rowsIn(on, mirror, `refs/runs/${run}`));
}

/** The commits that refs of the run name, also those that the mirror has lost. */
export async function commitsOfRun(
  on: Git,
  { mirror, run }: { readonly mirror: string; readonly run: string },
): Promise<ReadonlySet<string>> {
  const args = ["for-each-ref", "--format=%(objectname)", `refs/runs/${run}/`];
  const listed = await git(on.env, { ...inMirror(mirror), args });
  return new Set(listed.split("\n").filter((oid) => oid !== ""));
}

async function rowsIn(on: Git, mirror: string, below: string): Promise<readonly RefRow[]> {
  const format = "--format=%(refname)%00%(objectname)%00%(committerdate:unix)";
  const listed = await git(on.env, { ...inMirror(mirror), args: ["for-each-ref", format, below] });
  return listed.split("\n").flatMap((line) => {
    const [ref = "", oid = "", seconds = ""] = line.split("\0");
    const [, run = "", name = ""] = /^refs\/runs\/([^/]+)\/(.+)$/.exec(ref) ?? [];
    return run === "" ? [] : [{ run, name, oid, seconds: Number(seconds) }];
  });
}

function refsIn(run: string, rows: readonly RefRow[]): RunRefs {
  const named = (name: string): string => rows.find((row) => row.name === name)?.oid ?? "";
  const base = named("base");
  const below = (folder: string): readonly string[] => [
    ...new Set(
      rows
        .filter(({ name }) => name.startsWith(folder))
        .toSorted((a, b) => b.seconds - a.seconds)
        .map(({ oid }) => oid),
    ),
  ];
  const times = rows.filter(({ oid }) => oid !== base).map(({ seconds }) => seconds);
  return {
    run,
    base,
    head: named("head"),
    left: named("left"),
    earlier: below("earlier/"),
    works: below("work/"),
    at: times.length === 0 ? "" : new Date(Math.max(...times) * 1000).toISOString(),
  };
}
