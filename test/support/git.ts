/** Real repositories for tests, and workspaces in processes of their own. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { homeAt } from "../../src/adapters/home/paths.ts";
import type { Home } from "../../src/adapters/home/paths.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import type { Workspaces } from "../../src/engine/ports/files.ts";
import { COMPILED } from "./compiled.ts";

export type Env = Readonly<Record<string, string>>;

export type Site = {
  readonly root: string;
  readonly repo: string;
  readonly home: Home;
  readonly env: Env;
  readonly base: string;
  readonly workspaces: Workspaces;
};

const made: string[] = [];

let template = "";

/** A repository with one commit, a state home, and a HOME of its own. */
export function site(name = "repo"): Site {
  template ||= makeTemplate();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-git-")));
  made.push(root);
  cpSync(join(template, "user"), join(root, "user"), { recursive: true });
  const env = envOf(root);
  const repo = join(root, name);
  cpSync(join(template, "repo"), repo, { recursive: true });
  sh(repo, env, ["update-index", "--refresh"]);
  const home = homeAt(join(root, "state"));
  const base = readFileSync(join(repo, ".git/refs/heads/main"), "utf8").trim();
  return { root, repo, home, env, base, workspaces: gitWorkspaces({ home, env }) };
}

function envOf(root: string): Env & { PATH: string } {
  return { PATH: process.env["PATH"] ?? "", HOME: join(root, "user") };
}

function makeTemplate(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-git-")));
  made.push(root);
  const env = envOf(root);
  put(root, {
    "user/.gitconfig":
      '[user]\nname = A\nemail = a@example.com\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n',
    "repo/a.txt": "one\n",
    "repo/b.txt": "two\n",
    "repo/dir/c.txt": "three\n",
    "repo/.gitignore": "*.log\n.env\nbuild/\n",
  });
  sh(join(root, "repo"), env, ["init", "-q"]);
  commit(join(root, "repo"), env, "start");
  return root;
}

export function removeSites(): void {
  template = "";
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
}

/** Plain git, as a person or an agent would call it. */
export function sh(cwd: string, env: Env, args: readonly string[]): string {
  return execFileSync("git", args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  }).trimEnd();
}

export function put(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

export function commit(folder: string, env: Env, message: string): string {
  sh(folder, env, ["add", "-A"]);
  sh(folder, env, ["commit", "-q", "--allow-empty", "-m", message]);
  return sh(folder, env, ["rev-parse", "HEAD"]);
}

export const canSign = spawnSync("ssh-keygen", ["-?"]).error === undefined;

/** The user signs commits: it says so in their own configuration, in that of the repository, or in one for its folder. */
export function signCommits({ root, repo }: Site, where: "user" | "repository" | "folder", hasKey: boolean) {
  const key = join(root, "key");
  if (hasKey) execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const signing = `[commit]\ngpgsign = true\n[gpg]\nformat = ssh\n[user]\nsigningkey = ${key}.pub\n`;
  const own = join(root, "user/.gitconfig");
  if (where === "folder") {
    put(root, { "user/work.conf": signing });
    appendFileSync(own, `[includeIf "gitdir:${repo}/"]\npath = work.conf\n`);
  } else appendFileSync(where === "user" ? own : join(repo, ".git/config"), signing);
}

/** Everything by which a person would notice that somebody was in the main checkout. */
export function mainCheckout({ repo, env }: Site): string {
  const index = createHash("sha1")
    .update(readFileSync(join(repo, ".git/index")))
    .digest("hex");
  const head = readFileSync(join(repo, ".git/HEAD"), "utf8").trim();
  return [
    head,
    sh(repo, env, ["rev-parse", "HEAD"]),
    index,
    sh(repo, env, ["status", "--porcelain", "--ignored"]),
  ].join("\n");
}

const DRIVER = fileURLToPath(new URL("git-driver.ts", import.meta.url));

export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
};

/** File systems of our own, which go with the process that mounted them. Not every user may have them. */
const ALONE = ["--user", "--map-root-user", "--mount"];
export const canMount = spawnSync("unshare", [...ALONE, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

type Operation = {
  readonly do: string;
  readonly with: object;
  readonly umask?: string;
  /** A line of shell that mounts something before, for this process alone. */
  readonly mount?: string;
};

/** One operation in a process of its own, which may be killed at a failpoint. */
export function apart(of: Site, operation: Operation, failpoint = ""): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const { umask = "022", mount } = operation;
  const script = `${mount ?? ":"}; umask ${umask}; exec "$0" --disable-warning=ExperimentalWarning "$1"`;
  const shell = [...(mount === undefined ? [] : ["unshare", ...ALONE]), "/bin/sh", "-c", script];
  const child = spawn("/usr/bin/env", [...shell, process.execPath, DRIVER], {
    env: { ...of.env, ...COMPILED, SIGNALBOX_FAILPOINT: failpoint },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  child.stdin.end(JSON.stringify({ ...operation, home: of.home.root, env: of.env }));
  return promise;
}
