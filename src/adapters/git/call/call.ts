/**
 * The only place where git is started.
 *
 * An agent in a linked worktree writes the configuration that the whole repository shares, at any moment. So git is given a folder
 * of ours wherever that is possible (workspace/bench.ts), and reads nothing of the repository but its objects. Where it must have the
 * repository itself, only commands are called that run neither filters nor drivers, and what a configuration could name is off:
 * hooks, monitors, pagers, editors, helpers here, what has a name of its own in overrides.ts. The environment is built from nothing, so
 * that no GIT_* variable of the parent process says where to work.
 */

import { existsSync } from "node:fs";
import type { Env } from "../../home/paths.ts";
import { noRoom } from "../../home/room.ts";
import { UserError } from "../../user-error.ts";
import { configuredByRepository, type Override } from "./overrides.ts";

/** Whose a commit is. */
export type AuthorIdentity = { readonly name: string; readonly email: string };

export type GitCall = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Without it git looks for the repository by itself: only for asking where it is. */
  readonly gitDir?: string;
  /** Where the objects are, of a `gitDir` that is ours: its configuration is ours too. */
  readonly objects?: string;
  /** A folder of further objects to read from. */
  readonly alternate?: string;
  readonly workTree?: string;
  /** An index of ours in place of the worktree's. */
  readonly index?: string;
  readonly input?: Buffer | string;
  /** What it writes must be on the disk when it returns. */
  readonly durable?: boolean;
  /** Commits are this person's, in place of ours. */
  readonly author?: AuthorIdentity;
  /** Commits are made at this time, in place of now. */
  readonly date?: string;
  readonly limitMs?: number;
  /** Asked every few seconds while git works: true ends the call, because git waits for something that will not come. */
  readonly isStuck?: () => boolean;
  /** A commit is signed: the user's own configuration says how, and these settings of theirs, which hold in one repository only. */
  readonly signing?: readonly Override[];
  /** Refs that replace objects count, as in the user's own git. */
  readonly isReplacing?: boolean;
  /** Fetches: the user's own configuration says how, and git does not ask for a password. Only with a `gitDir` that is ours. */
  readonly isFetch?: boolean;
};

/** The output is bytes: names of files need not be UTF-8. */
export type GitAnswer = { readonly code: number; readonly out: Buffer; readonly err: string };

export class GitError extends Error {
  override readonly name = "GitError";
  readonly code: number;
  readonly err: string;

  constructor(call: GitCall, answer: { readonly code: number; readonly err: string }) {
    super(`git ${call.args.join(" ")} (in ${call.cwd}) failed with ${answer.code}: ${answer.err.trim()}`);
    this.code = answer.code;
    this.err = answer.err;
  }
}

const BAD_CONFIG =
  /bad (?:numeric |boolean )?config|unable to parse|(?:unknown|invalid) value for|could not parse config|repository extension|Expected git repo version|could not lock config|bad include/i;

const NO_ROOM = /No space left on device|Disk quota exceeded/i;

export function isNoRoom({ err }: { readonly err: string }): boolean {
  return NO_ROOM.test(err);
}

/** A folder that does not exist gives the same error code as a missing program. */
function notStarted(call: GitCall, error: Error): Error {
  const isMissing = "code" in error && error.code === "ENOENT" && existsSync(call.cwd);
  if (!isMissing) return new GitError(call, { code: -1, err: `it could not be started, ${error.message}` });
  return new UserError(
    "no-git",
    "git is not installed, or not on the PATH",
    "install git, then: signalbox doctor",
  );
}

/** What the user can fix becomes a UserError: a full disk, and a configuration that git cannot read. */
export function failed(call: GitCall, answer: { readonly code: number; readonly err: string }): Error {
  if (isNoRoom(answer)) return noRoom(call.objects ?? call.gitDir ?? call.cwd);
  if (!BAD_CONFIG.test(answer.err)) return new GitError(call, answer);
  const line = answer.err.split("\n").find((each) => BAD_CONFIG.test(each)) ?? "";
  return new UserError(
    "git-config",
    `Git cannot read its configuration for ${call.cwd}: ${line.trim()}.`,
    `git -C '${call.cwd}' config --list --show-origin`,
  );
}

const LIMIT_MS = 120_000;
const STUCK_MS = 5000;
const ERR_MAX = 64 * 1024;

const SETTINGS: readonly string[] = [
  // Nothing is run.
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=false",
  "sequence.editor=false",
  "core.askPass=",
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.alternateRefsCommand=",
  "credential.helper=",
  "credential.interactive=false",
  "diff.external=",
  "interactive.diffFilter=",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "gpg.program=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.file.allow=user",
  "protocol.ext.allow=never",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  // Nothing that changed goes unnoticed.
  "core.untrackedCache=false",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.ignoreStat=false",
  "sparse.expectFilesOutsideOfPatterns=false",
  // What we read is what we expect, and what we write is one file.
  "core.splitIndex=false",
  "index.sparse=false",
  "core.safecrlf=false",
  "core.quotePath=false",
  "add.ignoreErrors=false",
  "advice.addEmbeddedRepo=false",
  "i18n.commitEncoding=utf-8",
  "i18n.logOutputEncoding=utf-8",
];

/** How somewhere else is reached is the user's to say; it stays off wherever nothing is to be reached. */
const REACHING = ["core.sshCommand", "core.gitProxy", "credential.helper"];
const SIGNING = ["gpg.program"];

const DURABLE: readonly string[] = ["core.fsync=all", "core.fsyncMethod=fsync"];

export async function tryGit(env: Env, call: GitCall): Promise<GitAnswer> {
  const isOurs = call.gitDir === undefined || call.objects !== undefined;
  return start(env, call, isOurs ? (call.signing ?? []) : await overridesFor(env, call, call.gitDir));
}

