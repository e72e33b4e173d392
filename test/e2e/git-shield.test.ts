/** Nothing that a repository's configuration names is run for us. Plain git runs all of it: that is checked too. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { repositoryOf } from "../../src/adapters/git/repository/repository.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { commit, put, removeSites, sh, site } from "../support/git.ts";
import type { Site } from "../support/git.ts";

afterAll(removeSites);

/** What hands its input on, as a filter must; the others would wait for an end that does not come. */
const HANDS_ON = new Set(["clean", "smudge", "odd-name", "included", "dotted", "nested-filter", "planted"]);

/** A program that leaves a mark with its name. */
function trap(of: Site, name: string): string {
  mkdirSync(join(of.root, "marks"), { recursive: true });
  const file = join(of.root, `trap-${name}`);
  writeFileSync(
    file,
    `#!/bin/sh\n: >"${join(of.root, "marks", name)}"\n${HANDS_ON.has(name) ? "cat" : "exit 0"}\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

function marks(of: Site): readonly string[] {
  const folder = join(of.root, "marks");
  const found = existsSync(folder) ? readdirSync(folder).sort() : [];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return found;
}

const FILES = [
  "clean",
  "smudge",
  "process",
  "odd-name",
  "included",
  "dotted",
  "textconv",
  "diff-command",
  "own",
];

function written(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(FILES.map((name) => [`${name}.txt`, `${text}\n`]));
}

/** The agent's own git runs the user's hooks, as it should. */
const NO_HOOKS = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.hooksPath",
  GIT_CONFIG_VALUE_0: "/dev/null",
};

async function everything(of: Site, run: string): Promise<void> {
  const artifacts = ["TASK.md"];
  const { path } = await of.workspaces.prepare({ run, repo: of.repo, branch: run, base: "HEAD", artifacts });
  put(path, written("changed"));
  const tree = await of.workspaces.digest(path, artifacts);
  await of.workspaces.snapshot({ path, repo: of.repo, run, tree, artifacts, message: "gate" });
  commit(path, { ...of.env, ...NO_HOOKS }, "the agent's own");
  put(path, written("changed again"));
  const later = await of.workspaces.digest(path, artifacts);
  await of.workspaces.snapshot({ path, repo: of.repo, run, tree: later, artifacts, message: "gate" });
  await of.workspaces.usable(path);
  await repositoryOf(of.repo, of.env);
  await of.workspaces.release({ run, repo: of.repo, path, keep: join(of.root, "keep", run) });
}

/** What a person's git would do at one time or another. */
function plainly(of: Site): void {
  const path = join(of.root, "plain");
  const run = (args: readonly string[], cwd = path) =>
    spawnSync("git", args, { cwd, env: of.env, timeout: 20_000, input: "" });
  run(["worktree", "add", "-f", path, "-b", "plain"], of.repo);
  put(path, written("changed"));
  run(["add", "-A"]);
  run(["commit", "-q", "-m", "x"]);
  run(["diff", "HEAD~1"]);
  run(["commit", "--amend"]);
  run(["fetch", "evil"]);
  run(["fetch", "ssh"]);
  run(["fetch", mirrorOf(of.home, of.repo), "HEAD"]);
}

type Plant = (of: Site, name: string) => void;
const set = (of: Site, key: string, value: string) => void sh(of.repo, of.env, ["config", key, value]);
const attribute = (of: Site, name: string, value: string) => {
  mkdirSync(join(of.repo, ".git/info"), { recursive: true });
  appendFileSync(join(of.repo, ".git/info/attributes"), `${name}.txt ${value}\n`);
};
const named =
  (section: string, key: string, value: string): Plant =>
  (of, name) => (
    set(of, `${section}.${value}.${key}`, trap(of, name)),
    attribute(of, name, `${section}=${value}`)
  );

/** Those that are planted together do not hide each other. */
const PLANTS: readonly Readonly<Record<string, Plant>>[] = [
  {
    fsmonitor: (of, name) => set(of, "core.fsmonitor", trap(of, name)),
    hook: (of, name) => {
      for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit"])
        writeFileSync(join(of.repo, ".git/hooks", hook), readFileSync(trap(of, name)), { mode: 0o755 });
    },
    clean: named("filter", "clean", "clean"),
    smudge: (of, name) => (named("filter", "smudge", "s")(of, name), set(of, "filter.s.required", "true")),
    "odd-name": named("filter", "clean", "a=b.c"),
    included: (of, name) => {
      put(of.root, { "other.config": `[filter "i"]\n\tclean = ${trap(of, name)}\n` });
      set(of, "include.path", join(of.root, "other.config"));
      attribute(of, name, "filter=i");
    },
    dotted: (of, name) => {
      appendFileSync(join(of.repo, ".git/config"), `[FILTER.dot] clean = ${trap(of, name)}\n`);
      attribute(of, name, "filter=dot");
    },
    editor: (of, name) => set(of, "core.editor", trap(of, name)),
    ssh: (of, name) => (
      set(of, "core.sshCommand", trap(of, name)),
      set(of, "remote.ssh.url", "ssh://localhost/x")
    ),
  },
  {
    "included-if": (of, name) => {
      put(of.root, { "other.config": `[core]\n\tfsmonitor = ${trap(of, name)}\n` });
      appendFileSync(
        join(of.repo, ".git/config"),
        `[IncludeIf "gitdir:/"]\n\tpath = ${join(of.root, "other.config")}\n`,
      );
    },
    "hooks-path": (of, name) => {
      put(of.root, { "hooks/post-index-change": readFileSync(trap(of, name)) });
      chmodSync(join(of.root, "hooks/post-index-change"), 0o755);
      set(of, "core.hooksPath", join(of.root, "hooks"));
    },
    "diff-command": named("diff", "command", "d"),
    textconv: named("diff", "textconv", "t"),
    redirected: (of, name) => (
      set(of, "url.ssh://localhost/x.insteadOf", mirrorOf(of.home, of.repo)),
      set(of, "core.sshCommand", trap(of, name))
    ),
    ext: (of, name) => (
      set(of, "protocol.ext.allow", "always"),
      set(of, "remote.evil.url", `ext::${trap(of, name)}`)
    ),
  },
  { process: named("filter", "process", "p") },
  {
    "external-diff": (of, name) => set(of, "diff.external", trap(of, name)),
    gpg: (of, name) => (set(of, "gpg.program", trap(of, name)), set(of, "commit.gpgSign", "true")),
  },
];

test.for(PLANTS.map((plants) => [Object.keys(plants).join(", "), plants] as const))(
  "not run: %s",
  async ([, plants]) => {
    const of = site();
    put(of.repo, written("start"));
    commit(of.repo, of.env, "files");
    for (const [name, plant] of Object.entries(plants)) plant(of, name);
    marks(of);
    await everything(of, "r1");
    expect(marks(of)).toEqual([]);
    plainly(of);
    expect(marks(of)).toEqual(expect.arrayContaining(Object.keys(plants)));
  },
);

test("a credential helper is not asked, and nothing is fetched", async () => {
  const of = site();
  set(of, "credential.helper", trap(of, "credential"));
  set(of, "credential.https://localhost.helper", trap(of, "credential"));
  set(of, "remote.origin.url", "https://user@localhost:1/x");
  set(of, "remote.origin.promisor", "true");
  set(of, "extensions.partialClone", "origin");
  marks(of);
  await everything(of, "r1");
  expect(marks(of)).toEqual([]);
  spawnSync("git", ["credential", "fill"], {
    cwd: of.repo,
    env: of.env,
    input: "url=https://localhost/\n\n",
  });
  expect(marks(of)).toEqual(["credential"]);
});

test("git is not started inside a nested repository, whose configuration is an agent's too", async () => {
  const of = site();
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "r1",
    base: "HEAD",
    artifacts: [],
  });
  const nested = join(path, "nested");
  mkdirSync(nested);
  sh(nested, of.env, ["init", "-q"]);
  put(nested, { "x.txt": "x\n", ".gitattributes": "* filter=x\n" });
  commit(nested, of.env, "x");
  commit(path, of.env, "nested");
  sh(nested, of.env, ["config", "core.fsmonitor", trap(of, "nested")]);
  sh(nested, of.env, ["config", "filter.x.clean", trap(of, "nested-filter")]);
  put(nested, { "x.txt": "y\n" });
  marks(of);
  const before = await of.workspaces.digest(path, []);
  expect(marks(of)).toEqual([]);
  sh(path, of.env, ["status"]);
  expect(marks(of)).toContain("nested");
  sh(nested, of.env, ["commit", "-q", "-am", "moved on"]);
  marks(of);
  expect(await of.workspaces.digest(path, [])).not.toBe(before);
  await of.workspaces.release({ run: "r1", repo: of.repo, path, keep: join(of.root, "keep") });
  expect(marks(of)).toEqual([]);
});

test("a filter of the user's own goes on working, also where the repository names another one in its place", async () => {
  const of = site();
  const upper = join(of.root, "upper");
  writeFileSync(upper, "#!/bin/sh\ntr a-z A-Z\n", { mode: 0o755 });
  appendFileSync(join(of.env["HOME"] ?? "", ".gitconfig"), `[filter "x"]\n\tclean = ${upper}\n`);
  put(of.repo, { ".gitattributes": "*.txt filter=x\n" });
  sh(of.repo, of.env, ["add", ".gitattributes"]);
  sh(of.repo, of.env, ["commit", "-q", "-m", "attributes", "--", ".gitattributes"]);
  set(of, "filter.x.clean", trap(of, "planted"));
  const { path } = await of.workspaces.prepare({
    run: "r1",
    repo: of.repo,
    branch: "r1",
    base: "HEAD",
    artifacts: [],
  });
  put(path, { "a.txt": "hello\n" });
  const tree = await of.workspaces.digest(path, []);
  await of.workspaces.snapshot({ path, repo: of.repo, run: "r1", tree, artifacts: [], message: "gate" });
  expect(sh(of.repo, of.env, ["show", "r1:a.txt"])).toBe("HELLO");
  expect(marks(of)).toEqual([]);
});

test("variables of the process that started us do not say where to work", async () => {
  const of = site();
  const elsewhere = site();
  const env = {
    ...of.env,
    GIT_DIR: join(elsewhere.repo, ".git"),
    GIT_INDEX_FILE: "/nowhere",
    GIT_EXTERNAL_DIFF: trap(of, "env"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: trap(of, "env"),
  };
  marks(of);
  expect(await repositoryOf(join(of.repo, "dir"), env)).toEqual({
    path: of.repo,
    branch: "main",
    head: of.base,
  });
  expect(marks(of)).toEqual([]);
});

test.for<[what: string, command: string, isRequired: boolean]>([
  ["a relative program", "./tools/clean.sh", false],
  ["a relative program that is required", "tools/clean.sh", true],
  ["a program of the system with a relative argument", "sh tools/clean.sh", false],
  ["a program in a relative folder of the PATH", "clean.sh", false],
])(
  "a filter of the user's own configuration runs no file of an agent: %s",
  async ([, command, isRequired]) => {
    const of = site();
    const mark = join(of.root, "ran");
    const filter = `[filter "fmt"]\nclean = ${command}\nsmudge = ${command}\nrequired = ${isRequired}\n[filter "up"]\nclean = tr a-z A-Z\n`;
    appendFileSync(join(of.root, "user/.gitconfig"), filter);
    const env = { ...of.env, PATH: `tools:${of.env["PATH"] ?? ""}` };
    const workspaces = gitWorkspaces({ home: of.home, env });
    const place = { run: "r1", repo: of.repo, branch: "work" };
    const { path } = await workspaces.prepare({ ...place, base: of.base, artifacts: [] });
    put(path, {
      "tools/clean.sh": `#!/bin/sh\n: >'${mark}'\ncat\n`,
      "tools/git": `#!/bin/sh\n: >'${mark}'\n`,
      ".gitattributes": "*.x filter=fmt\n*.up filter=up\n",
      "f.x": "as it is\n",
      "f.up": "loud\n",
    });
    for (const name of ["clean.sh", "git"]) chmodSync(join(path, "tools", name), 0o755);
    const tree = await workspaces.digest(path, []);
    const made = await workspaces.snapshot({ ...place, path, tree, artifacts: [], message: "New" });
    const at = join(of.root, "judge");
    await workspaces.judge({ ...place, path, tree, at, artifacts: [] });
    expect(existsSync(mark)).toBe(false);
    const show = (name: string): string =>
      sh(of.repo, of.env, ["cat-file", "blob", `${made.commit}:${name}`]);
    expect([show("f.x"), show("f.up")]).toEqual(["as it is", "LOUD"]);
  },
);
