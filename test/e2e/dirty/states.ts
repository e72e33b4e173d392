/** States in which agents leave their workspaces, each made with plain git as an agent would type it. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Env } from "../../support/git.ts";

/** Where the state is made: the workspace, a place for other repositories, and an agent's environment. */
export type Spot = { readonly path: string; readonly beside: string; readonly env: Env };

export type State = {
  readonly name: string;
  readonly make: (spot: Spot) => void;
  /** What `.salvage/git` must hold of it. */
  readonly operation?: string;
  /** It gets along with the others of these in one workspace. */
  readonly isSimple?: true;
  /** No commit can deliver it: the run cannot be finished with it, only dropped. */
  readonly isUndeliverable?: true;
  /** Files that are on the disk only after restoring: a sparse checkout hides them. */
  readonly isSparse?: true;
};

export function git({ path, env }: Pick<Spot, "path" | "env">, ...args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd: path,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** It may well fail: a conflict is what is wanted. */
function tryGit({ path, env }: Spot, ...args: readonly string[]): void {
  spawnSync("git", args, { cwd: path, env });
}

export function put(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function commit(spot: Spot, message: string): void {
  git(spot, "add", "-A");
  git(spot, "commit", "-q", "--allow-empty", "-m", message);
}

/** Two branches that change the same line; on the first of them. */
function diverge(spot: Spot): void {
  const own = git(spot, "symbolic-ref", "--short", "HEAD");
  put(spot.path, { "a.txt": "theirs\n", "only-theirs.txt": "theirs\n" });
  git(spot, "switch", "-q", "-c", `theirs-of-${own.replaceAll("/", "-")}`);
  commit(spot, "theirs");
  git(spot, "switch", "-q", own);
  put(spot.path, { "a.txt": "ours\n", "only-ours.txt": "ours\n" });
  commit(spot, "ours");
}

function theirs(spot: Spot): string {
  return `theirs-of-${git(spot, "symbolic-ref", "--short", "HEAD").replaceAll("/", "-")}`;
}

function bytes(spot: Spot, name: readonly number[], content: string): void {
  writeFileSync(Buffer.concat([Buffer.from(`${spot.path}/`), Buffer.from(name)]), content);
}

export const STATES: readonly State[] = [
  { name: "modified", make: ({ path }) => put(path, { "a.txt": "changed\n" }) },
  {
    name: "staged",
    make: (spot) => (put(spot.path, { "a.txt": "staged\n" }), void git(spot, "add", "a.txt")),
  },
  {
    name: "staged and modified",
    make: (spot) => {
      put(spot.path, { "a.txt": "staged\n", "n.txt": "1\n" });
      git(spot, "add", "-A");
      put(spot.path, { "a.txt": "later\n", "n.txt": "2\n" });
    },
  },
  { name: "deleted", isSimple: true, make: ({ path }) => rmSync(join(path, "b.txt")) },
  {
    name: "renamed",
    make: (spot) => {
      git(spot, "mv", "a.txt", "z.txt");
      put(spot.path, { "z.txt": "one and more\n" });
      renameSync(join(spot.path, "dir"), join(spot.path, "folder"));
    },
  },
  {
    name: "untracked",
    isSimple: true,
    make: ({ path }) => put(path, { "new.txt": "new\n", "größe 日本.txt": "u\n" }),
  },
  {
    name: "untracked folder",
    isSimple: true,
    make: ({ path }) => put(path, { "deep/er/x y.txt": "x\n", "deep/er/z/w": "" }),
  },
  {
    name: "ignored file",
    isSimple: true,
    make: ({ path }) => put(path, { ".env": "SECRET=1\n", "dir/x.log": "log\n" }),
  },
  {
    name: "ignored folder",
    isSimple: true,
    make: ({ path }) => put(path, { "build/out.bin": Buffer.from([0, 1, 2, 255]), "build/b/c": "c\n" }),
  },
  {
    name: "nested repository",
    isUndeliverable: true,
    make: (spot) => {
      const nested = { ...spot, path: join(spot.path, "nested") };
      mkdirSync(nested.path);
      git(nested, "init", "-q");
      put(nested.path, { "inner.txt": "inner\n" });
      commit(nested, "inner");
      put(nested.path, { "inner-dirty.txt": "dirty\n" });
    },
  },
  {
    name: "stash",
    make: (spot) => {
      put(spot.path, { "a.txt": "stashed\n", "s.txt": "s\n" });
      git(spot, "stash", "push", "-q", "-u");
      put(spot.path, { "b.txt": "after\n" });
    },
  },
  {
    name: "unpushed commits",
    make: (spot) => {
      put(spot.path, { "a.txt": "1\n" });
      commit(spot, "first");
      put(spot.path, { "a.txt": "2\n" });
      commit(spot, "second");
    },
  },
  {
    name: "detached HEAD with a commit",
    make: (spot) => {
      git(spot, "switch", "-q", "--detach");
      put(spot.path, { "d.txt": "d\n" });
      commit(spot, "detached");
    },
  },
  {
    name: "commits taken back",
    make: (spot) => {
      put(spot.path, { "t.txt": "t\n" });
      commit(spot, "taken back");
      git(spot, "reset", "-q", "--hard", "HEAD~1");
      put(spot.path, { "a.txt": "after\n" });
    },
  },
  {
    name: "in a rebase",
    operation: "rebase-merge",
    make: (spot) => (diverge(spot), tryGit(spot, "rebase", theirs(spot))),
  },
  {
    name: "in a merge with conflicts",
    operation: "MERGE_HEAD",
    make: (spot) => {
      diverge(spot);
      tryGit(spot, "merge", theirs(spot));
      put(spot.path, { "only-ours.txt": "edited\n" });
    },
  },
  {
    name: "in a cherry-pick",
    operation: "CHERRY_PICK_HEAD",
    make: (spot) => (diverge(spot), tryGit(spot, "cherry-pick", theirs(spot))),
  },
  { name: "submodule", operation: "modules/sub", isUndeliverable: true, make: addSubmodule },
  {
    name: "links and odd names",
    make: (spot) => {
      const { path } = spot;
      put(path, { "-rf": "1\n", "a\nb": "2\n", 'q"uo"te': "3\n", "back\\slash": "4\n", ":(top)x": "6\n" });
      bytes(spot, [0x66, 0xff, 0xfe], "latin\n");
      bytes(spot, [0x66, 0xfc, 0x2e, 0x6c, 0x6f, 0x67], "ignored latin\n");
      symlinkSync("dir", join(path, "link"));
      symlinkSync("../../outside", join(path, "away"));
      rmSync(join(path, "a.txt"));
      symlinkSync("/nowhere", join(path, "a.txt"));
    },
  },
  { name: "file mode", isSimple: true, make: ({ path }) => chmodSync(join(path, "a.txt"), 0o755) },
  {
    name: "intent to add",
    isSimple: true,
    make: (spot) => (put(spot.path, { "i.txt": "i\n" }), void git(spot, "add", "-N", "i.txt")),
  },
  {
    name: "sparse",
    isSparse: true,
    make: (spot) => {
      git(spot, "sparse-checkout", "set", "--no-cone", "/*", "!/dir/");
      put(spot.path, { "a.txt": "changed\n", "dir/other.txt": "outside of what is checked out\n" });
    },
  },
  {
    name: "line ends",
    make: ({ path }) =>
      put(path, {
        ".gitattributes": "* text=auto eol=lf\n",
        "crlf.txt": "a\r\nb\r\n",
        "mixed.txt": "a\r\nb\nc\r\n",
        "a.txt": "one\r\n",
      }),
  },
  {
    name: "file and folder change places",
    make: ({ path }) => {
      rmSync(join(path, "a.txt"));
      put(path, { "a.txt/x.log": "ignored\n", "a.txt/y.txt": "untracked\n" });
      rmSync(join(path, "dir"), { recursive: true });
      put(path, { dir: "file\n" });
    },
  },
];

/** The simple ones in one workspace, the others one by one: each is tried, in less time. */
export const FEWER: readonly State[] = [
  ...STATES.filter(({ isSimple }) => isSimple !== true),
  {
    name: STATES.flatMap(({ name, isSimple }) => (isSimple === true ? [name] : [])).join(", "),
    make: (spot) => {
      for (const { isSimple, make } of STATES) if (isSimple === true) make(spot);
    },
  },
];

function addSubmodule(spot: Spot): void {
  const library = { ...spot, path: join(spot.beside, "library") };
  if (spawnSync("test", ["-d", library.path]).status !== 0) {
    mkdirSync(library.path, { recursive: true });
    git(library, "init", "-q");
    put(library.path, { "lib.txt": "lib\n" });
    commit(library, "lib");
  }
  git(spot, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.path, "sub");
  commit(spot, "with a submodule");
  const sub = { ...spot, path: join(spot.path, "sub") };
  put(sub.path, { "lib.txt": "changed\n" });
  commit(sub, "only here");
  put(sub.path, { "loose.txt": "loose\n" });
}
