/** Looks at one run: everything that a screen shows of it, as one value. */

import { maxOf } from "../../core/gates/gate.ts";
import { inLine, whyInLine } from "../../engine/queue/position.ts";
import { isInPlace } from "../../engine/submit/place.ts";
import type { DeedRow } from "../../engine/ports/outbox.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import type { Looking } from "../declare.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import { requireHome, seeRun, isFinished, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { linesOf } from "../story/lines.ts";
import { actionsOf, nextForPerson, optionsOf } from "./actions.ts";
import { artifactsOf, isOtherReading, isSilentFact } from "./work/artifacts.ts";
import { asideOf, causeOf } from "./decision/cause.ts";
import { reviewsOf } from "./decision/findings.ts";
import { editsOf, withEdit } from "./work/edits.ts";
import { leftOf } from "./work/kept-files.ts";
import { waysOf } from "./moves.ts";
import { agentsOf, checksOf, type Probe } from "./status/processes.ts";
import { isPermission } from "./decision/permission.ts";
import { questionOf, sayParts } from "./decision/question.ts";
import { readOnce } from "./read-once.ts";
import type { DecisionView, RunView, TaskContext } from "./run-view.ts";
import { usedBy } from "./cost/used.ts";
import { scheduleOf } from "./work/schedule.ts";
import { namesOf } from "./lists/summary.ts";
import { askedIn } from "./decision/task-choices.ts";
import { tasksShown } from "./work/tasks.ts";
import { parkedView, parkOf } from "./status/parked.ts";
import { attentionOf, troubleOf } from "./status/trouble.ts";
import { sinceOf, waitsOf } from "./status/waits.ts";
import { toYou } from "./words.ts";
import { isBranch, workOf } from "./work/diffstat.ts";
import type { Store } from "../../engine/ports/store.ts";
import { sessionsOf } from "./status/session.ts";
import { refusedIn } from "../../adapters/files/artifacts/unreadable.ts";
import { slotKey, type HeldReading } from "../../core/model/run.ts";

const LINES = 12;
const LINES_VERBOSE = 40;
const NOTES = 5;

export async function show(
  { door, store }: Looking,
  { run, verbose = false }: InputOf<"show">,
): Promise<Outcome<DataOf<"show">>> {
  const seen = withUnreadableFiles(await seeRun(readOnce(store), door, run));
  const view = await viewRun(seen, door, verbose);
  const task = await taskContextOf(seen.store, view.run);
  return success(
    `${view.run} is ${view.state}: ${view.waits.sentence}`,
    { ...view, task },
    { next: await nextForPerson(seen, view) },
  );
}

export async function viewRun(seen: Seen, door: Invocation, verbose: boolean): Promise<RunView> {
  const { row, run, workflow, store } = seen;
  const { definition } = workflow;
  const workspace = await store.workspace(run.id);
  const notes = await store.notes(run.id);
  const edits = await editsOf(seen);
  const artifacts = (await artifactsOf(seen)).map((view) => withEdit(view, edits, run.id));
  const live = await processesOf(seen, verbose);
  const findings = await reviewsOf(seen);
  const actions = await actionsOf(seen);
  return {
    ...(await namesOf(store, row, {
      kept: seen,
      workflow,
      project: (await store.projectAt(row.repo))?.name,
    })),
    since: await sinceOf(seen),
    stage: definition.states[run.state]?.stage ?? "",
    definition: row.definition,
    queued: (await inLine(store)).has(run.id),
    attention: await attentionOf(seen),
    parked: isFinished(row) ? null : parkedView(await parkOf(store, run.id)),
    waits: await waitsOf(seen, live),
    seq: run.seq,
    entry: run.entry,
    base: row.base,
    params: run.params,
    decision: await decisionOf(seen, { findings, ...actions }),
    question: (await questionOf(seen)) ?? null,
    ...actions,
    moves: await waysOf(seen),
    artifacts: artifacts.filter(
      (artifact) => verbose || !(isSilentFact(seen, artifact) || isOtherReading(seen, artifact)),
    ),
    findings,
    ...live,
    children: await tasksShown(seen),
    counters: Object.entries(definition.counters).map(([name, { per }]) => ({
      name,
      value: run.counters[name] ?? 0,
      max: maxOf(workflow, run, name),
      per,
    })),
    schedule: scheduleOf(seen, artifacts),
    workspace: workspace === undefined ? null : workspaceView(workspace),
    used: await usedBy(store, run.id),
    work: await workOf(seen, { home: requireHome(door), env: door.env }),
    left: (await leftOf(seen)).rows.map(([what, said]) => [what, said]),
    pending: (await store.deeds(run.id)).filter(({ status }) => status !== "done").map(pendingView),
    notes: verbose ? notes : notesShown(notes),
    history: (await linesOf(seen, verbose ? LINES_VERBOSE : LINES)).lines,
  };
}

/** The last ones, and always what says that agents are not confined. */
function notesShown(notes: RunView["notes"]): RunView["notes"] {
  const others = notes.filter(({ kind }) => kind !== "sandbox");
  return [...notes.filter(({ kind }) => kind === "sandbox"), ...others.slice(-NOTES)];
}

/** Agents and checks as their processes are now. */
export async function processesOf(seen: Seen, every = false): Promise<Pick<RunView, "agents" | "checks">> {
  const { probe } = (await hasProcesses(seen)) ? await import("./status/probe.ts") : { probe: unlooked };
  return { agents: await agentsOf(seen, probe, every), checks: await checksOf(seen, probe) };
}

/** Looking for processes loads more code than everything else here. */
async function hasProcesses({ store, run: { id: run } }: Seen): Promise<boolean> {
  return (
    (await store.agents({ run, status: "running" })).length > 0 ||
    (await store.jobs({ run, status: "live" })).length > 0
  );
}

const unlooked: Probe = () => {
  throw new Error("no process was expected");
};

/** What a person has to decide; null where nothing waits for one. */
export async function decisionOf(
  seen: Seen,
  { findings, actions }: Pick<RunView, "findings" | "actions">,
): Promise<DecisionView | null> {
  const { row, run, workflow, store } = seen;
  const question = await questionOf(seen);
  if (question === undefined) {
    if (row.status !== "waiting" || (await troubleOf(store, row)) !== "" || row.halted) return null;
    const asked = await askedIn(seen);
    return {
      question: toYou(workflow.definition.states[run.state]?.title ?? ""),
      asked: asked === "" ? [] : asked.split("\n"),
      aside: [],
      findings,
      reads: [],
      parts: [],
      options: actions,
    };
  }
  return {
    question: question.question,
    asked: isPermission(question) ? [] : await causeOf(seen),
    aside: isPermission(question) ? [] : await asideOf(seen),
    findings,
    reads: question.reads,
    parts: sayParts({ run: run.id, ...question }),
    options: await optionsOf(seen, question),
  };
}

function workspaceView({
  repo,
  path,
  branch,
  base,
  status,
  salvage,
  kept,
}: WorkspaceRow): NonNullable<RunView["workspace"]> {
  // A branch that holds no work is removed with its workspace.
  const isThere = status === "bound" || isBranch({ repo, branch });
  return {
    path,
    branch: isThere ? branch : "",
    base,
    status,
    salvage,
    kept,
    inPlace: isInPlace({ path, repo }),
  };
}

function pendingView({ key, deed, status, tries, note }: DeedRow): RunView["pending"][number] {
  return { key, type: deed.type, status, tries, note };
}

/** What makes a task of a run: its project, its place in the queue, its dependencies and messages. */
async function taskContextOf(store: Store, id: string): Promise<TaskContext> {
  const kept = await store.load(id);
  const repo = kept?.row.repo ?? "";
  const queued = (await store.queued(repo)).some(({ run }) => run === id);
  return {
    project: (await store.projectAt(repo))?.name ?? "",
    session: kept === undefined ? "none" : (await sessionsOf(store))(kept.run),
    queued,
    queuedFor: queued ? (await whyInLine(store, id)).join("; ") || "waits for its turn" : "",
    dependsOn: await Promise.all(
      (await store.depends(id)).map(async (run) => ({
        run,
        state: (await store.load(run))?.row.state ?? "",
      })),
    ),
    dependents: [...(await store.dependents(id))],
    messages: (await store.messages(id)).map(({ run: _run, ...message }) => message),
    hidden: kept?.row.hidden ?? false,
  };
}

/**
 * The run, with the present reason for each missing artifact whose file cannot be read: it is a folder, a link or too large.
 *
 * A run knows its files as of its last event. A person who asks for a move gets the present reason, so a view must show the same. No other
 * file is read again.
 */
export function withUnreadableFiles(seen: Seen): Seen {
  const { run, workflow, root, row } = seen;
  if (isFinished(row)) return seen;
  const absent = refusedIn({ root, run, workflow }).flatMap((reading): [string, HeldReading][] => {
    const key = slotKey(reading.artifact, reading.slot);
    const known = run.held[key];
    return known?.reading.found === true ? [] : [[key, { by: "", tree: "", inputs: {}, ...known, reading }]];
  });
  if (absent.length === 0) return seen;
  return { ...seen, run: { ...run, held: { ...run.held, ...Object.fromEntries(absent) } } };
}
