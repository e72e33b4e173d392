/** What a private clone carries over from the user's repository, and the kinds of files that it can hold. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { commit, put, removeSites, sh, site, type Site } from "../support/git.ts";

afterAll(removeSites, 60_000);

const ARTIFACTS = ["TASK.md"];
const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

async function prepare(of: Site, base = "HEAD") {
  const wanted = { run: "r1", repo: of.repo, branch: "work", base, artifacts: ARTIFACTS };
  const { path, notes = [] } = await of.workspaces.prepare(wanted);
  const handOver = async () => {
    const tree = await of.workspaces.digest(path, ARTIFACTS);
    const moment = { path, repo: of.repo, run: "r1", tree, artifacts: ARTIFACTS, message: "handover" };
    return of.workspaces.snapshot(moment);
  };
  return { path, notes, handOver };
}

/** The user's repository as a clone of another, whose default branch is not the usual one. */
function withOrigin(of: Site): string {
  const origin = join(of.root, "origin.git");
  sh(of.repo, of.env, ["branch", "develop"]);
  sh(of.root, of.env, ["clone", "-q", "--bare", of.repo, origin]);
  sh(of.repo, of.env, ["remote", "add", "origin", "../origin.git"]);
  sh(of.repo, of.env, ["fetch", "-q", "origin"]);
  sh(of.repo, of.env, ["remote", "set-head", "origin", "develop"]);
  return origin;
}

test("remotes for reading: branches, tags and the default branch; pushing is off", async () => {
  const of = site();
  const origin = withOrigin(of);
  sh(of.repo, of.env, ["tag", "-a", "-m", "one", "v1"]);
  const names = ["für/ümlaut", "odd'\"$(x)"];
  for (const name of names) sh(of.repo, of.env, ["branch", name]);
  const { path } = await prepare(of);
  const listed = sh(path, of.env, ["for-each-ref", "--format=%(refname)"]).split("\n");
  expect(listed).toEqual(
    [
      ...["develop", "main", "work", ...names].map((name) => `refs/heads/${name}`),
      ...["HEAD", "develop", "main"].map((name) => `refs/remotes/origin/${name}`),
      "refs/tags/v1",
    ].toSorted(),
  );
  expect(sh(path, of.env, ["symbolic-ref", "refs/remotes/origin/HEAD"])).toBe("refs/remotes/origin/develop");
  expect(sh(path, of.env, ["describe", "--exact-match"])).toBe("v1");
  // Its own fetch works; its push does not, and nothing changes there.
  const elsewhere = join(of.root, "elsewhere");
  sh(of.root, of.env, ["clone", "-q", "-b", "develop", origin, elsewhere]);
  const there = commit(elsewhere, of.env, "there");
  sh(elsewhere, of.env, ["push", "-q"]);
  sh(path, of.env, ["fetch", "-q"]);
  expect(sh(path, of.env, ["rev-parse", "origin/develop"])).toBe(there);
  put(path, { "a.txt": "work\n" });
  commit(path, of.env, "work");
  const pushed = spawnSync("git", ["push", "origin", "HEAD:main"], {
    cwd: path,
    env: of.env,
    encoding: "utf8",
  });
  expect([pushed.status, pushed.stderr]).toEqual([128, expect.stringContaining("pushing-is-off")]);
  expect(sh(origin, of.env, ["rev-parse", "main"])).toBe(of.base);
});

test("exclude rules, identity and settings of the repository", async () => {
  const of = site();
  put(of.repo, { ".git/info/exclude": "# mine\nscratch/\n" });
  const set = (key: string, value: string) => sh(of.repo, of.env, ["config", key, value]);
  set("user.name", 'Ada "L" \\ Lovelace');
  set("user.email", "ada@example.org");
  set("core.autocrlf", "input");
  const { path, handOver } = await prepare(of);
  put(path, { "scratch/x": "x\n", "crlf.txt": "a\r\n", "TASK.md": "an artifact\n" });
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("?? crlf.txt");
  commit(path, of.env, "work");
  expect(sh(path, of.env, ["show", "-s", "--format=%an <%ae>"])).toBe(
    'Ada "L" \\ Lovelace <ada@example.org>',
  );
  await handOver();
  expect(sh(of.repo, of.env, ["ls-tree", "-r", "--name-only", "work"])).not.toContain("scratch");
  expect(sh(of.repo, of.env, ["show", "work:crlf.txt"])).toBe("a");
  expect(sh(of.repo, of.env, ["log", "-1", "--format=%s", "work"])).toBe("work");
});

