/** What git itself takes for a command: the same calls again, alone. */

import { spawnSync } from "node:child_process";
import { existsSync, chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stage, Variables } from "./stage.ts";

export type GitCall = { readonly args: readonly string[]; readonly cwd: string; readonly env: Variables };

/** Writes down every call of git that a command makes, by standing in for git on its path. */
export function gitCallsOf(stage: Stage, work: (env: Variables) => void): readonly GitCall[] {
  const bin = join(stage.folder, "bin");
  const log = join(stage.folder, "git.log");
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8", env: stage.env }).stdout.trim();
  rmSync(log, { force: true });
  mkdirSync(bin, { recursive: true });
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\n{ pwd; for word; do printf '%s\\036' "$word"; done; echo; env -0 | tr '\\000' '\\036'; echo; } >>${log}\nexec ${real} "$@"\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  work({ PATH: `${bin}:${stage.env["PATH"] ?? ""}` });
  const lines = (existsSync(log) ? readFileSync(log, "utf8") : "").trimEnd().split("\n");
  return Array.from({ length: lines.length / 3 }, (_, n) => ({
    cwd: lines[3 * n] ?? "",
    args: wordsOf(lines[3 * n + 1]),
    env: { ...Object.fromEntries(wordsOf(lines[3 * n + 2]).map(pairOf)), ...pathOf(stage) },
  }));
}

function wordsOf(line = ""): readonly string[] {
  return line.split("\u001e").slice(0, -1);
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

function pathOf({ env }: Stage): Variables {
  return { PATH: env["PATH"] ?? "" };
}

/** The calls read and write an index of their own, which is put there again before each round. */
export function timeGit(calls: readonly GitCall[], index: string): number {
  const copies = new Set(calls.map(({ env }) => env["GIT_INDEX_FILE"] ?? "").filter((path) => path !== ""));
  for (const copy of copies) copyFileSync(index, copy);
  const begin = performance.now();
  for (const { args, cwd, env } of calls) {
    const { status, stderr } = spawnSync("git", args, { cwd, env, input: ".", encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  }
  const took = performance.now() - begin;
  for (const copy of copies) rmSync(copy, { force: true });
  return took;
}
