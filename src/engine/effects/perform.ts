/**
 * Carries out one deed. A process that died may have begun it before: everything here looks first, or cannot
 * happen twice.
 */

import { startAgent, stopAgent } from "../agents/start-stop.ts";
import { archive, noteBase } from "./archive.ts";
import type { Works } from "../box.ts";
import { startCheck } from "../checks/check.ts";
import type { Of } from "./deed.ts";
import { commit } from "./commit.ts";
import { questionText, variablesOf } from "../agents/launch.ts";
import { shownWorkspace, placeOf } from "../submit/place.ts";
import type { DeedRow } from "../ports/outbox.ts";
import { noteAll } from "../notes.ts";
import { showTexts } from "../submit/show-texts.ts";
import { openPullRequest, tag } from "./completion.ts";
import { leaveTerminal } from "../agents/seat.ts";
import { startTasks } from "../tasks/start-graph.ts";
import { tellAgent } from "../agents/message.ts";
import { prepare, release, renameBranch, snapshot } from "../workspaces/workspace.ts";
import { notifyOf } from "../pins/pinned-settings.ts";
import { needsPerson } from "../supervise/later.ts";

/** Gives what was done, in words. Throws when it could not be done now; an error with `next` is a person's to fix. */
export async function perform(works: Works, { deed, run, key, tries }: DeedRow): Promise<string> {
  const kept = await works.store.load(run);
  if (kept === undefined) throw new Error(`there is no run ${run}`);
  await showTexts(works, kept);
  const on = { works, kept, key, tries };
  switch (deed.type) {
    case "prepare-resource":
      return prepare({ ...on, deed });
    case "rename-branch":
      return renameBranch({ ...on, deed });
    case "snapshot":
      return snapshot({ ...on, deed });
    case "start-agent":
      return startAgent({ ...on, deed });
    case "stop-agent":
      return stopAgent({ ...on, deed });
    case "tell-agent":
      return tellAgent({ ...on, deed });
    case "run-check":
      return startCheck(works, kept, { artifact: deed.artifact, key });
    case "archive-artifacts":
      return archiveArtifacts({ ...on, deed });
    case "release-resource":
      await leaveTerminal(works, run);
      return release({ ...on, deed });
    case "ask-person":
      return askPerson({ ...on, deed });
    case "start-next":
      // The queue is looked at when this is done, as after everything else: here it only becomes known that a run asked.
      return (await works.store.line()).length === 0 ? "nobody is in the queue" : "the queue is looked at";
    case "start-tasks":
      return startTasks({ ...on, deed });
    case "perform":
      return performNamed({ ...on, deed });
  }
}

async function performNamed(doing: Of<"perform">): Promise<string> {
  switch (doing.deed.name) {
    case "commit":
      return commit(doing);
    case "pull-request":
      return openPullRequest(doing);
    case "tag":
      return tag(doing);
    case "note-base":
      return noteBase(doing);
    case "archive":
      return archive(doing);
    case "notify":
      return announce(doing);
    default:
      throw needsPerson(`this version cannot carry out "${doing.deed.name}"`, "use a workflow without it");
  }
}

async function archiveArtifacts({ works, kept, deed }: Of<"archive-artifacts">): Promise<string> {
  const { row, run } = kept;
  const into = `${works.folders(row.id).archive}/attempt-${deed.entry}`;
  const place = await placeOf(works, { run, workflow: await works.workflow(row.definition), id: row.id });
  await noteAll(
    works,
    { run: row.id },
    await works.artifacts.archive(place, { artifacts: deed.artifacts, into }),
  );
  return into;
}

/** A notification cannot be looked for, so it is sent once. The question itself is in the inbox. */
async function askPerson({ works, kept, deed, tries }: Of<"ask-person">): Promise<string> {
  if (tries > 1) return `${deed.id} may have been announced before; it is not announced again`;
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const notify = await notifyOf(works, kept);
  const nobody = { role: "", slot: "", attempt: 0, session: "" };
  const workspace = await shownWorkspace(works, row.id);
  const variables = variablesOf({ workflow, run, workspace, agent: nobody });
  const permission = run.permissions?.find(({ id }) => id === deed.id);
  const question =
    permission === undefined
      ? questionText(workflow, workflow.definition.asks[deed.ask]?.question ?? "", variables)
      : `${row.goal}: ${permission.role} asks for permission: ${permission.tool}: ${permission.input}`;
  await works.notifier.ask({ command: notify, run: row.id, id: deed.id, question });
  return `${deed.id} was asked`;
}

/** Announces the state of a run, once, because a notification cannot be looked for. */
async function announce({ works, kept, tries }: Of<"perform">): Promise<string> {
  if (tries > 1) return "it may have been announced before; it is not announced again";
  const { row, run } = kept;
  const { title, states } = (await works.workflow(row.definition)).definition;
  const command = await notifyOf(works, kept);
  const where = states[run.state]?.title ?? "";
  const question = `${row.goal === "" ? title : row.goal}: ${where === "" ? run.state : where}`;
  await works.notifier.ask({ command, run: row.id, id: run.state, question });
  return `${run.state} was announced`;
}
