/**
 * Whose a commit is, as the person has it for git: variables first, then their own configuration. What the repository says is a
 * name too, and only a name: it is taken where there is no other.
 */

import { UserError } from "../user-error.ts";
import { git } from "./call.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import type { On } from "./own.ts";

const GATE = 5;

export async function authorOf(
  { env }: On,
  repo: string,
  what: string,
): Promise<{ readonly name: string; readonly email: string }> {
  const args = ["config", "--list", "--show-scope", "--includes", "-z"];
  const commonDir = commonDirOf(gitDirOf(repo) ?? repo);
  const fields = (await git(env, { cwd: commonDir, gitDir: commonDir, args })).split("\0");
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
