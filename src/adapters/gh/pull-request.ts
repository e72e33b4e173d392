/**
 * The work of a run becomes a pull request, at most once: looked for, pushed, opened.
 *
 * Killed after the push, the next one pushes the same commit again; killed after it was opened, the next one finds it. What is missing
 * here, or refused there, is an answer with its reason; a network that fails is thrown, and tried again.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Completion, Opened } from "../../engine/ports/completion.ts";
import { failpoint } from "../failpoint.ts";
import { withoutPassword } from "../git/repository/base.ts";
import type { Git } from "../git/workspace/bench.ts";
import { deliveryOf, pushBranch } from "../git/delivery/push.ts";
import { withScratch } from "../git/call/scratch.ts";
import { spawn } from "node:child_process";
import type { Env } from "../home/paths.ts";

type Wish = Parameters<Completion["open"]>[0];

/** What GitHub takes. */
const TITLE_MAX = 256;
const BODY_MAX = 65_536;
const LINE_MAX = 300;

export async function openPullRequest(on: Git, wish: Wish): Promise<Opened> {
  const { run, repo, branch, remote } = wish;
  const { tree } = wish;
  const { mirror, commit: tip, base, isAhead } = await deliveryOf(on, { run, repo, tree, base: wish.base });
  if (remote === "")
    return refused("the project has no remote: signalbox project update --remote URL gives it one");
  const named = repositoryNamed(remote);
  if (named === undefined)
    return refused(
      `${withoutPassword(remote)} is not an address of a repository that gh can open a pull request in`,
    );
  if (base === "") return refused("the project has no default branch that a pull request could be for");
  if (!isAhead || branch === base) return refused(`${branch} has nothing that ${base} does not have`);
  return withScratch(on, async (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    const site: PullRequestSite = { on, wish, folder, named, base, tip };
    const known = await find(site);
    if (known.type === "refused") return known;
    const reason = await pushBranch(on, { mirror, commit: tip, branch, remote });
    if (reason !== "") return refused(reason);
    return known.type === "opened" ? known : create(site);
  });
}

type PullRequestSite = {
  readonly on: Git;
  readonly wish: Wish;
  readonly folder: string;
  /** The repository, as gh names it. */
  readonly named: string;
  readonly base: string;
  readonly tip: string;
};

function refused(reason: string): Opened {
  return { type: "refused", reason };
}

/** A pull request that is open, or that was opened for exactly this commit, even if it is closed by now. */
async function find(site: PullRequestSite): Promise<Opened | { readonly type: "none" }> {
  const { on, wish, folder, named, tip } = site;
  const options = [`--repo=${named}`, `--head=${wish.branch}`, "--state=all", "--limit=100"];
  const fields = "--json=url,state,headRefOid,isCrossRepository";
  const said = await gh(on.env, folder, ["pr", "list", ...options, fields]);
  if (said === undefined) return refused("gh is not installed, and it is what opens pull requests");
  if (said.code !== 0) return refusalIn(said);
  const all = requestsIn(said.out).filter((each) => each["isCrossRepository"] !== true);
  const known = all.find(({ state }) => state === "OPEN") ?? all.find(({ headRefOid }) => headRefOid === tip);
  const url = known?.["url"];
  return typeof url === "string" ? { type: "opened", url, commit: tip } : { type: "none" };
}

