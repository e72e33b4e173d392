/** Objects that the engine writes without git: the same bytes that git would write, in the mirror and in the user's repository. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mergeWork } from "../../src/adapters/git/delivery/merge.ts";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { canMount, apart, commit, put, removeSites, sh, site, type Site } from "../support/git.ts";
import { merging, refused } from "../support/merging.ts";

afterAll(removeSites, 60_000);

const ARTIFACTS = ["TASK.md", "reviews/{slot}.json"];

/** Starts with these files in the user's repository. */
async function prepared(files: Readonly<Record<string, string>> = {}, of: Site = site()) {
  put(of.repo, files);
  const base = commit(of.repo, of.env, "more");
  const wanted = { run: "r1", repo: of.repo, branch: "work", base, artifacts: ARTIFACTS };
  const { path } = await of.workspaces.prepare(wanted);
  const digest = () => of.workspaces.digest(path, ARTIFACTS);
  const handOver = async (message = "handover") =>
    of.workspaces.snapshot({
      path,
      repo: of.repo,
      run: "r1",
      tree: await digest(),
      artifacts: ARTIFACTS,
      message,
    });
  return { of, path, base, digest, handOver };
}

/** The tree that git makes of a folder, without these paths. */
function treeByGit(of: Site, path: string, without: readonly string[] = []): string {
  const env = { ...of.env, GIT_DIR: mirrorOf(of.home, of.repo), GIT_WORK_TREE: path };
  const own = { ...env, GIT_INDEX_FILE: join(of.root, `index-${Math.random()}`) };
  const excluded = without.map((name) => `:(exclude,glob)${name}`);
  sh(path, own, ["add", "-A", "--", ".", ...excluded]);
  return sh(path, own, ["write-tree"]);
}

const MANY = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`many/d${n}/f.txt`, `${n}\n`]));

test.for<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, readonly string[]]>([
  ["a file in the top folder", {}, { "a.txt": "new\n" }, []],
  ["names that a folder comes between", { "foo/x": "1" }, { "foo.c": "1", "foo-": "2", foo0: "3" }, []],
  ["a folder in place of a file", { foo: "1" }, { "foo/x": "1" }, ["foo"]],
  ["a file in place of a folder", { "foo/x/y": "1", "foo/z": "1" }, { foo: "1" }, ["foo"]],
  ["a deep folder", { "x/y/z/a": "1", "x/y/b": "1" }, { "x/y/z/w/v/u": "1" }, []],
  ["the last file of a folder is gone", { "x/y/z": "1", "x/w": "1" }, {}, ["x/y"]],
  ["everything in a folder is gone", { "x/y/z": "1" }, {}, ["x"]],
  ["names in other scripts", { "ä/ö.txt": "1" }, { "ä/ü.txt": "1", "日本/語": "2" }, []],
  ["more folders than are written without git", {}, MANY, []],
])("the digest is the tree that git makes: %s", async ([, before, after, gone]) => {
  const { of, path, digest } = await prepared(before);
  for (const name of gone) rmSync(join(path, name), { recursive: true });
  put(path, after);
  const tree = await digest();
  expect(tree).toBe(treeByGit(of, path));
  expect(await digest()).toBe(tree);
  sh(mirrorOf(of.home, of.repo), of.env, ["fsck", "--strict", "--no-dangling"]);
});

test("artifacts that the branch has are not in the tree, nor is a folder of nothing else", async () => {
  const { of, path, digest } = await prepared({ "TASK.md": "t", "reviews/a.json": "{}", "x/y": "1" });
  const tree = await digest();
  expect(tree).toBe(treeByGit(of, path, ["TASK.md", "reviews/*.json"]));
  put(path, { "x/z": "1", "TASK.md": "changed" });
  expect(await digest()).toBe(treeByGit(of, path, ["TASK.md", "reviews/*.json"]));
});

test("a tree that a crash left empty in the mirror is written again", async () => {
  const { of, path, digest } = await prepared();
  put(path, { "dir/new.txt": "new\n" });
  const tree = await digest();
  const mirror = mirrorOf(of.home, of.repo);
  const file = join(mirror, "objects", tree.slice(0, 2), tree.slice(2));
  chmodSync(file, 0o600);
  writeFileSync(file, "");
  const later = gitWorkspaces({ home: of.home, env: of.env });
  expect(await later.digest(path, ARTIFACTS)).toBe(tree);
  sh(mirror, of.env, ["fsck", "--strict", "--no-dangling"]);
});

