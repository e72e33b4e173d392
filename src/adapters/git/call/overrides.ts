/**
 * Commands that a repository's own configuration names: filters, drivers, converters, helpers.
 *
 * They have names of their own, so that no fixed list can turn them off. What the repository's files say is replaced by what
 * the user's own configuration says of the same key, and by nothing where it is silent: git-lfs goes on working, a filter that an
 * agent has put there does not.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { commonDirOf } from "../repository/locate.ts";

export type Override = { readonly key: string; readonly value: string };

/** Sections that can name a command, or another file with such sections. A name of a section cannot be written in any other way. */
const SUSPECT = /\[\s*(?:filter|include|merge|diff|credential|gpg|trailer)/i;

const NAMES_A_COMMAND =
  /^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|diff\..*\.(?:command|textconv)|credential\..*|gpg\..*program|gpg\.ssh\.defaultkeycommand|trailer\..*\.(?:command|cmd))$/;
const IS_REQUIRED = /^filter\..*\.required$/;
const USERS_SCOPES = new Set(["system", "global"]);

export async function configuredByRepository(
  gitDir: string,
  list: (args: readonly string[]) => Promise<Buffer>,
): Promise<readonly Override[]> {
  if (!isSuspect(gitDir)) return [];
  const listed = await list(["config", "--list", "--show-scope", "--show-origin", "--includes", "-z"]);
  const users = new Map<string, string>();
  const planted = new Set<string>();
  for (const { scope, key, value } of entriesOf(listed)) {
    if (!NAMES_A_COMMAND.test(key) && !IS_REQUIRED.test(key)) continue;
    if (USERS_SCOPES.has(scope)) users.set(key, value);
    else if (scope !== "command") planted.add(key);
  }
  return [...planted].map((key) => ({
    key,
    value: users.get(key) ?? (IS_REQUIRED.test(key) ? "false" : ""),
  }));
}

function isSuspect(gitDir: string): boolean {
  const files = [join(commonDirOf(gitDir), "config"), join(gitDir, "config.worktree")];
  return files.some((file) => {
    const text = unless(["ENOENT", "ENOTDIR"], () => readFileSync(file, "latin1")) ?? "";
    return SUSPECT.test(text);
  });
}

/** Each is `scope NUL origin NUL key LF value NUL`; a key without a value has no LF. */
function* entriesOf(listed: Buffer): Generator<{ scope: string; key: string; value: string }> {
  const fields = listed.toString("utf8").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", , entry = ""] = fields.slice(at, at + 3);
    const end = entry.indexOf("\n");
    yield end === -1
      ? { scope, key: entry, value: "true" }
      : { scope, key: entry.slice(0, end), value: entry.slice(end + 1) };
  }
}
