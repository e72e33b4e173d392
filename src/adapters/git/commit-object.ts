/** Makes commits: written into the mirror by the engine itself, or by `git commit-tree` where the user signs commits. */

import { tryGit, git, type Call } from "./call.ts";
import { writeObject } from "./loose.ts";
import { within } from "./own.ts";
import type { Bench, On } from "./own.ts";

export type NewCommit = {
  readonly tree: string;
  /** Empty for none. */
  readonly parent: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly message: string;
};

/** The notes are for a person. */
export type MadeCommit = { readonly commit: string; readonly notes: readonly string[] };

/** Makes a commit in the mirror. It is not necessarily on the disk yet. */
export async function makeCommit(on: On, bench: Bench, of: NewCommit): Promise<MadeCommit> {
  const commit = bench.isSigned ? undefined : writeCommit(bench, of);
  if (commit !== undefined) return { commit, notes: [] };
  const { tree, parent, author, message } = of;
  const args = ["commit-tree", tree, ...(parent === "" ? [] : ["-p", parent]), "-F", "-"];
  return commitTree(on, { ...within(bench), args, input: withLineEnd(message), author }, bench.isSigned);
}

/** Calls `git commit-tree`, signed where the user signs commits. */
export async function commitTree(on: On, call: Call, isSigned: boolean): Promise<MadeCommit> {
  if (!isSigned) return { commit: await git(on.env, call), notes: [] };
  const answer = await tryGit(on.env, { ...call, args: [...call.args, "-S"], isSigned: true });
  if (answer.code === 0) return { commit: answer.out.toString("utf8").trim(), notes: [] };
  // A signing key may be locked while the user is away.
  const [why = ""] = answer.err.trim().split("\n");
  return { commit: await git(on.env, call), notes: [`the commit is not signed: ${why}`] };
}

/** Undefined where git must decide: it refuses an empty name, and a NUL in a message. */
function writeCommit({ mirror, oidBytes }: Bench, of: NewCommit): string | undefined {
  const [name, email] = [withoutCrud(of.author.name), withoutCrud(of.author.email)];
  if (name === "" || email === "" || of.message.includes("\0")) return undefined;
  const person = `${name} <${email}> ${timestamp(new Date())}`;
  const lines = [
    `tree ${of.tree}`,
    ...(of.parent === "" ? [] : [`parent ${of.parent}`]),
    `author ${person}`,
    `committer ${person}`,
    "",
    withLineEnd(of.message),
  ];
  return writeObject(mirror, { type: "commit", body: Buffer.from(lines.join("\n")) }, oidBytes);
}

/** As git writes names and addresses: these characters would end them, or say nothing at their ends. */
function withoutCrud(text: string): string {
  const ends = /^[\0- .,:;<>"\\']+|[\0- .,:;<>"\\']+$/g;
  return text.replaceAll(ends, "").replaceAll(/[\n<>]/g, "");
}

/** Seconds, and the distance from UTC as hours and minutes. */
function timestamp(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = `${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(rest).padStart(2, "0")}`;
  return `${Math.floor(now.getTime() / 1000)} ${zone}`;
}

function withLineEnd(message: string): string {
  return message.endsWith("\n") ? message : `${message}\n`;
}
