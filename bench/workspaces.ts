/** What workspaces cost: making one, handing work over, and the user's own git after many runs. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitWorkspaces } from "../src/adapters/git/workspace/workspaces.ts";
import { homeAt } from "../src/adapters/home/paths.ts";
import type { Workspaces } from "../src/engine/ports/files.ts";
import { median, table, type Figure } from "./figure.ts";

const FILES = 5000;
const COMMITS = 100;
const ROUNDS = 9;
const RUNS = 300;
const LOOKS = 41;
const SETTLE_MS = 2100;

type Site = {
  readonly root: string;
  readonly repo: string;
  readonly workspaces: Workspaces;
  readonly git: (cwd: string, ...args: readonly string[]) => string;
};

export function benchWorkspace(): Promise<Figure> {
  return onSite(FILES, async ({ root, repo, workspaces, git }) => {
    // The first one makes the mirror.
    await make(workspaces, repo, "first");
    const rounds: (readonly [number, number])[] = [];
    for (let n = 0; n < ROUNDS; n += 1)
      rounds.push([
        await timed(() => make(workspaces, repo, `r${n}`)),
        await timed(() => git(repo, "worktree", "add", "-q", "-b", `w${n}`, join(root, `w${n}`))),
      ]);
    return figure({
      name: `Workspace ready (${FILES} files), against \`git worktree add\``,
      limit: 1.3,
      rounds,
      sides: ["workspace ready", "`git worktree add`"],
    });
  });
}

export function benchHandover(): Promise<Figure> {
  return onSite(FILES, async ({ root, repo, workspaces, git }) => {
    const path = await make(workspaces, repo, "r1");
    const other = join(root, "other");
    git(repo, "worktree", "add", "-q", "-b", "other", other);
    const tree = (): Promise<string> => workspaces.digest(path, []);
    await tree();
    const rounds: (readonly [number, number])[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      for (const folder of [path, other]) writeFileSync(join(folder, "dir0/file0.txt"), `change ${n}\n`);
      // Both sides read only what changed: files that were written a moment ago are always read again.
      await new Promise((resolve) => setTimeout(resolve, n === 0 ? SETTLE_MS : 0));
      const ours = await timed(async () =>
        workspaces.snapshot({
          path,
          repo,
          run: "r1",
          tree: await tree(),
          artifacts: [],
          message: `change ${n}`,
        }),
      );
      rounds.push([ours, await timed(() => git(other, "commit", "-q", "--all", "-m", `change ${n}`))]);
    }
    return figure({
      name: `Handover (${FILES} files, one changed), against \`git commit --all\``,
      limit: 3,
      rounds,
      sides: ["digest, handover commit, branch in the user's repository", "`git commit --all`"],
    });
  });
}

export function benchUserGit(): Promise<Figure> {
  return onSite(200, async ({ root, repo, workspaces, git }) => {
    const remote = join(root, "remote.git");
    git(root, "clone", "-q", "--bare", repo, remote);
    git(repo, "remote", "add", "origin", remote);
    git(repo, "fetch", "-q");
    // A copy stays as it is: both are then measured in the same rounds, whatever else the machine does by then.
    const untouched = join(root, "untouched");
    cpSync(repo, untouched, { recursive: true });
    const look = (at: string): Promise<number> =>
      timed(() => {
        git(at, "fetch", "-q");
        git(at, "branch", "-a");
      });
    for (let n = 0; n < RUNS; n += 1) {
      const run = `r${n}`;
      const path = await make(workspaces, repo, run);
      writeFileSync(join(path, `new-${n}.txt`), `${n}\n`);
      const tree = await workspaces.digest(path, []);
      const keep = join(root, "kept", run);
      await workspaces.snapshot({ path, repo, run, tree, artifacts: [], message: run });
      await workspaces.release({ run, repo, path, keep, artifacts: [] });
      // As a person does with the branch of a task that is merged.
      git(repo, "branch", "-q", "-D", `signalbox/${run}`);
    }
    for (const at of [repo, untouched]) await look(at);
    const rounds: (readonly [number, number])[] = [];
    for (let n = 0; n < LOOKS; n += 1) {
      const after = await look(repo);
      rounds.push([after, await look(untouched)]);
    }
    return figure({
      name: `\`git fetch\` and \`git branch -a\` in the user's repository after ${RUNS} tasks, against before`,
      limit: 1.1,
      rounds,
      sides: [`after ${RUNS} tasks`, "a copy from before"],
    });
  });
}

async function make(workspaces: Workspaces, repo: string, run: string): Promise<string> {
  const of = { run, repo, branch: `signalbox/${run}`, base: "main", artifacts: ["TASK.md"] };
  return (await workspaces.prepare(of)).path;
}

async function timed(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

type Measured = {
  readonly name: string;
  readonly limit: number;
  readonly rounds: readonly (readonly [number, number])[];
  readonly sides: readonly [string, string];
};

function figure({ name, limit, rounds, sides }: Measured): Figure {
  const ours = median(rounds.map(([one]) => one));
  const theirs = median(rounds.map(([, one]) => one));
  const ratio = ours / theirs;
  const rows = [
    [sides[0], ours.toFixed(1)],
    [sides[1], theirs.toFixed(1)],
  ];
  return {
    name,
    wanted: `at most ${limit} times`,
    got: `${ratio.toFixed(2)} times`,
    ok: ratio <= limit,
    details: `${table(["", "ms"], rows)}\n\nMedian of ${rounds.length} alternating rounds.`,
  };
}

async function onSite(files: number, use: (site: Site) => Promise<Figure>): Promise<Figure> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-bench-")));
  const env = { PATH: process.env["PATH"] ?? "", HOME: root };
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    writeFileSync(
      join(root, ".gitconfig"),
      "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n",
    );
    const repo = join(root, "repo");
    for (let n = 0; n < files; n += 1) {
      const folder = join(repo, `dir${n % 50}`);
      if (n < 50) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `file${n}.txt`), `file ${n}\n`.repeat(20));
    }
    git(root, "init", "-q", repo);
    git(repo, "add", "-A");
    for (let n = 0; n < COMMITS; n += 1) git(repo, "commit", "-q", "--allow-empty", "-m", `commit ${n}`);
    return await use({
      root,
      repo,
      git,
      workspaces: gitWorkspaces({ home: homeAt(join(root, "state")), env }),
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