/** What it says, without the line end. */
export async function git(env: Env, call: GitCall): Promise<string> {
  return (await gitBytes(env, call)).toString("utf8").replace(/\n$/, "");
}

export async function gitBytes(env: Env, call: GitCall): Promise<Buffer> {
  const answer = await tryGit(env, call);
  if (answer.code !== 0) throw failed(call, answer);
  return answer.out;
}

/** Names or records that end with NUL, with one character for each byte. */
export async function gitRecords(env: Env, call: GitCall): Promise<readonly string[]> {
  return (await gitBytes(env, call))
    .toString("latin1")
    .split("\0")
    .filter((record) => record !== "");
}

async function overridesFor(env: Env, call: GitCall, gitDir: string): Promise<readonly Override[]> {
  return configuredByRepository(gitDir, async (args) => {
    const listing: GitCall = { args, cwd: call.cwd, gitDir };
    const answer = await start(env, listing, []);
    if (answer.code !== 0) throw failed(listing, answer);
    return answer.out;
  });
}

function start(env: Env, call: GitCall, overrides: readonly Override[]): Promise<GitAnswer> {
  const users = new Set([
    ...(call.isFetch === true ? REACHING : []),
    ...(call.signing === undefined ? [] : SIGNING),
  ]);
  const own = SETTINGS.filter((setting) => !users.has(setting.split("=", 1)[0] ?? ""));
  const settings = [...own, ...(call.durable === true ? DURABLE : [])];
  const argv = ["--no-pager", ...settings.flatMap((setting) => ["-c", setting]), ...call.args];
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  // Each pipe takes a moment.
  const stdin = call.input === undefined ? "ignore" : "pipe";
  const { spawn } = process.getBuiltinModule("node:child_process");
  const child = spawn("git", argv, {
    cwd: call.cwd,
    env: environmentOf(env, call, overrides),
    stdio: [stdin, "pipe", "pipe"],
  });
  const limitMs = call.limitMs ?? LIMIT_MS;
  const out: Buffer[] = [];
  let err = "";
  let isLate = false;
  const startedAt = Date.now();
  const timer = setInterval(
    () => {
      isLate = Date.now() - startedAt >= limitMs;
      if (isLate || call.isStuck?.() === true) child.kill("SIGKILL");
    },
    call.isStuck === undefined ? limitMs : Math.min(limitMs, STUCK_MS),
  );
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => {
    if (err.length < ERR_MAX) err += chunk.toString("utf8");
  });
  // A git that has read enough closes its end: its exit status tells.
  child.stdin?.on("error", () => undefined);
  child.on("error", (error) => {
    clearInterval(timer);
    reject(notStarted(call, error));
  });
  child.on("close", (code, signal) => {
    clearInterval(timer);
    const reason = isLate ? `took longer than ${limitMs} ms` : `ended by ${signal ?? "nothing"}`;
    if (code === null) reject(new GitError(call, { code: -1, err: `${reason}; ${err}` }));
    else resolve({ code, out: Buffer.concat(out), err });
  });
  child.stdin?.end(call.input);
  return promise;
}

export const OURSELVES = { name: "Signalbox", email: "signalbox@localhost" };

function environmentOf(env: Env, call: GitCall, overrides: readonly Override[]): Record<string, string> {
  const { author = OURSELVES } = call;
  const given = defined({
    PATH: absolute(env["PATH"]),
    HOME: env["HOME"],
    XDG_CONFIG_HOME: env["XDG_CONFIG_HOME"],
    GIT_DIR: call.gitDir,
    GIT_OBJECT_DIRECTORY: call.objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: call.alternate,
    GIT_WORK_TREE: call.workTree,
    GIT_INDEX_FILE: call.index,
    GIT_AUTHOR_DATE: call.date,
    GIT_COMMITTER_DATE: call.date,
  });
  return {
    ...given,
    LANG: "C",
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty: asked before the configuration is, and not run.
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    // No name of a transport is `none`: nothing is fetched, even if the configuration allows it.
    ...(call.signing === undefined ? {} : signingOf(env)),
    ...(call.isFetch === true ? reachingOf(env) : { GIT_SSH_COMMAND: "false", GIT_ALLOW_PROTOCOL: "none" }),
    GIT_EDITOR: "false",
    GIT_SEQUENCE_EDITOR: "false",
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    // An object is what its id says: another one that a ref puts in its place would be judged, and not be delivered.
    ...(call.isReplacing === true ? {} : { GIT_NO_REPLACE_OBJECTS: "1" }),
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_CONFIG_COUNT: String(overrides.length),
    ...Object.fromEntries(
      overrides.flatMap(({ key, value }, index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** A relative folder of programs would be the agent's, in its workspace. */
function absolute(path: string | undefined): string | undefined {
  return path
    ?.split(":")
    .filter((folder) => folder.startsWith("/"))
    .join(":");
}

/** What ssh and a proxy need. Where there is a terminal, ssh would ask there. */
function reachingOf(env: Env): Record<string, string> {
  const names = [
    "SSH_AUTH_SOCK",
    "USER",
    "LOGNAME",
    ...PROXIES,
    ...PROXIES.map((name) => name.toLowerCase()),
  ];
  return {
    ...defined(Object.fromEntries(names.map((name) => [name, env[name]]))),
    GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
  };
}

/** What gpg and ssh-keygen need to find a key that is unlocked. */
function signingOf(env: Env): Record<string, string> {
  const names = ["GNUPGHOME", "GPG_AGENT_INFO", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "USER", "LOGNAME"];
  return defined(Object.fromEntries(names.map((name) => [name, env[name]])));
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"];

function defined(values: Env): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) result[name] = value;
  return result;
}