test.for([
  ["plain", "Ada", "ada@example.org"],
  ["signs at the ends", " .Ada Jr., ", "<ada@example.org>"],
  ["signs inside", "A<d>a\\n", "a<d>a@example.org"],
  ["another script", "Ádá 日本", "ada@example.org"],
])("a handover commit is written as git writes it: %s", async ([, name, email]) => {
  const of = site();
  writeFileSync(join(of.root, "user/.gitconfig"), `[user]\nname = "${name}"\nemail = "${email}"\n`);
  const { path, handOver, base } = await prepared({}, of);
  put(path, { "a.txt": "new\n" });
  const { commit: made } = await handOver("subject\n\nbody: ä\n\n");
  const text = sh(of.repo, of.env, ["cat-file", "commit", made]);
  const [, date = ""] = /^committer .*> (.*)$/m.exec(text) ?? [];
  const [tree = ""] = /(?<=^tree ).*/.exec(text) ?? [];
  writeFileSync(join(of.root, "message"), "subject\n\nbody: ä\n\n");
  const dated = { ...of.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  expect(sh(of.repo, dated, ["commit-tree", tree, "-p", base, "-F", join(of.root, "message")])).toBe(made);
});

function calls(of: Site): { env: Record<string, string>; taken: () => string[] } {
  const file = join(of.root, "calls");
  put(of.root, {
    "bin/git": `#!/bin/sh\necho "$*" >>"${file}"\nPATH=\${PATH#*:} exec git "$@"\n`,
    calls: "",
  });
  chmodSync(join(of.root, "bin/git"), 0o755);
  const env = { ...of.env, PATH: join(of.root, "bin") + delimiter + (of.env["PATH"] ?? "") };
  const taken = (): string[] => {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    writeFileSync(file, "");
    return lines.map(
      (line) =>
        / (add|write-tree|ls-files|commit-tree|[a-z]+-objects|update-ref) /.exec(`${line} `)?.[1] ?? line,
    );
  };
  return { env, taken };
}

test("a handover starts git twice: it adds the files, and it moves the branch", async () => {
  const of = site();
  const { env, taken } = calls(of);
  const { path, handOver } = await prepared({}, { ...of, workspaces: gitWorkspaces({ home: of.home, env }) });
  put(path, { "a.txt": "1\n" });
  await handOver();
  taken();
  put(path, { "a.txt": "2\n", "dir/new.txt": "2\n" });
  expect((await handOver()).notes).toEqual([]);
  expect(taken()).toEqual(["add", "update-ref"]);
  // Git reads what this file says, so git checks it.
  put(path, { ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n' });
  const bad = await handOver();
  expect(bad.notes.join()).toMatch(/^the branch work is not updated: [^\n]*gitmodules[^\n]*$/i);
  const no = await refused(mergeWork(of, merging(of, { branch: "work", commit: bad.commit })));
  expect(no.message).toContain("could not be copied into");
  expect(no.next).toMatch(/^signalbox send-back r1 "Git refuses what you wrote: gitmodules/);
});

test.for([
  ["shared with a group", 0o2770, 0o440, 1],
  ["the user's alone", 0o700, 0o400, 2],
  ["readable for everyone", 0o755, 0o444, 2],
])("objects in the user's repository have its permissions: %s", async ([, folder, file, names]) => {
  const { of, path, handOver } = await prepared();
  put(path, { "a.txt": "1\n" });
  await handOver();
  const objects = join(of.repo, ".git/objects");
  chmodSync(objects, Number(folder));
  put(path, { "a.txt": "2\n", "new/b.txt": "2\n" });
  const { commit: made } = await handOver();
  const at = join(objects, made.slice(0, 2), made.slice(2));
  const { mode, nlink } = statSync(at);
  // A link to a file of the state home would keep that file's group.
  expect([mode & 0o777, nlink]).toEqual([file, names]);
  expect(sh(of.repo, of.env, ["show", "work:new/b.txt"])).toBe("2");
  sh(of.repo, of.env, ["fsck", "--strict", "--no-dangling"]);
  for (const each of readdirSync(objects).filter((name) => name.length === 2))
    expect(readdirSync(join(objects, each)).filter((name) => name.startsWith("tmp_"))).toEqual([]);
});

test.skipIf(!canMount)("objects are copied where the state home is on another disk", async () => {
  const { of, path, digest, handOver } = await prepared();
  put(path, { "a.txt": "1\n" });
  await handOver();
  put(path, { "a.txt": "2\n" });
  const tree = await digest();
  const given = { path, repo: of.repo, run: "r1", tree, artifacts: ARTIFACTS, message: "m" };
  const objects = join(of.repo, ".git/objects");
  const mount = `cp -a '${objects}' '${of.root}/copy'; mount --bind '${of.root}/copy' '${objects}'`;
  const { out, err } = await apart(of, { do: "snapshot", with: given, mount });
  expect([err, JSON.parse(out)]).toMatchObject(["", { notes: [] }]);
});