test("line ends as the user has configured them for this folder", async () => {
  const of = site();
  put(of.root, { "user/work.conf": "[core]\nautocrlf = input\n" });
  const own = join(of.root, "user/.gitconfig");
  appendFileSync(own, `[includeIf "gitdir:${of.repo}/"]\npath = work.conf\n`);
  const { path, handOver } = await prepare(of);
  put(path, { "crlf.txt": "a\r\n" });
  await handOver();
  expect(sh(of.repo, of.env, ["cat-file", "-s", "work:crlf.txt"])).toBe("2");
});

test.for<[string, string, (of: Site) => string]>([
  ["for this repository", ".git/config", () => "[core]\nexcludesFile = my/ignored\n"],
  [
    "for this folder",
    "../user/.gitconfig",
    ({ repo }) => `[includeIf "gitdir:${repo}/"]\npath = ../repo/my/config\n`,
  ],
])("a list of ignored files that the user has configured %s", async ([, file, textOf]) => {
  const of = site();
  put(of.repo, { "my/ignored": "*.key\n", "my/config": `[core]\nexcludesFile = ${of.repo}/my/ignored\n` });
  appendFileSync(join(of.repo, file), textOf(of));
  const { path, handOver } = await prepare(of);
  // A list of the same name in the workspace is an agent's.
  put(path, { "secret.key": "secret\n", "my/ignored": "a.txt\nnew.txt\n", "new.txt": "new\n" });
  expect(sh(path, of.env, ["status", "--porcelain"])).toBe("?? my/\n?? new.txt");
  await handOver();
  expect(sh(of.repo, of.env, ["diff", "--name-only", "main", "work"])).toBe("my/ignored\nnew.txt");
});

const HOOK = '#!/bin/sh\n. "$(dirname "$0")/lib/say"\n';

test.for<[string, string, (of: Site) => string]>([
  ["its own folder", "", (of) => join(of.repo, ".git/hooks")],
  ["a relative folder", "tools/hooks", (of) => join(of.repo, "tools/hooks")],
  ["an absolute folder", "ROOT/my/hooks", (of) => join(of.root, "my/hooks")],
])("hooks in %s run for the agent's commits, and never for the engine", async ([, configured, folderOf]) => {
  const of = site();
  const folder = folderOf(of);
  const hooks = ["pre-commit", "reference-transaction", "post-index-change", "post-checkout"];
  put(folder, { "lib/say": `basename "$0" >>${of.root}/ran\n`, "pre-push.sample": "exit 1\n" });
  for (const name of hooks) {
    put(folder, { [name]: HOOK });
    chmodSync(join(folder, name), 0o755);
  }
  sh(of.repo, of.env, ["-c", "core.hooksPath=/dev/null", "add", "-A"]);
  sh(of.repo, of.env, ["-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "hooks"]);
  if (configured !== "")
    sh(of.repo, of.env, ["config", "core.hooksPath", configured.replace("ROOT", of.root)]);
  const { path, handOver } = await prepare(of);
  put(path, { "a.txt": "work\n" });
  await handOver();
  expect(existsSync(join(of.root, "ran"))).toBe(false);
  commit(path, of.env, "the agent's own");
  expect(readFileSync(join(of.root, "ran"), "utf8")).toContain("pre-commit\n");
  rmSync(join(of.root, "ran"));
  put(path, { "b.txt": "work\n" });
  await handOver();
  expect(existsSync(join(of.root, "ran"))).toBe(false);
});

type Change = (path: string, of: Site) => void;
const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))));

