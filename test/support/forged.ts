/** What an agent can write into its workspace, and into the `.git` in it, so that the engine or git does something else. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { commit, put, sh, type Site } from "./git.ts";

const LARGE = 100 * 1024 * 1024;

export type Forge = (path: string, of: Site) => void;

/** A program that leaves a mark, and hands its input on as a filter must. */
function trap({ root }: Site): string {
  const file = join(root, "trap");
  writeFileSync(file, `#!/bin/sh\n: >"${root}/mark"\ncat\n`, { mode: 0o755 });
  return file;
}

export const isMarked = ({ root }: Site): boolean => existsSync(join(root, "mark"));

export function pipe(file: string): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  execFileSync("mkfifo", [file]);
}

function link(target: string, file: string): void {
  rmSync(file, { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
}

const set = (path: string, of: Site, [key, value]: readonly [string, string]): void =>
  void sh(path, of.env, ["config", key, value]);

const objectFile = (path: string, oid: string): string =>
  join(path, ".git/objects", oid.slice(0, 2), oid.slice(2));

/** Commits of the agent's own that nobody has imported yet; the last is where its branch is. */
function commits(path: string, of: Site): string {
  put(path, { "mine.txt": "mine\n" });
  return commit(path, of.env, "the agent's own");
}

/** Another repository, with a commit that says it follows the base. */
function foreign(of: Site): { readonly objects: string; readonly head: string } {
  const other = join(of.root, "private");
  sh(of.root, of.env, ["clone", "-q", of.repo, other]);
  put(other, { "secret.txt": "secret\n" });
  return { objects: join(other, ".git/objects"), head: commit(other, of.env, "secret") };
}

export const BRANCH = "refs/heads/signalbox/r1";
const point = (path: string, oid: string): void => put(path, { [`.git/${BRANCH}`]: `${oid}\n` });

/** Those that plain git runs or follows. */
export const COMMANDS: readonly (readonly [name: string, forge: Forge])[] = [
  [
    "a filter in .gitattributes",
    (path, of) => (
      set(path, of, ["filter.x.clean", trap(of)]),
      set(path, of, ["filter.x.smudge", trap(of)]),
      set(path, of, ["filter.x.required", "true"]),
      put(path, { ".gitattributes": "* filter=x\n" })
    ),
  ],
  [
    "a filter in info/attributes, in an included file",
    (path, of) => (
      put(of.root, { included: `[filter "x"]\n\tclean = ${trap(of)}\n` }),
      set(path, of, ["include.path", join(of.root, "included")]),
      put(path, { ".git/info/attributes": "* filter=x\n" })
    ),
  ],
  [
    "a filter process",
    (path, of) => (
      set(path, of, ["filter.x.process", trap(of)]),
      put(path, { ".gitattributes": "* filter=x\n" })
    ),
  ],
  ["core.fsmonitor", (path, of) => set(path, of, ["core.fsmonitor", trap(of)])],
  [
    "hooks",
    (path, of) => {
      for (const hook of ["post-index-change", "reference-transaction", "pre-commit"]) {
        put(path, { [`.git/hooks/${hook}`]: readFileSync(trap(of)) });
        chmodSync(join(path, ".git/hooks", hook), 0o755);
      }
    },
  ],
  [
    "core.hooksPath",
    (path, of) => {
      put(of.root, { "hooks/post-index-change": readFileSync(trap(of)) });
      chmodSync(join(of.root, "hooks/post-index-change"), 0o755);
      set(path, of, ["core.hooksPath", join(of.root, "hooks")]);
    },
  ],
  [
    "a .git that leads to a repository with a filter",
    (path, of) => {
      const evil = join(of.root, "evil");
      renameSync(join(path, ".git"), evil);
      sh(of.root, of.env, ["--git-dir", evil, "config", "filter.x.clean", trap(of)]);
      put(path, { ".gitattributes": "* filter=x\n" });
      writeFileSync(join(path, ".git"), `gitdir: ${evil}\n`);
    },
  ],
];

export const FORGED: readonly (readonly [name: string, forge: Forge])[] = [
  [
    "every other command of a configuration",
    (path, of) => {
      for (const key of ["diff.external", "core.pager", "core.editor", "core.sshCommand", "gpg.program"])
        set(path, of, [key, trap(of)]);
      for (const key of ["merge.x.driver", "diff.x.command", "diff.x.textconv", "credential.helper"])
        set(path, of, [key, trap(of)]);
      set(path, of, ["commit.gpgSign", "true"]);
      set(path, of, ["core.alternateRefsCommand", trap(of)]);
      put(path, { ".gitattributes": "* merge=x diff=x\n" });
    },
  ],
  [
    "core.worktree",
    (path, of) => (
      set(path, of, ["core.worktree", of.repo]),
      put(of.repo, { "untracked.txt": "the user's\n" })
    ),
  ],
  [
    "a .git that leads to the user's repository",
    (path, of) => (
      rmSync(join(path, ".git"), { recursive: true }),
      writeFileSync(join(path, ".git"), `gitdir: ${of.repo}/.git\n`)
    ),
  ],
  ["a link to the user's .git", (path, of) => link(join(of.repo, ".git"), join(path, ".git"))],
  ["a pipe in the place of .git", (path) => pipe(join(path, ".git"))],
  ["no .git", (path) => rmSync(join(path, ".git"), { recursive: true })],
  [
    "an empty .git",
    (path) => (rmSync(join(path, ".git"), { recursive: true }), mkdirSync(join(path, ".git"))),
  ],
  [
    "another repository in the place of .git",
    (path, of) => (
      rmSync(join(path, ".git"), { recursive: true }),
      sh(path, of.env, ["init", "-q"]),
      void commit(path, of.env, "unrelated")
    ),
  ],
  [
    "commondir that leads to the user's .git",
    (path, of) => put(path, { ".git/commondir": `${of.repo}/.git\n` }),
  ],
  ["a pipe as commondir", (path) => pipe(join(path, ".git/commondir"))],
  ["a pipe as HEAD", (path) => pipe(join(path, ".git/HEAD"))],
  ["a link to the user's HEAD", (path, of) => link(join(of.repo, ".git/HEAD"), join(path, ".git/HEAD"))],
  ["a HEAD of 100 MB", (path) => truncateSync(join(path, ".git/HEAD"), LARGE)],
  [
    "a HEAD that leads out of the folder",
    (path) => put(path, { ".git/HEAD": "ref: refs/../../../../repo/x\n" }),
  ],
  [
    "a HEAD that names a commit that does not exist",
    (path) => put(path, { ".git/HEAD": `${"1".repeat(40)}\n` }),
  ],
  [
    "a HEAD that names a tree",
    (path, of) => put(path, { ".git/HEAD": `${sh(path, of.env, ["rev-parse", "HEAD^{tree}"])}\n` }),
  ],
  ["a pipe as the branch", (path) => pipe(join(path, `.git/${BRANCH}`))],
  [
    "a link to the user's main as the branch",
    (path, of) => link(join(of.repo, ".git/refs/heads/main"), join(path, `.git/${BRANCH}`)),
  ],
  ["a branch of 100 MB", (path) => (point(path, ""), truncateSync(join(path, `.git/${BRANCH}`), LARGE))],
  ["a link to the user's refs", (path, of) => link(join(of.repo, ".git/refs"), join(path, ".git/refs"))],
  ["packed-refs with garbage", (path) => put(path, { ".git/packed-refs": "# garbage\n\0\xFF\n" })],
  ["a pipe as packed-refs", (path) => pipe(join(path, ".git/packed-refs"))],
  [
    "a commit that does not follow the base",
    (path, of) => {
      const tree = sh(path, of.env, ["rev-parse", "HEAD^{tree}"]);
      point(path, sh(path, of.env, ["commit-tree", "-m", "orphan", tree]));
    },
  ],
  [
    "alternates that lead to another repository",
    (path, of) => {
      const { objects, head } = foreign(of);
      appendFileSync(join(path, ".git/objects/info/alternates"), `${objects}\n`);
      point(path, head);
    },
  ],
  [
    "a pipe as alternates",
    (path, of) => (point(path, foreign(of).head), pipe(join(path, ".git/objects/info/alternates"))),
  ],
  [
    "a link to objects of another repository",
    (path, of) => {
      const { objects, head } = foreign(of);
      link(objects, join(path, ".git/objects"));
      point(path, head);
    },
  ],
  [
    "pipes as objects",
    (path, of) => {
      pipe(objectFile(path, sh(path, of.env, ["rev-parse", `${commits(path, of)}^{tree}`])));
      pipe(join(path, `.git/objects/pack/pack-${"1".repeat(40)}.idx`));
      pipe(join(path, `.git/objects/pack/pack-${"1".repeat(40)}.pack`));
    },
  ],
  [
    "caches with garbage",
    (path, of) => {
      commits(path, of);
      put(path, {
        ".git/objects/info/commit-graph": "garbage",
        ".git/objects/pack/multi-pack-index": "garbage",
        ".git/objects/info/packs": "garbage",
        [`.git/objects/pack/pack-${"1".repeat(40)}.idx`]: "garbage",
        [`.git/objects/pack/pack-${"1".repeat(40)}.pack`]: "garbage",
      });
    },
  ],
  [
    "pipes as caches",
    (path, of) => {
      commits(path, of);
      pipe(join(path, ".git/objects/info/commit-graph"));
      pipe(join(path, ".git/objects/pack/multi-pack-index"));
    },
  ],
  [
    "objects that stand for others",
    (path, of) => {
      const [base, own] = [of.base, commits(path, of)];
      put(path, {
        [`.git/refs/replace/${base}`]: `${own}\n`,
        ".git/info/grafts": `${own}\n`,
        ".git/shallow": `${own}\n`,
      });
    },
  ],
  [
    "a truncated object",
    (path, of) => {
      const file = objectFile(path, sh(path, of.env, ["rev-parse", `${commits(path, of)}:mine.txt`]));
      chmodSync(file, 0o644);
      truncateSync(file, 7);
    },
  ],
  [
    "a commit without its tree",
    (path, of) => rmSync(objectFile(path, sh(path, of.env, ["rev-parse", `${commits(path, of)}^{tree}`]))),
  ],
  [
    "an object under the id of another",
    (path, of) => {
      const own = commits(path, of);
      put(of.root, { evil: "evil\n" });
      const evil = sh(path, of.env, ["hash-object", "-w", join(of.root, "evil")]);
      const file = objectFile(path, sh(path, of.env, ["rev-parse", `${own}:mine.txt`]));
      rmSync(file);
      copyFileSync(objectFile(path, evil), file);
    },
  ],
  [
    "a commit under the id of another",
    (path, of) => {
      const own = commits(path, of);
      const [fake, file] = ["2".repeat(40), objectFile(path, own)];
      mkdirSync(dirname(objectFile(path, fake)), { recursive: true });
      copyFileSync(file, objectFile(path, fake));
      point(path, fake);
    },
  ],
  [
    "a commit that git fsck refuses",
    (path, of) => {
      const tree = sh(path, of.env, ["rev-parse", "HEAD^{tree}"]);
      const text = `tree ${tree}\nparent ${of.base}\nauthor A <a> 99999999999999999999 +0000\ncommitter \n\nx\n`;
      put(of.root, { bad: text });
      point(
        path,
        sh(path, of.env, ["hash-object", "-w", "-t", "commit", "--literally", join(of.root, "bad")]),
      );
    },
  ],
  [
    "a tree with a file named .git",
    (path, of) => {
      put(of.root, { evil: "[core]\n\tfsmonitor = false\n" });
      const blob = sh(path, of.env, ["hash-object", "-w", join(of.root, "evil")]);
      const bytes = Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")]);
      put(of.root, { tree: bytes });
      const literal = ["hash-object", "-w", "-t", "tree", "--literally", join(of.root, "tree")];
      point(path, sh(path, of.env, ["commit-tree", "-m", "x", "-p", of.base, sh(path, of.env, literal)]));
    },
  ],
  ["an index with garbage", (path) => put(path, { ".git/index": "garbage" })],
  ["a pipe as the index", (path) => pipe(join(path, ".git/index"))],
  ["a configuration with garbage", (path) => put(path, { ".git/config": "[core\ngarbage" })],
  ["a pipe as the configuration", (path) => pipe(join(path, ".git/config"))],
  [
    "a main of its own",
    (path, of) => {
      const own = commits(path, of);
      sh(path, of.env, ["update-ref", "refs/heads/main", own]);
      sh(path, of.env, ["update-ref", "refs/remotes/origin/main", own]);
    },
  ],
  [
    "a push to main",
    (path, of) => {
      commits(path, of);
      const pushed = spawnSync("git", ["push", "origin", "HEAD:main"], {
        cwd: path,
        env: of.env,
        encoding: "utf8",
      });
      expect(pushed.stderr).toContain("pushing-is-off");
    },
  ],
];
