/**
 * What workspaces take over from the user's repository: how files become objects, exclude rules, sparse checkout, remotes, hooks and
 * the user's identity. Read once when a workspace is made; listing a configuration runs nothing.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { git, type AuthorIdentity } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import type { Override } from "../call/overrides.ts";
import type { Git } from "../workspace/bench.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { branchAt } from "./refs.ts";

type RemoteRepository = {
  readonly name: string;
  readonly url: string;
  readonly fetch: readonly string[];
  /** The ref of its default branch; empty where it is not known. */
  readonly head: string;
};

export type RepositorySettings = {
  /** Settings that say which files become objects, and how; none of them names a command. */
  readonly format: ReadonlyMap<string, string>;
  readonly exclude: string;
  /** Patterns of a sparse checkout; undefined where everything is checked out. */
  readonly sparse: string | undefined;
  readonly remotes: readonly RemoteRepository[];
  /** `core.hooksPath`; empty where it is not configured. */
  readonly hooksPath: string;
  /** Otherwise the repository's own folder of hooks. The user has put them there: cloning never brings any. */
  readonly hooks: string;
  /** Where Git LFS keeps files. */
  readonly lfs: string;
  readonly user: AuthorIdentity;
  /** With what the user signs commits; undefined where they do not. */
  readonly signing: readonly Override[] | undefined;
  /** Filters of the user's own configuration: `NAME KEY` and the value. */
  readonly filters: ReadonlyMap<string, string>;
};

const FORMAT = new Set([
  "core.repositoryformatversion",
  "core.autocrlf",
  "core.eol",
  "core.filemode",
  "core.symlinks",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.sparsecheckout",
  "core.sparsecheckoutcone",
  "extensions.objectformat",
]);
const PLAIN = /^[a-z0-9]*$/i;
const USERS_SCOPES = new Set(["system", "global"]);
const SIGNING = new Set(["user.signingkey", "gpg.format"]);
const SIGNER = /^gpg\..*(?:program|defaultkeycommand)$/;
const FILTER = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
const MISSING = ["ENOENT", "ENOTDIR"];

export async function settingsOf(on: Git, repo: string): Promise<RepositorySettings> {
  const gitDir = gitDirOf(repo) ?? repo;
  const commonDir = commonDirOf(gitDir);
  const args = ["config", "--list", "--show-scope", "--includes", "-z"];
  const fields = (await git(on.env, { cwd: commonDir, gitDir, args })).split("\0");
  const format = new Map<string, string>();
  const values = new Map<string, readonly string[]>();
  const filters = new Map<string, string>();
  const signing = new Map<string, string>();
  for (let place = 0; place + 1 < fields.length; place += 2) {
    const [scope = "", entry = ""] = fields.slice(place, place + 2);
    const end = entry.indexOf("\n");
    const [key, value] = end === -1 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)];
    if (scope !== "command" && FORMAT.has(key) && PLAIN.test(value)) format.set(key, value);
    const [, name = "", setting = ""] = (USERS_SCOPES.has(scope) ? FILTER.exec(key) : undefined) ?? [];
    if (name !== "") filters.set(`${name} ${setting}`, value);
    if (SIGNING.has(key) || (USERS_SCOPES.has(scope) && SIGNER.test(key))) signing.set(key, value);
    if (scope !== "command") values.set(key, [...(values.get(key) ?? []), value]);
  }
  const last = (key: string): string => values.get(key)?.at(-1) ?? "";
  const excludes = values.get("core.excludesfile")?.at(-1);
  if (excludes !== undefined)
    format.set("core.excludesfile", /^[/~]|^$/.test(excludes) ? excludes : resolve(repo, excludes));
  const isSigned = /^(?:true|yes|on|1)$/i.test(last("commit.gpgsign"));
  const isSparse = format.get("core.sparsecheckout")?.toLowerCase() === "true";
  return {
    format,
    exclude: textOf(join(commonDir, "info/exclude")) ?? "",
    sparse: isSparse ? textOf(join(gitDir, "info/sparse-checkout")) : undefined,
    remotes: remotesIn(values, { repo, commonDir }),
    // A relative path counts from the top of the work tree, also in a clone.
    hooksPath: last("core.hookspath"),
    hooks: join(commonDir, "hooks"),
    lfs: join(commonDir, "lfs"),
    user: { name: last("user.name"), email: last("user.email") },
    signing: isSigned ? [...signing].map(([key, value]) => ({ key, value })) : undefined,
    filters,
  };
}

/**
 * The user's filters, for a work tree that belongs to agents. Git starts them in the work tree, where a relative path, a module or a
 * configuration file would be the agent's: they are started in `/` instead. A filter whose program has a relative path is off.
 */
