/**
 * `signalbox task merge`: a person merges the work of a task, and the task is done.
 *
 * The merge is the person's own act, like `git merge`: this command does it, before it asks for the move. Killed in between, the next
 * call finds the branch merged and asks for the move, and so does the supervisor.
 */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { targetOf } from "../../core/gate.ts";
import { step } from "../../core/step.ts";
import type { Landed } from "../../adapters/git/merge.ts";
import type { Looked } from "../../adapters/git/same-work.ts";
import { artifactPaths, boundWorkspace } from "../../engine/place.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { factsOf } from "../../engine/known.ts";
import { acting, requireWorkspace, voiceOf, type Acting, type Done, type Voice } from "../acting.ts";
import { EXIT_GATE, EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { talkOf } from "../acted.ts";
import { requireKept } from "../kept.ts";
import { moveTo } from "../moving.ts";
import { refusal } from "../refused.ts";
import { PERSON } from "../reading/ways.ts";
import { firstLine } from "../say.ts";
import { OF_PROJECT, taskOf } from "./which.ts";

const HELP = "signalbox task merge --help";
const STRATEGIES = ["ff", "merge"] as const;
const NAMES_SHOWN = 10;

/** What `--json` gives. */
export type MergeData = {
  readonly run: string;
  readonly from: string;
  readonly to: string;
  readonly seq: number;
  readonly branch: string;
  /** The branch that it was merged into, and the commit that this is at now. */
  readonly into: string;
  readonly commit: string;
  readonly how: Landed["how"];
  /** The checkout that has followed; empty for none. */
  readonly checkout: string;
  /** What became of the branch on the remote: `kept`, `deleted`, or `failed`. */
  readonly remote: "kept" | "deleted" | "failed";
};

export const command: Command = {
  usage: "[TASK] [--strategy ff|merge] [--message TEXT] [--delete-remote]",
  about:
    "Merges the branch of a task into the default branch, and the task is done. Without --strategy: a fast-forward where that is possible, a merge commit otherwise.\nNothing is touched where there would be conflicts, or where a checkout of the default branch has changes that are not committed. Only people can do this.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    strategy: { takes: "ff|merge", about: "only a fast-forward, or always a merge commit" },
    message: { takes: "TEXT", about: "the message of the merge commit" },
    "delete-remote": { about: "delete the branch on the project's remote afterwards" },
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: ["signalbox task merge k3d9", "signalbox task merge k3d9 --strategy merge --delete-remote"],
  answer: (given, door) => merge(given, door),
};

export function merge(given: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    requirePerson(on.who);
    const { options } = given;
    const strategy = strategyOf(options["strategy"]);
    const kept = requireKept(on, taskOf(on, given.words[0], options["project"]));
    const { id, repo } = kept.row;
    const workspace = requireBranch(on, id);
    const into = await branchMergedInto(on, repo);
    const { mergeBranch } = await import("../../adapters/git/merge.ts");
    const voice = await voiceOf(on, id);
    const { to, looked } = isDone(on, kept)
      ? { to: undefined, looked: undefined }
      : await requireFinish(on, kept, voice);
    // Of a task that is done, the workspace is being given back.
    if (to !== undefined) await requireCommitted(on, id);
    const landed = await mergeBranch(
      { home: on.home, env: door.env },
      {
        run: id,
        repo,
        branch: workspace.branch,
        into,
        message: options["message"] ?? `Merge task ${id}: ${firstLine(summaryOf(kept))}`,
        ...(strategy === undefined ? {} : { strategy }),
        ...(looked === undefined ? {} : { looked }),
      },
    );
    const done = await finish(on, kept, { to, voice, note: options["note"], key: options["key"] });
    const remote =
      options["delete-remote"] === undefined
        ? undefined
        : await deleteRemote(on, { repo, branch: workspace.branch, merged: landed.commit });
    return answerOf(done, { branch: workspace.branch, into, landed, remote });
  });
}

function strategyOf(given: string | undefined): (typeof STRATEGIES)[number] | undefined {
  const known = STRATEGIES.find((each) => each === given);
  if (given === undefined || known !== undefined) return known;
  throw new UserError("bad-usage", `--strategy ${given}: it is ff or merge`, HELP);
}

function summaryOf({ row, run }: Kept): string {
  const { summary } = run.params;
  return typeof summary === "string" && summary !== "" ? summary : row.goal;
}

/** What is merged is the branch of its workspace, also after the workspace was given back. */
function requireBranch({ box }: Acting, run: string): WorkspaceRow {
  const row = box.store.workspace(run);
  if (row !== undefined && row.branch !== "") return row;
  throw new UserError("no-branch", `${run} has no branch: it was never started`, {
    next: `signalbox task start ${run}`,
    exit: EXIT_GATE,
  });
}

async function branchMergedInto({ box }: Acting, repo: string): Promise<string> {
  const { defaultBranchOf } = await import("../../adapters/git/default-refs.ts");
  const into = defaultBranchOf(repo, box.store.projectAt(repo)?.defaultBranch ?? "");
  if (into !== undefined) return into;
  throw new UserError("no-branch", `nobody knows the default branch of ${repo}`, {
    next: "signalbox project update --default-branch NAME",
    exit: EXIT_GATE,
  });
}

