/**
 * A person delivers the work of a run: the reviewed commit is merged into the default branch, and the run is done.
 *
 * The merge is the person's own act, like `git merge`: it is done before the move is asked for. Killed in between, the next call
 * finds the target with the work and asks for the move. The same way it confirms a merge that was made by other means.
 */

import type { Merging, Strategy } from "../../adapters/git/delivery/merge-plan.ts";
import type { MergeResult } from "../../adapters/git/delivery/merge.ts";
import { UserError } from "../../adapters/user-error.ts";
import { targetOf } from "../../core/gates/gate.ts";
import { inQuotes, shellWord } from "../../core/text/shell-word.ts";
import type { Facts } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import type { Move } from "../../core/model/workflow.ts";
import { step } from "../../core/step/step.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import { factsOf } from "../../engine/submit/facts.ts";
import { noteAll, noteNew } from "../../engine/notes.ts";
import { whileDeciding } from "../act/one-decision.ts";
import { saysWaived } from "../act/artifact/waived.ts";
import { ask, eventKey, requireWorkspace, voiceOf, type Acting, type Done, type Voice } from "../context.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import { refusal } from "../refusal.ts";
import { requireKept } from "../runs/load.ts";
import { taskOf } from "../runs/task.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import {
  configuredAuthor,
  requireBranch,
  requireHandover,
  requireSameWork,
  requireShownWork,
  titleOf,
} from "./reviewed-work.ts";
import { proposeWork } from "./propose.ts";
import { isFinishing } from "../view/decision/task-choices.ts";

export type MergeData = DataOf<"deliver">;

/** How it is delivered; a fast-forward where that is possible and a merge commit otherwise, unless said. */
export type Delivery = Omit<InputOf<"deliver">, "run" | "project">;

type Ending = Delivery & {
  /** States that the run passes through on its way to its end, where no move leads there at once. */
  readonly through?: readonly string[];
  /** What the person types to deliver from there. */
  readonly command?: string;
};

export async function deliverTask(
  on: Acting,
  { run, project, key, ...how }: InputOf<"deliver">,
): Promise<Outcome<MergeData>> {
  return deliver(on, await taskOf(on, run, project), { ...how, key: eventKey(on, key) });
}

export function deliver(on: Acting, id: string, how: Ending): Promise<Outcome<MergeData>> {
  return whileDeciding(on, id, () => deliverNow(on, id, how));
}

async function deliverNow(on: Acting, id: string, how: Ending): Promise<Outcome<MergeData>> {
  const kept = await requireKept(on, id);
  const { id: run, repo } = kept.row;
  const voice = await voiceOf(on, run);
  await requireBranch(on, run);
  const end = (await isDone(on, kept)) ? undefined : await requireFinish(on, kept, { ...how, voice });
  const { strategy } = how;
  if (strategy === "pull-request")
    return proposeWork(on, kept, {
      tree: end?.facts.tree ?? kept.run.tree,
      into: await branchMergedInto(on, repo),
      isReviewed: (how.through ?? []).length === 0,
    });
  const { merging, told } = await mergingOf(on, kept, {
    ...how,
    strategy,
    tree: end?.facts.tree ?? kept.run.tree,
  });
  const { mergeWork } = await import("../../adapters/git/delivery/merge.ts");
  const commands = commandsOf(run, how, end);
  const planned = { ...merging, ...(commands && { commands }) };
  const delivering = noting(on, planned, mergeWork({ home: on.home, env: on.door.env }, planned));
  const merged = end === undefined ? await whereOver(kept.run, merging, delivering) : await delivering;
  const done = await finish(on, kept, { end, voice, note: how.note, key: how.key });
  const { branch, into, commit } = merging;
  const remote =
    how.deleteRemote === true ? await deleteRemote(on, { repo, branch, merged: merged.commit }) : undefined;
  const waived = saysWaived(await on.box.workflow(kept.row.definition), kept.run);
  return outcomeOf(
    { ...done, told: [...waived, ...done.told, ...told] },
    { branch, into, work: commit, merged, remote },
  );
}

/** What a refused merge advises, where the usual commands are refused. */
function commandsOf(
  run: string,
  { command, through = [] }: Ending,
  end: End | undefined,
): Merging["commands"] {
  if (command === undefined || end === undefined) return undefined;
  const moves = [...through, end.to].map((to) => `signalbox move ${run} ${to}`);
  return { merge: command, end: moves.join(", then: ") };
}

