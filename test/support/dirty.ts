/** States in which an agent can leave its workspace. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commit, put, sh } from "./git.ts";
import type { Site } from "./git.ts";

type Dirty = (path: string, of: Site) => void;

function tryGit(path: string, of: Site, args: readonly string[]): void {
  spawnSync("git", args, { cwd: path, env: of.env });
}

/** Two branches that change the same line, and a third file on each. */
function diverge(path: string, of: Site): void {
  put(path, { "a.txt": "ours\n", "only-ours.txt": "ours\n" });
  commit(path, of.env, "ours");
  sh(path, of.env, ["switch", "-q", "-c", "theirs", of.base]);
  put(path, { "a.txt": "theirs\n", "only-theirs.txt": "theirs\n" });
  commit(path, of.env, "theirs");
  sh(path, of.env, ["switch", "-q", "signalbox/r1"]);
}

/** With whether work is expected that no handover has, and a folder of kept files. */
export const DIRTY: readonly (readonly [name: string, make: Dirty, salvage: boolean, kept: boolean])[] = [
  ["clean", () => undefined, false, false],
  ["committed", (path, of) => void (put(path, { "a.txt": "x\n" }), commit(path, of.env, "x")), true, false],
  ["unstaged", (path) => put(path, { "a.txt": "changed\n" }), true, false],
  [
    "staged",
    (path, of) => (put(path, { "a.txt": "staged\n" }), void sh(path, of.env, ["add", "a.txt"])),
    true,
    false,
  ],
  [
    "staged and then changed again",
    (path, of) => (
      put(path, { "a.txt": "staged\n", "n.txt": "1\n" }),
      sh(path, of.env, ["add", "-A"]),
      put(path, { "a.txt": "later\n", "n.txt": "2\n" })
    ),
    true,
    true,
  ],
  [
    "staged and taken back on the disk",
    (path, of) => (
      put(path, { "a.txt": "staged\n" }),
      sh(path, of.env, ["add", "a.txt"]),
      put(path, { "a.txt": "one\n" })
    ),
    false,
    true,
  ],
  [
    "untracked",
    (path) => put(path, { "new.txt": "new\n", "deep/er/x y.txt": "x\n", "größe 日本.txt": "u\n" }),
    true,
    false,
  ],
  [
    "ignored",
    (path) =>
      put(path, { ".env": "SECRET=1\n", "build/out.bin": Buffer.from([0, 1, 2, 255]), "dir/x.log": "log\n" }),
    false,
    true,
  ],
  [
    "ignored and untracked in one folder",
    (path) => put(path, { "mix/a.log": "i\n", "mix/b.txt": "u\n" }),
    true,
    true,
  ],
  ["artifacts", (path) => put(path, { "TASK.md": "# Task\n" }), false, true],
  ["deleted", (path) => rmSync(join(path, "b.txt")), true, false],
  [
    "deleted from the index only",
    (path, of) => void sh(path, of.env, ["rm", "-q", "--cached", "b.txt"]),
    false,
    false,
  ],
  [
    "renamed",
    (path, of) => (sh(path, of.env, ["mv", "a.txt", "z.txt"]), put(path, { "z.txt": "one and more\n" })),
    true,
    false,
  ],
  ["renamed on the disk only", (path) => renameSync(join(path, "dir"), join(path, "folder")), true, false],
  ["mode changed", (path) => chmodSync(join(path, "a.txt"), 0o755), true, false],
  [
    "a file became a link",
    (path) => (rmSync(join(path, "a.txt")), symlinkSync("../outside", join(path, "a.txt"))),
    true,
    false,
  ],
  ["a link to a folder", (path) => symlinkSync("dir", join(path, "link")), true, false],
  [
    "a file became a folder with ignored files",
    (path) => (rmSync(join(path, "a.txt")), put(path, { "a.txt/x.log": "ignored\n" })),
    true,
    true,
  ],
  [
    "a folder became a file",
    (path) => (rmSync(join(path, "dir"), { recursive: true }), put(path, { dir: "file\n" })),
    true,
    false,
  ],
  [
    "intent to add",
    (path, of) => (put(path, { "i.txt": "i\n" }), void sh(path, of.env, ["add", "-N", "i.txt"])),
    true,
    false,
  ],
  [
    "an ignored file that is tracked",
    (path, of) => (
      put(path, { "x.log": "forced\n" }),
      sh(path, of.env, ["add", "-f", "x.log"]),
      put(path, { "x.log": "more\n" })
    ),
    false,
    true,
  ],
  [
    "assumed unchanged",
    (path, of) => (
      sh(path, of.env, ["update-index", "--assume-unchanged", "a.txt"]),
      put(path, { "a.txt": "hidden\n" })
    ),
    true,
    false,
  ],
  [
    "skipped in the worktree",
    (path, of) => (
      sh(path, of.env, ["update-index", "--skip-worktree", "a.txt"]),
      put(path, { "a.txt": "hidden\n" })
    ),
    true,
    false,
  ],
  [
    "a split index",
    (path, of) => (
      sh(path, of.env, ["update-index", "--split-index"]),
      put(path, { "s.txt": "s\n" }),
      void sh(path, of.env, ["add", "s.txt"])
    ),
    true,
    true,
  ],
  [
    "a merge with conflicts",
    (path, of) => (
      diverge(path, of),
      tryGit(path, of, ["merge", "theirs"]),
      put(path, { "only-ours.txt": "edited\n" })
    ),
    true,
    true,
  ],
  [
    "a rebase that stopped",
    (path, of) => (diverge(path, of), tryGit(path, of, ["rebase", "theirs"])),
    true,
    true,
  ],
  [
    "a cherry-pick that stopped",
    (path, of) => (diverge(path, of), tryGit(path, of, ["cherry-pick", "theirs"])),
    true,
    true,
  ],
  [
    "a detached HEAD with commits",
    (path, of) => (
      sh(path, of.env, ["switch", "-q", "--detach"]),
      put(path, { "d.txt": "d\n" }),
      void commit(path, of.env, "detached")
    ),
    true,
    false,
  ],
  [
    "a detached HEAD with commits, left again",
    (path, of) => (
      sh(path, of.env, ["switch", "-q", "--detach"]),
      put(path, { "d.txt": "d\n" }),
      commit(path, of.env, "detached"),
      void sh(path, of.env, ["switch", "-q", "signalbox/r1"])
    ),
    false,
    true,
  ],
  [
    "commits that were taken back",
    (path, of) => (
      put(path, { "t.txt": "t\n" }),
      commit(path, of.env, "t"),
      void sh(path, of.env, ["reset", "-q", "--hard", "HEAD~1"])
    ),
    false,
    true,
  ],
  [
    "another branch",
    (path, of) => (sh(path, of.env, ["switch", "-q", "-c", "other"]), put(path, { "o.txt": "o\n" })),
    true,
    false,
  ],
  [
    "a branch without a commit",
    (path, of) => (sh(path, of.env, ["switch", "-q", "--orphan", "fresh"]), put(path, { "f.txt": "f\n" })),
    true,
    false,
  ],
  ["a nested repository", (path, of) => nest(path, of, true), true, true],
  ["a nested repository without a commit", (path, of) => nest(path, of, false), false, true],
  [
    "a repository inside a tracked folder",
    (path, of) => (
      sh(join(path, "dir"), of.env, ["init", "-q"]),
      commit(join(path, "dir"), of.env, "inner"),
      put(path, { "dir/c.txt": "changed\n", "dir/n.txt": "n\n" })
    ),
    true,
    true,
  ],
  ["a submodule with work in it", addSubmodule, true, true],
  [
    "CRLF and attributes",
    (path) =>
      put(path, {
        ".gitattributes": "* text=auto eol=lf\n",
        "crlf.txt": "a\r\nb\r\n",
        "mixed.txt": "a\r\nb\nc\r\n",
        "a.txt": "one\r\n",
      }),
    true,
    true,
  ],
  [
    "names that are odd",
    (path) =>
      put(path, {
        "-rf": "1\n",
        "a\nb": "2\n",
        'q"uo"te': "3\n",
        "back\\slash": "4\n",
        " lead": "5\n",
        ":(top)x": "6\n",
        "tab\t": "7\n",
      }),
    true,
    false,
  ],
  [
    "a name that is no UTF-8",
    (path) =>
      writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff, 0xfe])]), "bytes\n"),
    true,
    false,
  ],
  [
    "an ignored name that is no UTF-8",
    (path) =>
      writeFileSync(
        Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff]), Buffer.from(".log")]),
        "bytes\n",
      ),
    false,
    true,
  ],
  ["a pipe", (path) => void execFileSync("/usr/bin/env", ["mkfifo", join(path, "pipe")]), false, true],
  ["empty folders", (path) => void mkdirSync(join(path, "empty/er"), { recursive: true }), false, false],
  ["a lock left behind", (path) => put(path, { ".git/index.lock": "", "a.txt": "x\n" }), true, false],
  [
    "without an index",
    (path) => (rmSync(join(path, ".git/index")), put(path, { "a.txt": "x\n" })),
    true,
    false,
  ],
  [
    "a stash",
    (path, of) => (
      put(path, { "a.txt": "stashed\n", "s.txt": "s\n" }),
      sh(path, of.env, ["stash", "push", "-q", "-u"]),
      put(path, { "b.txt": "after\n" })
    ),
    true,
    true,
  ],
  [
    "packed commits",
    (path, of) => (
      put(path, { "p.txt": "p\n" }),
      commit(path, of.env, "packed"),
      void sh(path, of.env, ["gc", "-q", "--prune=now"])
    ),
    true,
    false,
  ],
  [
    "commits taken back and packed",
    (path, of) => (
      put(path, { "p.txt": "p\n" }),
      commit(path, of.env, "packed"),
      sh(path, of.env, ["reset", "-q", "--hard", "HEAD~1"]),
      void sh(path, of.env, ["gc", "-q"])
    ),
    false,
    true,
  ],
  [
    "a worktree of its own",
    (path, of) => void sh(path, of.env, ["worktree", "add", "-q", join(of.root, "tree")]),
    false,
    true,
  ],
  [
    "its .git gone",
    (path) => (rmSync(join(path, ".git"), { recursive: true }), put(path, { "a.txt": "x\n" })),
    true,
    false,
  ],
  [
    "another repository in its place",
    (path, of) => (
      rmSync(join(path, ".git"), { recursive: true }),
      sh(path, of.env, ["init", "-q"]),
      put(path, { "a.txt": "x\n" }),
      void commit(path, of.env, "hijacked")
    ),
    true,
    true,
  ],
];

function nest(path: string, of: Site, withCommit: boolean): void {
  const nested = join(path, "nested");
  mkdirSync(nested);
  sh(nested, of.env, ["init", "-q"]);
  put(nested, { "inner.txt": "inner\n" });
  if (withCommit) commit(nested, of.env, "inner");
  put(nested, { "inner-dirty.txt": "dirty\n" });
}

function addSubmodule(path: string, of: Site): void {
  const library = join(of.root, "library");
  mkdirSync(library);
  sh(library, of.env, ["init", "-q"]);
  put(library, { "lib.txt": "lib\n" });
  commit(library, of.env, "lib");
  sh(path, of.env, ["submodule", "--quiet", "add", library, "sub"]);
  commit(path, of.env, "with a submodule");
  put(join(path, "sub"), { "lib.txt": "changed\n" });
  commit(join(path, "sub"), of.env, "only here");
  put(join(path, "sub"), { "loose.txt": "loose\n" });
}