function isDone({ box }: Acting, { row, run }: Kept): boolean {
  return box.workflow(row.definition).definition.states[run.state]?.final === "done";
}

type Finish = { readonly to: string; readonly looked: Looked | undefined };

/** Where a person may call it done, with everything that this needs as it is now. Gives where that leads, and the work that it is about. */
async function requireFinish(on: Acting, kept: Kept, { by }: Voice): Promise<Finish> {
  const { row, run } = kept;
  const workflow = on.box.workflow(row.definition);
  const { states, moves } = workflow.definition;
  const isFinishing = (move: (typeof moves)[number]): boolean =>
    move.by.includes(PERSON) && move.answer === undefined && states[targetOf(run, move)]?.final === "done";
  const move = (workflow.movesFrom[run.state] ?? []).find(isFinishing);
  if (move === undefined) {
    const from = [...new Set(moves.filter(isFinishing).map((each) => each.from))].join(" or ");
    throw new UserError(
      "gate-not-met",
      `${row.id} is in ${run.state}, and a person can call it done ${from === "" ? "by an answer only" : `in ${from} only`}`,
      { next: `signalbox why ${row.id}`, exit: EXIT_GATE },
    );
  }
  const to = targetOf(run, move);
  const facts = await factsOf(on.box, kept, workflow);
  const tried = step(workflow, run, { type: "move-asked", by, at: row.updatedAt, to, ...facts });
  if (!tried.ok) {
    await requireWorkspace(on, row.id, tried.refusal.code);
    throw refusal(tried.refusal, run);
  }
  const { tree = "" } = facts;
  return { to, looked: tree === "" ? undefined : { tree, artifacts: artifactPaths(workflow, run) } };
}

/** What is not committed would not be merged, and nobody would notice. */
async function requireCommitted(on: Acting, run: string): Promise<void> {
  const bound = boundWorkspace(on.box, run);
  if (bound === undefined) return;
  const { uncommittedIn } = await import("../../adapters/git/uncommitted.ts");
  const { path, branch } = bound;
  const names = await uncommittedIn({ home: on.home, env: on.door.env }, { run, path, branch });
  if (names.length === 0) return;
  const more = names.length - NAMES_SHOWN;
  const shown = `${names.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  throw new UserError("not-committed", `not everything in ${path} is committed: ${shown}`, {
    next: `git -C '${path}' commit --all, then: signalbox task merge ${run}`,
    exit: EXIT_GATE,
  });
}

type Finishing = {
  /** None where it is done already. */
  readonly to: string | undefined;
  readonly voice: Voice;
  readonly note: string | undefined;
  readonly key: string | undefined;
};

/** The supervisor may see the merge before we have asked: then it is done as well. */
async function finish(on: Acting, kept: Kept, { to, ...rest }: Finishing): Promise<Done> {
  const { id: run } = kept.row;
  const there = (now: Kept): Done => ({
    run,
    from: kept.run.state,
    to: now.run.state,
    seq: now.run.seq,
    told: [],
    accepted: undefined,
  });
  if (to === undefined) return there(kept);
  try {
    return await moveTo(on, { run, to, ...rest });
  } catch (error) {
    const now = requireKept(on, run);
    if (error instanceof UserError && isDone(on, now)) return there(now);
    throw error;
  }
}

type Remote = { readonly isDeleted: boolean; readonly told: string };

/** Only asked for by name, and only after the merge. Where it fails, the task is done all the same. */
async function deleteRemote(
  on: Acting,
  of: { readonly repo: string; readonly branch: string; readonly merged: string },
): Promise<Remote> {
  const { branch } = of;
  const remote = on.box.store.projectAt(of.repo)?.remote ?? "";
  if (remote === "") return { isDeleted: false, told: "the project has no remote: nothing is deleted there" };
  const [{ deleteOn }, { withoutPassword }] = await Promise.all([
    import("../../adapters/git/push.ts"),
    import("../../adapters/git/fetch.ts"),
  ]);
  const said = await deleteOn({ home: on.home, env: on.door.env }, { ...of, remote });
  const where = withoutPassword(remote);
  return said === ""
    ? { isDeleted: true, told: `${branch} is deleted on ${where}` }
    : { isDeleted: false, told: `${branch} could not be deleted on ${where}: ${said}` };
}

const HOW: Readonly<Record<Landed["how"], string>> = {
  already: "was merged already into",
  ff: "is merged into",
  merge: "is merged, by a merge commit, into",
};

function answerOf(
  done: Done,
  of: {
    readonly branch: string;
    readonly into: string;
    readonly landed: Landed;
    readonly remote: Remote | undefined;
  },
): Answer {
  const { run, from, to, seq, told } = done;
  const { branch, into, landed, remote } = of;
  const data: MergeData = {
    run,
    from,
    to,
    seq,
    branch,
    into,
    ...landed,
    remote: remote === undefined ? "kept" : remote.isDeleted ? "deleted" : "failed",
  };
  const message = `${branch} ${HOW[landed.how]} ${into}; ${run} is ${to}`;
  const next = `signalbox show ${run}`;
  const followed = landed.checkout === "" ? [] : [`${landed.checkout} has followed`];
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${message}\n`,
    next,
    talk: talkOf([...told, ...followed, ...(remote === undefined ? [] : [remote.told])], next),
  };
}
