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
import { gh, type GhAnswer } from "./call.ts";

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
