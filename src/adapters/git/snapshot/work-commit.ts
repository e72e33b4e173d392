/**
 * All that changed in a workspace becomes one commit on the run's branch, with a message of its own: exactly the work that was judged.
 *
 * Its parent is the agent's last commit or the run's base, so that the branch does not show the handovers before it.
 */

import type { Completion } from "../../../engine/ports/completion.ts";
import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import { git } from "../call/call.ts";
import { publish } from "../delivery/publish.ts";
import { treeInMirror } from "../mirror/loose-objects.ts";
import { runRef } from "../mirror/names.ts";
import { makeCommit } from "../mirror/write-objects.ts";
import { refAt } from "../repository/refs.ts";
import { authorOf } from "../repository/settings.ts";
import { openBench, within, type Bench, type Git } from "../workspace/bench.ts";
import { tipOf } from "./agent-head.ts";
import { digest } from "./digest.ts";
import { noteHandover, treeForCommit } from "./handover.ts";

type Committing = Parameters<Completion["commit"]>[0];
type Committed = Awaited<ReturnType<Completion["commit"]>>;

const GATE = 5;

/** Call under the repository's lock. */
export async function commitWork(on: Git, committing: Committing): Promise<Committed> {
  const { run, repo, path, tree, artifacts, exclude } = committing;
  const bench = await openBench(on, path);
  if ((await digest(on, bench, artifacts)) !== tree) throw changed(bench, committing);
  const tip = await tipOf(on, bench);
  const whole = await treeForCommit(on, bench, { run, tree, tip, artifacts, exclude });
  const head = refAt(bench.mirror, runRef(run, "head")) ?? bench.base;
  const isMade = await isThis(on, bench, { head, committing, tip, tree: whole });
  const isAgents = !isMade && (await treeInMirror(on, bench.mirror, tip)) === whole;
  const commit = isMade ? head : isAgents ? tip : await make(on, bench, { committing, tip, tree: whole });
  failpoint("commit.before-ref");
  await noteHandover(bench, { run, tree, commit });
  const branch = bench.branch.replace("refs/heads/", "");
  const [problem] = await publish(on, { run, repo, branch, commit });
  failpoint("commit.after-ref");
  if (problem !== undefined)
    throw new UserError("branch-in-use", problem, { next: `git -C '${repo}' switch --detach`, exit: GATE });
  return { commit, made: !isAgents };
}

function changed({ path }: Bench, { run, tree }: Committing): UserError {
  return new UserError(
    "work-changed",
    `The work of ${run} has changed since the gate before its commit: nothing is committed.`,
    { next: `git -C '${path}' diff ${tree}, undo what is not wanted`, exit: GATE },
  );
}

type Making = { readonly committing: Committing; readonly tip: string; readonly tree: string };

/** Whether the head is the very commit that would be made: it was, before a crash. */
async function isThis(on: Git, bench: Bench, of: Making & { readonly head: string }): Promise<boolean> {
  const text = await git(on.env, { ...within(bench), args: ["cat-file", "commit", of.head] });
  const end = text.indexOf("\n\n");
  const [first = "", ...headers] = text.slice(0, end).split("\n");
  const parents = headers.filter((line) => line.startsWith("parent "));
  return (
    first === `tree ${of.tree}` &&
    parents.join() === `parent ${of.tip}` &&
    text.slice(end + 2).trim() === messageOf(of.committing).trim()
  );
}

function messageOf({ message, run }: Committing): string {
  return withTrailer(message, trailerOf(run));
}

export function trailerOf(run: string): string {
  return `Signalbox-Run: ${run}`;
}

async function make(on: Git, bench: Bench, { committing, tip, tree }: Making): Promise<string> {
  const author = await authorOf(on, committing.repo, "the commit");
  const message = messageOf(committing);
  return (await makeCommit(on, bench, { tree, parent: tip, author, message })).commit;
}

/** Lines such as `Co-authored-by: ...` at the end of a message are one block. Only the engine says which run a commit belongs to. */
export function withTrailer(message: string, trailer: string): string {
  const [name = ""] = trailer.split(":");
  const forged = new RegExp(String.raw`(?:^|\n)[ \t]*${name}[ \t]*:[^\n]*(?=\n|$)`, "gi");
  const text = plain(message).replaceAll(forged, "").trim();
  if (text === "") return `${trailer}\n`;
  const [, ...rest] = text.split(/\n{2,}/);
  const last = rest.at(-1)?.split("\n") ?? [];
  const isBlock = last.length > 0 && last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/.test(line));
  return `${text}\n${isBlock ? "" : "\n"}${trailer}\n`;
}

/** Characters that command a terminal are removed; what ends a text for git is shown. */
function plain(message: string): string {
  return (
    message
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll("\0", "\uFFFD")
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0001-\u0008\u000B-\u001F\u007F-\u009F]/g, "")
      .replaceAll(/[ \t]+$/gm, "")
      .trim()
  );
}