/** The merge of exactly this tree, which is handed over where it was not. */
async function mergingOf(
  on: Acting,
  kept: Kept,
  {
    tree,
    ...how
  }: Omit<Delivery, "strategy"> & {
    readonly strategy: Strategy | undefined;
    readonly tree: string;
  },
): Promise<{ readonly merging: Merging; readonly told: readonly string[] }> {
  const { id: run, repo } = kept.row;
  const { strategy, message = messageOf(kept, strategy), leave = false, allowUndo = false } = how;
  const { branch, base } = await requireBranch(on, run);
  const into = await branchMergedInto(on, repo);
  const commit = await requireHandover(on, kept, tree);
  const { author, told } = await configuredAuthor(on, repo);
  const given = { run, repo, branch, base, into, commit, message, leave, allowUndo };
  return { merging: { ...given, ...(strategy && { strategy }), ...(author && { author }) }, told };
}

/** The history says what arrived where; also that work undoes what others did, whether that was refused or wanted. */
async function noting(
  { box }: Acting,
  { run, into }: Pick<Merging, "run" | "into">,
  merging: Promise<MergeResult>,
): Promise<MergeResult> {
  try {
    const merged = await merging;
    if (merged.undone !== "") await noteNew(box, { run }, [`the merge undid ${merged.undone}`]);
    await noteAll(box, { run, kind: "delivered" }, [sayMerged(into, merged)]);
    return merged;
  } catch (error) {
    if (error instanceof UserError && error.code === "would-undo")
      await noteNew(box, { run }, [`the merge was refused. ${error.message}`]);
    throw error;
  }
}

/** A run that is over is not ended again, and no worker merges for it: only what a person can still do is advised. */
async function whereOver(
  { id, state }: Run,
  merging: Merging,
  delivering: Promise<MergeResult>,
): Promise<MergeResult> {
  try {
    return await delivering;
  } catch (error) {
    if (!(error instanceof UserError && REFUSED_WHEN_OVER.test(error.next))) throw error;
    const next = adviceWhenOver(error.code, id, merging);
    throw new UserError(error.code, `${id} is ${state}. ${error.message}`, { next, exit: EXIT_GATE });
  }
}

const REFUSED_WHEN_OVER = /\bsignalbox (?:send-back|move|cancel) /;

function adviceWhenOver(code: string, id: string, { repo, into, branch }: Merging): string {
  const there = `git -C ${inQuotes(repo)}`;
  const merge = `${there} switch ${shellWord(into)} && ${there} merge ${shellWord(branch)}`;
  switch (code) {
    case "merge-conflict":
      return `${merge}, resolve the conflicts, commit`;
    case "unreviewed-commits":
      return `${merge} merges them, too; without them: signalbox accept ${id} --leave`;
    case "would-undo":
      return `to merge it all the same: signalbox accept ${id} --allow-undo`;
    default:
      return `signalbox show ${id}`;
  }
}

function messageOf(kept: Kept, strategy: Strategy | undefined): string {
  const { id } = kept.row;
  return strategy === "squash"
    ? `${titleOf(kept)}\n\nSignalbox-Run: ${id}`
    : `Merge task ${id}: ${titleOf(kept)}`;
}

async function branchMergedInto({ box }: Acting, repo: string): Promise<string> {
  const { defaultBranchOf } = await import("../../adapters/git/repository/branches.ts");
  const into = defaultBranchOf(repo, (await box.store.projectAt(repo))?.defaultBranch ?? "");
  if (into !== undefined) return into;
  throw new UserError("no-branch", `the default branch of ${repo} is not known`, {
    next: "signalbox project update --default-branch NAME",
    exit: EXIT_GATE,
  });
}

async function isDone({ box }: Acting, { row, run }: Kept): Promise<boolean> {
  return (await box.workflow(row.definition)).definition.states[run.state]?.final === "done";
}

type End = {
  readonly to: string;
  readonly through: readonly string[];
  readonly facts: Facts;
};