test.for<[string, Change]>([
  [
    "names in any encoding",
    (path) => {
      for (const name of [
        bytes("latin-", 0xe4),
        bytes(0xff, 0xfe),
        bytes("tab\tnew\nline"),
        bytes("größe 日本 😀"),
      ])
        writeFileSync(Buffer.concat([Buffer.from(`${path}/`), name]), "x\n");
    },
  ],
  [
    "names that look like something else",
    (path) =>
      put(path, { "-rf": "1\n", ":(top)x": "2\n", 'q"uote': "3\n", "back\\slash": "4\n", " lead": "5\n" }),
  ],
  [
    "a rename of the case only",
    (path) => (
      renameSync(join(path, "a.txt"), join(path, "A.txt")),
      renameSync(join(path, "dir"), join(path, "Dir"))
    ),
  ],
  [
    "names that differ in their case only",
    (path) => put(path, { "A.TXT": "1\n", "a.Txt": "2\n", "DIR/c.txt": "3\n" }),
  ],
  [
    "symbolic links",
    (path) => {
      symlinkSync("a.txt", join(path, "to a file"));
      symlinkSync("dir", join(path, "to a folder"));
      symlinkSync("/etc/passwd", join(path, "to elsewhere"));
      symlinkSync("nowhere", join(path, "to nothing"));
      rmSync(join(path, "b.txt"));
      symlinkSync("../..", join(path, "b.txt"));
    },
  ],
  [
    "a file that became a folder, and the other way round",
    (path) => {
      rmSync(join(path, "a.txt"));
      rmSync(join(path, "dir"), { recursive: true });
      put(path, { "a.txt/deep/er": "1\n", dir: "2\n" });
    },
  ],
  [
    "modes",
    (path) => (
      chmodSync(join(path, "a.txt"), 0o755),
      put(path, { x: "" }),
      chmodSync(join(path, "x"), 0o777)
    ),
  ],
  [
    "bytes of every kind",
    (path) => put(path, { all: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) }),
  ],
  ["a deep folder", (path) => put(path, { [`${"d/".repeat(100)}x`]: "1\n" })],
])("%s: handed over, and checked out again as they were", async ([, change]) => {
  const of = site();
  const { path, handOver } = await prepare(of);
  change(path, of);
  const before = listing(path);
  expect(await handOver()).toMatchObject({ notes: [] });
  rmSync(path, { recursive: true });
  await prepare(of);
  expect(listing(path)).toBe(before);
  expect(sh(path, of.env, ["status", "--porcelain", "-b"])).toBe("## work");
});

/** Names, kinds, modes and contents, as another program sees them. */
function listing(path: string): string {
  const script =
    'find . -path ./.git -prune -o -type f -perm -u+x -printf "x %p\\0" -o -printf "%y %l %p\\0" | sort -z; find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum -z';
  const { stdout, status } = spawnSync("sh", ["-c", script], { cwd: path, encoding: "latin1" });
  expect(status).toBe(0);
  return stdout;
}

test.for<[string, boolean]>([
  ["with a commit", true],
  ["without a commit", false],
])("a nested repository %s is refused by its name, and stays", async ([, has]) => {
  const of = site();
  const { path, handOver } = await prepare(of);
  put(path, { "sub/deep/hidden.txt": "unseen\n", "a.txt": "work\n" });
  sh(join(path, "sub"), of.env, ["init", "-q"]);
  if (has) commit(join(path, "sub"), of.env, "inside");
  await expect(handOver()).rejects.toMatchObject({
    name: "UserError",
    code: "nested-repository",
    message: expect.stringContaining("sub") as string,
  });
  expect(readFileSync(join(path, "sub/deep/hidden.txt"), "utf8")).toBe("unseen\n");
  rmSync(join(path, "sub/.git"), { recursive: true });
  await handOver();
  expect(sh(of.repo, of.env, ["show", "work:sub/deep/hidden.txt"])).toBe("unseen");
});

