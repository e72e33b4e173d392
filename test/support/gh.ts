/**
 * A `gh` for tests: a program that writes down how it was called, and keeps its pull requests in a file, in the form of the real one.
 *
 * Its folder is `gh` in the caller's HOME; a file `mood` there says what is wrong with it.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type GhCall = {
  readonly argv: readonly string[];
  /** Variables that it had of those that matter. */
  readonly env: Readonly<Record<string, string>>;
  readonly isTty: boolean;
  readonly cwd: string;
};

export type PullRequest = {
  readonly url: string;
  readonly state: "OPEN" | "CLOSED" | "MERGED";
  readonly headRefName: string;
  readonly baseRefName: string;
  readonly headRefOid: string;
  readonly isCrossRepository: boolean;
  readonly title: string;
  readonly body: string;
};

const SCRIPT = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const { join } = require("node:path");
const folder = join(process.env.HOME, "gh");
const argv = process.argv.slice(2);
const wanted = Object.entries(process.env).filter(([name]) => /^(SIGNALBOX|GH_|GIT_|NO_COLOR)/.test(name));
appendFileSync(join(folder, "calls"), JSON.stringify({
  argv, env: Object.fromEntries(wanted), isTty: Boolean(process.stdin.isTTY || process.stdout.isTTY), cwd: process.cwd(),
}) + "\\n");
const mood = existsSync(join(folder, "mood")) ? readFileSync(join(folder, "mood"), "utf8").trim() : "";
const fail = (code, text) => { process.stderr.write(text + "\\n"); process.exit(code); };
if (mood === "logged-out") fail(4, "To get started with GitHub CLI, please run:  gh auth login\\nAlternatively, populate the GH_TOKEN environment variable with a GitHub API authentication token.");
if (mood === "bad-token") fail(1, "HTTP 401: Bad credentials (https://api.github.com/graphql)\\nTry authenticating with:  gh auth login");
if (mood === "offline") fail(1, "error connecting to api.github.com\\ncheck your internet connection or https://githubstatus.com");
if (mood === "gone") fail(1, "GraphQL: Could not resolve to a Repository with the name 'o/n'. (repository)");
const option = (name) => argv.find((word) => word.startsWith("--" + name + "="))?.slice(name.length + 3);
const file = join(folder, "prs.json");
const all = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const head = option("head");
if (argv[1] === "list") {
  const found = all.filter((each) => each.headRefName === head && (option("state") === "all" || each.state === "OPEN"));
  const fields = option("json").split(",");
  process.stdout.write(JSON.stringify(found.map((each) => Object.fromEntries(fields.map((name) => [name, each[name]])))) + "\\n");
} else if (argv[1] === "create") {
  const open = all.find((each) => each.headRefName === head && each.state === "OPEN" && !each.isCrossRepository);
  const [host, owner, name] = option("repo").split("/");
  if (open) fail(1, 'a pull request for branch "' + head + '" into branch "' + option("base") + '" already exists:\\n' + open.url);
  const oid = execFileSync("git", ["--git-dir=" + join(folder, "remote.git"), "rev-parse", "refs/heads/" + head], { encoding: "utf8" }).trim();
  const url = "https://" + [host, owner, name, "pull", all.length + 1].join("/");
  all.push({ url, state: "OPEN", headRefName: head, baseRefName: option("base"), headRefOid: oid, isCrossRepository: false,
    title: option("title"), body: readFileSync(option("body-file"), "utf8") });
  writeFileSync(file, JSON.stringify(all));
  process.stdout.write(mood === "silent" ? "" : url + "\\n");
} else fail(1, "unknown command");
`;

/** Makes the program in a folder for PATH. */
export function makeGh(bin: string, home: string): void {
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(home, "gh"), { recursive: true });
  writeFileSync(join(bin, "gh"), `#!${process.execPath}\n${SCRIPT}`);
  chmodSync(join(bin, "gh"), 0o755);
}

export function ghCalls(home: string): readonly GhCall[] {
  const file = join(home, "gh/calls");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.map((line) => JSON.parse(line) as GhCall);
}

export function pullRequests(home: string): readonly PullRequest[] {
  const file = join(home, "gh/prs.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as PullRequest[]) : [];
}

export function putPullRequests(home: string, all: readonly Partial<PullRequest>[]): void {
  writeFileSync(join(home, "gh/prs.json"), JSON.stringify(all));
}

export function setMood(home: string, mood: string): void {
  writeFileSync(join(home, "gh/mood"), mood);
}