function requestsIn(text: string): readonly Readonly<Record<string, unknown>>[] {
  const value: unknown = JSON.parse(text.trim() === "" ? "[]" : text);
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

async function create(site: PullRequestSite): Promise<Opened> {
  const { on, wish, folder, named, base, tip } = site;
  const file = join(folder, "body.md");
  writeFileSync(file, bodyOf(wish.body), { mode: 0o600 });
  failpoint("pull-request.before-create");
  const said = await gh(on.env, folder, [
    "pr",
    "create",
    `--repo=${named}`,
    `--title=${titleOf(wish.title)}`,
    `--body-file=${file}`,
    `--base=${base}`,
    `--head=${wish.branch}`,
  ]);
  failpoint("pull-request.after-create");
  if (said === undefined) return refused("gh was removed before it could open the pull request");
  const url = /^https?:\/\/\S+$/m.exec(said.out)?.[0];
  if (said.code === 0 && url !== undefined) return { type: "opened", url, commit: tip };
  // Another process was faster, or gh printed nothing: look for the pull request.
  const found = await find(site);
  if (found.type === "opened") return found;
  return refusalIn(said);
}

const NOT_SIGNED_IN = 4;
const SIGN_IN = /gh auth login|HTTP 401|Bad credentials/i;
/** Said by who was reached: a second try would be told the same. */
const REFUSED =
  /HTTP 4(?:03|04|10|22)|Could not resolve to a|No commits between|must be a collaborator|not accessible by|invalid argument|unknown flag|no default remote/i;

function refusalIn(said: GhAnswer): Opened {
  const text = `${said.err}\n${said.out}`;
  if (said.code === NOT_SIGNED_IN || SIGN_IN.test(text)) return refused("gh is not logged in: gh auth login");
  const line = `gh: ${lineIn(text)}`;
  if (REFUSED.test(text)) return refused(line);
  throw new Error(line);
}

function lineIn(text: string): string {
  const lines = text.split("\n").map((each) => each.trim());
  const line = lines.find((each) => REFUSED.test(each)) ?? lines.find((each) => each !== "");
  return withoutPassword(line ?? "it said nothing").slice(0, LINE_MAX);
}

/** One line, of a length that is taken. */
function titleOf(title: string): string {
  const line = title.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return cut(line, TITLE_MAX);
}

function bodyOf(body: string): string {
  // oxlint-disable-next-line no-control-regex
  return cut(body.replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, ""), BODY_MAX);
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const FORMS = [
  /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([A-Za-z0-9.-]+)(?::\d+)?\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/,
  // As ssh has it: git@host:owner/name.
  /^(?:[\w.-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):\/?([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/,
];

/** The repository of an address, as `gh` names it: `HOST/OWNER/NAME`; `undefined` for other addresses, such as a folder. */
export function repositoryNamed(address: string): string | undefined {
  for (const form of FORMS) {
    const [, host, owner, name] = form.exec(address) ?? [];
    if (host !== undefined && isName(host) && isName(owner) && isName(name))
      return `${host}/${owner}/${name}`;
  }
  return undefined;
}

/** One that could be taken for an option, or for a folder, is none. */
function isName(part: string | undefined): boolean {
  return part !== undefined && /^[A-Za-z0-9_.]/.test(part) && part !== "." && part !== "..";
}

type GhAnswer = { readonly code: number; readonly out: string; readonly err: string };

const LIMIT_MS = 120_000;
const TEXT_MAX = 1024 * 1024;

/**
 * The only place where `gh` is started. It gets the user's variables, because it signs in with their credentials; none of the engine's, and none
 * that say where git works. It runs in a folder of the engine, with the repository named, so that it reads no configuration of a repository. It has
 * no terminal and cannot ask. No shell reads a text of a run: each text is one argument, bound to its option by `=`.
 * Undefined where the program is not installed. Throws on a timeout.
 */
async function gh(env: Env, cwd: string, args: readonly string[]): Promise<GhAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<GhAnswer | undefined>();
  // In a group of its own, so that the programs that it starts end with it.
  const child = spawn("gh", args, {
    cwd,
    env: environmentOf(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const texts = { out: "", err: "" };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, LIMIT_MS);
  child.stdout.on("data", (chunk: Buffer) => (texts.out += clipped(texts.out, chunk)));
  child.stderr.on("data", (chunk: Buffer) => (texts.err += clipped(texts.err, chunk)));
  child.on("error", (error) => {
    clearTimeout(timer);
    if ("code" in error && (error.code === "ENOENT" || error.code === "EACCES")) resolve(undefined);
    else reject(error);
  });
  child.on("close", (code) => {
    clearTimeout(timer);
    if (isLate) reject(new Error(`gh ${args[0] ?? ""} ${args[1] ?? ""} took longer than ${LIMIT_MS} ms`));
    else resolve({ ...texts, code: code ?? -1 });
  });
  return promise;
}

function clipped(text: string, chunk: Buffer): string {
  return text.length >= TEXT_MAX ? "" : chunk.toString("utf8");
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself in that moment.
  }
}

const OURS = /^(?:SIGNALBOX_|GIT_)/;
/** Of its own settings, those that would say something else than what is asked for, or say it in another form. */
const ITS_OWN: ReadonlySet<string> = new Set([
  "GH_REPO",
  "GH_DEBUG",
  "DEBUG",
  "GH_FORCE_TTY",
  "GH_PAGER",
  "PAGER",
]);

function environmentOf(env: Env): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !OURS.test(name) && !ITS_OWN.has(name)) given[name] = value;
  return {
    ...given,
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
    GIT_TERMINAL_PROMPT: "0",
    NO_COLOR: "1",
    LC_ALL: "C",
  };
}