/** The move by which a person finishes the task, open for the workspace as it is now. */
async function requireFinish(
  on: Acting,
  kept: Kept,
  { through = [], voice: { by }, command }: Ending & { readonly voice: Voice },
): Promise<End> {
  const { row, run } = kept;
  const workflow = await on.box.workflow(row.definition);
  const from = through.at(-1) ?? run.state;
  const isEnd = (each: Move): boolean => isFinishing({ workflow, run: { ...run, state: from } }, each);
  const move = (workflow.movesFrom[from] ?? []).find(isEnd);
  const isAtOnce = through.length === 0;
  if (move === undefined && isAtOnce) {
    const ends = workflow.definition.moves.filter(isEnd);
    const where = [...new Set(ends.map((each) => each.from))].join(" or ");
    throw new UserError(
      "gate-not-met",
      `${row.id} is in ${run.state}. A person can merge it ${where === "" ? "by an answer only" : `in ${where} only`}.`,
      { next: `signalbox why ${row.id}`, exit: EXIT_GATE },
    );
  }
  const to = move === undefined ? "" : targetOf(run, move);
  const facts = await factsOf(on.box, kept, workflow);
  if (!isAtOnce) await requireShownWork(on, kept, { tree: facts.tree ?? "", command: command ?? "" });
  const way = isAtOnce ? {} : { through };
  const tried = step(workflow, run, { type: "move-asked", by, at: row.updatedAt, to, ...way, ...facts });
  if (tried.ok) return { to, through, facts };
  if (move !== undefined && isAtOnce) {
    await requireWorkspace(on, row.id, tried.refusal.code);
    await requireSameWork(on, kept, { move, tree: facts.tree ?? "" });
  }
  throw refusal(tried.refusal, run);
}

type Finishing = {
  /** None where it is done already. */
  readonly end: End | undefined;
  readonly voice: Voice;
  readonly note: string | undefined;
  readonly key: string | undefined;
};

/**
 * Asks for the move with what was known before the merge: the reviewed commit has arrived, whatever has changed in the workspace since.
 * The supervisor may see the merge first: then the task is done as well.
 */
async function finish(on: Acting, kept: Kept, { end, voice, note, key }: Finishing): Promise<Done> {
  const { id: run } = kept.row;
  const there = (now: Kept): Done => ({
    run,
    from: kept.run.state,
    to: now.run.state,
    seq: now.run.seq,
    told: [],
    accepted: undefined,
  });
  if (end === undefined) return there(kept);
  try {
    return await ask(on, {
      run,
      event: ({ at }, by) => ({
        type: "move-asked",
        by,
        at,
        to: end.to,
        ...(end.through.length === 0 ? {} : { through: end.through }),
        ...(note === undefined ? {} : { note }),
        ...end.facts,
      }),
      facts: end.facts,
      expected: { state: kept.run.state },
      ...(key === undefined ? {} : { key }),
      voice,
    });
  } catch (error) {
    const now = await requireKept(on, run);
    if (error instanceof UserError && (await isDone(on, now))) return there(now);
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
  const remote = (await on.box.store.projectAt(of.repo))?.remote ?? "";
  if (remote === "") return { isDeleted: false, told: "the project has no remote: nothing is deleted there" };
  const [{ deleteOn }, { withoutPassword }] = await Promise.all([
    import("../../adapters/git/delivery/push.ts"),
    import("../../adapters/git/repository/base.ts"),
  ]);
  const said = await deleteOn({ home: on.home, env: on.door.env }, { ...of, remote });
  const where = withoutPassword(remote);
  return said === ""
    ? { isDeleted: true, told: `${branch} is deleted on ${where}` }
    : { isDeleted: false, told: `${branch} could not be deleted on ${where}: ${said}` };
}

function outcomeOf(
  done: Done,
  of: {
    readonly branch: string;
    readonly into: string;
    readonly work: string;
    readonly merged: MergeResult;
    readonly remote: Remote | undefined;
  },
): Outcome<MergeData> {
  const { run, from, to, seq, told } = done;
  const { branch, into, work, remote } = of;
  const { how, commit, files, checkout } = of.merged;
  const data: MergeData = {
    run,
    from,
    to,
    seq,
    branch,
    work,
    into,
    commit,
    how,
    url: "",
    files,
    checkout,
    remote: remote === undefined ? "kept" : remote.isDeleted ? "deleted" : "failed",
  };
  const message = `${sayMerged(into, of.merged)}; ${run} is ${to}`;
  const { undone, isUnpushed, notes } = of.merged;
  return success(message, data, {
    next: `signalbox show ${run}`,
    notes: [
      ...told,
      ...notes,
      ...(undone === "" ? [] : [`this undid ${undone}`]),
      ...(checkout === "" ? [] : [`${checkout} is up to date`]),
      ...(isUnpushed ? [`not pushed yet: git push origin ${into}`] : []),
      ...(remote === undefined ? [] : [remote.told]),
    ],
  });
}

function sayMerged(into: string, { how, said, files }: MergeResult): string {
  if (how === "already") return `${into} already contains the reviewed work (commit ${said})`;
  const count = `${files} ${files === 1 ? "file" : "files"}`;
  return `merged into ${into}${HOW[how]}: ${count}, ${into} is at ${said}`;
}

const HOW: Readonly<Record<Strategy, string>> = {
  ff: "",
  merge: " with a merge commit",
  squash: " as one commit",
};