test.runIf(isDeep)("a file of 200 MB", { timeout: 120_000 }, async () => {
  const of = site();
  const { path, handOver } = await prepare(of);
  const large = Buffer.alloc(200 * 1024 * 1024, "not so compressible, but it will do. ");
  put(path, { large });
  await handOver();
  expect(sh(of.repo, of.env, ["cat-file", "-s", "work:large"])).toBe(String(large.length));
  large[0] = 0;
  put(path, { large });
  const own = commit(path, of.env, "the agent's own");
  expect(await handOver()).toEqual({ commit: own, notes: [] });
  for (const folder of [of.repo, mirrorOf(of.home, of.repo)]) sh(folder, of.env, ["fsck", "--strict"]);
});

test("pointers of Git LFS stay pointers where it is not installed; a filter that fails is named", async () => {
  const of = site();
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 5\n`;
  put(of.repo, { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "x.bin": pointer });
  commit(of.repo, of.env, "lfs");
  const { path, handOver } = await prepare(of);
  expect(readFileSync(join(path, "x.bin"), "utf8")).toBe(pointer);
  put(path, { "a.txt": "work\n" });
  await handOver();
  expect(sh(of.repo, of.env, ["diff", "--name-only", "main", "work"])).toBe("a.txt");
  rmSync(path, { recursive: true });
  put(of.root, {
    "user/.gitconfig": `${readFileSync(join(of.root, "user/.gitconfig"), "utf8")}[filter "lfs"]\nprocess = git-lfs-is-not-here filter-process\nsmudge = git-lfs-is-not-here\nrequired = true\n`,
  });
  await expect(prepare(of)).rejects.toMatchObject({
    name: "UserError",
    code: "checkout-failed",
    message: expect.stringMatching(/git-lfs-is-not-here|smudge filter lfs failed/) as string,
  });
  expect(existsSync(path)).toBe(false);
});

/** As Git LFS does it, for one file: what it is called with says where the files are. */
const LFS = `#!/bin/sh
objects="$(git config lfs.storage)/objects"; mkdir -p "$objects"
case $1 in
clean) cat >"$objects/new"; id=$(sha256sum "$objects/new" | cut -c1-64); mv "$objects/new" "$objects/$id"; echo "oid $id" ;;
smudge) read -r _ id; cat "$objects/$id" ;;
esac
`;

test("files of Git LFS are found where the user has them, and put where the branch needs them", async () => {
  const of = site();
  put(of.root, { "bin/fake-lfs": LFS });
  chmodSync(join(of.root, "bin/fake-lfs"), 0o755);
  const user = join(of.root, "user/.gitconfig");
  const command = (name: string) => `${name} = GIT_DIR="\${GIT_DIR:-.git}" ${of.root}/bin/fake-lfs ${name}\n`;
  const filter = `[filter "lfs"]\nrequired = true\n${command("clean")}${command("smudge")}`;
  writeFileSync(user, readFileSync(user, "utf8") + filter);
  sh(of.repo, of.env, ["config", "lfs.storage", join(of.repo, ".git/lfs")]);
  put(of.repo, { ".gitattributes": "*.bin filter=lfs\n", "x.bin": "large\n" });
  commit(of.repo, of.env, "lfs");
  expect(sh(of.repo, of.env, ["show", "HEAD:x.bin"])).toMatch(/^oid [0-9a-f]{64}$/);
  const { path, handOver } = await prepare(of);
  expect(readFileSync(join(path, "x.bin"), "utf8")).toBe("large\n");
  put(path, { "x.bin": "larger\n" });
  await handOver();
  sh(of.repo, of.env, ["switch", "-q", "work"]);
  expect(readFileSync(join(of.repo, "x.bin"), "utf8")).toBe("larger\n");
});

test("a link in the repository's place of a folder is not followed while a workspace is made", async () => {
  const of = site();
  mkdirSync(join(of.root, "outside"));
  symlinkSync(join(of.root, "outside"), join(of.repo, "link"));
  commit(of.repo, of.env, "a link");
  const { path } = await prepare(of);
  expect(lstatSync(join(path, "link")).isSymbolicLink()).toBe(true);
  expect(readlinkSync(join(path, "link"))).toBe(join(of.root, "outside"));
});