export function filterSections({
  filters,
}: Pick<RepositorySettings, "filters">): readonly (readonly [
  section: string,
  entries: readonly ConfigEntry[],
])[] {
  const entries = [...filters].map(([place, value]) => {
    const end = place.lastIndexOf(" ");
    return { name: place.slice(0, end), key: place.slice(end + 1), value };
  });
  return [...Map.groupBy(entries, ({ name }) => name)].map(([name, settings]) => {
    const isOff = settings.some(({ key, value }) => key !== "required" && startsRelative(value));
    const one = ({ key, value }: (typeof settings)[number]): ConfigEntry => {
      if (key === "required") return [key, isOff ? "false" : value];
      return [key, isOff || value === "" ? "" : `cd / && ${value}`];
    };
    return [`filter ${name}`, settings.map(one)];
  });
}

/** The first word is a path, and not from the root, the home or a variable. */
function startsRelative(command: string): boolean {
  const [, quoted, single, bare] = /^\s*(?:"([^"]*)"|'([^']*)'|(\S+))/.exec(command) ?? [];
  const program = quoted ?? single ?? bare ?? "";
  return program.includes("/") && !/^[/~$]/.test(program) && !program.includes("=");
}

function remotesIn(
  values: ReadonlyMap<string, readonly string[]>,
  { repo, commonDir }: { readonly repo: string; readonly commonDir: string },
): readonly RemoteRepository[] {
  return [...values].flatMap(([key, urls]): RemoteRepository[] => {
    const [, name] = /^remote\.(.+)\.url$/s.exec(key) ?? [];
    const url = urls.at(-1) ?? "";
    if (name === undefined || url === "") return [];
    // A path in the file system: no address has a colon, or begins like this.
    const isRelative = !/^[/~]|:/.test(url);
    const fetch = values.get(`remote.${name}.fetch`) ?? [];
    const head = branchAt(commonDir, `refs/remotes/${name}/HEAD`) ?? "";
    return [{ name, url: isRelative ? resolve(repo, url) : url, fetch, head }];
  });
}

function textOf(file: string): string | undefined {
  return unless(MISSING, () => readFileSync(file, "utf8"));
}

/** A configuration file of git. Values are quoted, so that none can begin another line or section. */
export function configText(
  sections: readonly (readonly [section: string, entries: readonly ConfigEntry[]])[],
): string {
  return sections
    .filter(([, entries]) => entries.length > 0)
    .map(([section, entries]) => {
      const lines = entries.map(([key, value]) => `\t${key} = "${escaped(value)}"\n`);
      return `[${sectionName(section)}]\n${lines.join("")}`;
    })
    .join("");
}

type ConfigEntry = readonly [key: string, value: string];

/** `core`, or `remote NAME` where the name may be anything. */
function sectionName(section: string): string {
  const at = section.indexOf(" ");
  return at === -1 ? section : `${section.slice(0, at)} "${escaped(section.slice(at + 1))}"`;
}

function escaped(value: string): string {
  return value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\0", "");
}

/** The entries of one section of these settings. */
export function entriesOf(format: ReadonlyMap<string, string>, section: string): readonly ConfigEntry[] {
  return [...format].flatMap(([key, value]): ConfigEntry[] =>
    key.startsWith(`${section}.`) ? [[key.slice(section.length + 1), value]] : [],
  );
}

const GATE = 5;

export async function authorOf({ env }: Git, repo: string, what: string): Promise<AuthorIdentity> {
  const args = ["config", "--list", "--show-scope", "--includes", "-z"];
  const commonDir = commonDirOf(gitDirOf(repo) ?? repo);
  const fields = (await git(env, { ...inRepository(commonDir), args })).split("\0");
  const values = new Map<string, string>();
  for (let place = 0; place + 1 < fields.length; place += 2) {
    const [scope = "", entry = ""] = fields.slice(place, place + 2);
    const [key = "", value = ""] = entry.split("\n", 2);
    if (key === "user.name" || key === "user.email") values.set(`${scope} ${key}`, value);
  }
  const of = (variable: string, key: string): string =>
    env[variable] ||
    (["global", "system", "local", "worktree"].map((scope) => values.get(`${scope} ${key}`)).find(Boolean) ??
      "");
  const [name, email] = [of("GIT_AUTHOR_NAME", "user.name"), of("GIT_AUTHOR_EMAIL", "user.email")];
  if (name !== "" && email !== "") return { name, email };
  throw new UserError("no-author", `git does not know whose ${what} is`, {
    next: `git config --global ${name === "" ? 'user.name "YOUR NAME"' : "user.email YOU@EXAMPLE.ORG"}`,
    exit: GATE,
  });
}
