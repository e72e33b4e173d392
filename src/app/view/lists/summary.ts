/** A run in a list: what its row and the loaded run tell, without git and without a look at processes. */

import { basename } from "node:path";
import { hasPhases, phaseOf } from "../../../core/projection/phase.ts";
import { artifactsIn } from "../../../core/model/status.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import { inLine, refusedInLine } from "../../../engine/queue/position.ts";
import { isSlotLeft, sayFull, slotsOf } from "../../../engine/queue/slots.ts";
import type { Kept, RunRow } from "../../../engine/ports/journal.ts";
import type { Park } from "../../../engine/ports/parks.ts";
import type { Tally } from "../../../engine/ports/graphs.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { readable } from "../../../adapters/user-error.ts";
import { needsPerson } from "../../board/row.ts";
import { success, type Outcome } from "../../outcome.ts";
import { isFinished, workflowsIn, type Seen } from "../../runs/find.ts";
import { isAtALoss } from "../decision/task-choices.ts";
import type { RunStatus, RunSummary, WaitView } from "../run-view.ts";
import { isForPerson, parkedRuns, parkedView, sayParked, sayShort } from "../status/parked.ts";
import { deadlocksIn, troubleOf } from "../status/trouble.ts";
import { capitalised, firstLine, sentence, toYou } from "../words.ts";
import { sayPermission } from "../decision/permission.ts";
import { flatMapped } from "../../../engine/lists.ts";
import type { Run } from "../../../core/model/run.ts";
import { goalPlace } from "../../start/goal.ts";

const SENTENCE_MAX = 200;

/** What many rows need, asked for once. */
export type Shared = {
  readonly store: Store;
  /** Runs in a queue that go on by themselves. */
  readonly queued: ReadonlySet<string>;
  /** All runs in a queue. */
  readonly inQueue: ReadonlySet<string>;
  /** Why it did not start when its turn came, by run. */
  readonly refused: ReadonlyMap<string, string>;
  /** Why no further agent of a repository may work; empty where one may. */
  readonly full: (repo: string) => Promise<string>;
  readonly deadlocks: ReadonlyMap<string, string>;
  /** What holds up the next turn of an agent, by run. */
  readonly parked: ReadonlyMap<string, Park>;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly projects: ReadonlyMap<string, string>;
  /** Undefined where the definition is gone. */
  readonly workflow: (row: RunRow) => Promise<Workflow | undefined>;
};

export async function sharedIn(store: Store): Promise<Shared> {
  const workflow = workflowsIn(store);
  const sayFullIn = async (repo: string): Promise<string> => {
    const taken = await slotsOf({ store, workflow }, repo);
    return isSlotLeft(taken) ? "" : sayFull(store, repo, taken);
  };
  const slots = new Map<string, string>();
  return {
    store,
    queued: await inLine(store),
    inQueue: new Set((await store.line()).map(({ run }) => run)),
    refused: await refusedInLine(store),
    full: async (repo) => {
      const said = slots.get(repo) ?? (await sayFullIn(repo));
      slots.set(repo, said);
      return said;
    },
    deadlocks: await deadlocksIn(store),
    parked: await parkedRuns(store),
    tallies: new Map((await store.tallies()).map((tally) => [tally.parent, tally])),
    projects: new Map((await store.projects()).map(({ repo, name }) => [repo, name])),
    workflow: ({ definition }) => readable(() => workflow(definition)),
  };
}

export async function summaryOf(on: Shared, row: RunRow): Promise<Omit<RunSummary, "used">> {
  const kept = row.status === "damaged" ? undefined : await readable(() => on.store.load(row.id));
  const workflow = await on.workflow(row);
  const tally = on.tallies.get(row.id);
  const attention = (await troubleOf(on.store, row)) || (on.deadlocks.get(row.id) ?? "");
  return {
    ...(await namesOf(on.store, row, { kept, workflow, project: on.projects.get(row.repo) })),
    queued: on.queued.has(row.id),
    attention,
    parked: isFinished(row) ? null : parkedView(on.parked.get(row.id)),
    waits: await waitOf(on, row, { kept, definition: workflow?.definition, tally, attention }),
    tasks: tally === undefined ? null : { done: tally.done, all: tally.all, waiting: tally.waiting },
  };
}

type Named = Omit<RunSummary, "queued" | "attention" | "parked" | "waits" | "tasks" | "used">;

/** What a list and a screen of one run begin with. */
export async function namesOf(
  store: Store,
  row: RunRow,
  of: {
    readonly kept: Kept | undefined;
    readonly workflow: Workflow | undefined;
    readonly project: string | undefined;
  },
): Promise<Named> {
  const { kept, workflow: known } = of;
  const definition = known?.definition;
  const { id: run, workflow, state, halted, repo, startedAt, updatedAt } = row;
  const branch = await branchOf(store, row, kept);
  return {
    run,
    name: branch === "" || branch.endsWith(run) ? run : branch,
    summary: kept === undefined || definition === undefined ? row.goal : aboutOf(definition, kept.run, row),
    workflow,
    project: of.project ?? basename(repo),
    repo,
    branch,
    state,
    title: definition?.states[state]?.title ?? "",
    phase: definition !== undefined && hasPhases(definition) ? phaseOf(definition, state) : "",
    status: statusOf(row),
    halted,
    stuck: isStuck(row, kept, known),
    startedAt,
    updatedAt,
  };
}

/** Agents have worked, and nothing but a person who sorts it out leads on. */
function isStuck(row: RunRow, kept: Kept | undefined, workflow: Workflow | undefined): boolean {
  if (row.status !== "waiting" || row.halted || kept === undefined || workflow === undefined) return false;
  const { run } = kept;
  return Object.keys(run.attempts).length > 0 && isAtALoss({ workflow, run });
}

const STATUSES: readonly RunStatus[] = ["running", "waiting", "done", "cancelled", "failed", "damaged"];

export function statusOf({ status }: Pick<RunRow, "status">): RunStatus {
  return STATUSES.find((each) => each === status) ?? "damaged";
}

/** A run that works in place is on no branch of its own. */
async function branchOf(store: Store, { id }: RunRow, kept: Kept | undefined): Promise<string> {
  const workspace = await store.workspace(id);
  if (workspace !== undefined) return workspace.path === workspace.repo ? "" : workspace.branch;
  const branch = kept?.run.params["branch"];
  return typeof branch === "string" ? branch : "";
}

type SummaryFacts = {
  readonly kept: Pick<Kept, "row" | "run"> | undefined;
  readonly definition: Definition | undefined;
  readonly tally: Tally | undefined;
  readonly attention: string;
};

type Queues = Pick<Shared, "store" | "queued" | "inQueue" | "refused" | "full" | "parked">;

/** The same of one run: `show` has a longer sentence, and the same short words. */
export async function shortWaitOf(
  { store, row, run, workflow }: Pick<Seen, "store" | "row" | "run" | "workflow">,
  attention: string,
): Promise<Pick<WaitView, "kind" | "short">> {
  const isQueued = (await store.line()).some((each) => each.run === row.id);
  const queues: Queues = {
    store,
    queued: isQueued ? await inLine(store) : new Set(),
    inQueue: new Set(isQueued ? [row.id] : []),
    refused: isQueued ? await refusedInLine(store) : new Map(),
    full: () => Promise.resolve(""),
    parked: await parkedRuns(store),
  };
  const tally =
    row.status === "running" ? (await store.tallies()).find(({ parent }) => parent === row.id) : undefined;
  const { definition } = workflow;
  return waitOf(queues, row, { kept: { row, run }, definition, tally, attention });
}

/** The cheap form of what a run waits for. `show` looks closer and says more, and never another kind. */
async function waitOf(on: Queues, row: RunRow, known: SummaryFacts): Promise<WaitView> {
  const { kept, definition, tally, attention } = known;
  const wait = (kind: WaitView["kind"], short: string, said: string): WaitView => ({
    kind,
    short,
    sentence: sentence(capitalised(said)),
    since: row.updatedAt,
  });
  if (row.status === "damaged")
    return wait("attention", "you: damaged", attention || "Its journal cannot be read");
  if (attention !== "") return wait("attention", "you: trouble", `Needs attention: ${attention}`);
  if (isFinished(row)) return wait("over", "", row.status);
  if (row.halted) return wait("stopped", "you: stopped", "Stopped by a person");
  const title = toYou(definition?.states[row.state]?.title || row.state);
  const [permission] = kept?.run.permissions ?? [];
  if (permission !== undefined)
    return wait("person", "you: permission", firstLine(sayPermission(permission), SENTENCE_MAX));
  if (kept?.run.question !== undefined) return wait("person", "you", title);
  const agents = Object.values(kept?.run.agents ?? {});
  const crashed = agents.find(({ status }) => status === "crashed");
  if (crashed !== undefined) return wait("crashed", "you: crashed", `${crashed.role} crashed`);
  const queue = await queueOf(on, row);
  if (queue !== undefined) return wait(...queue);
  const park = on.parked.get(row.id);
  const live = await on.store.jobs({ run: row.id, status: "live" });
  if (park !== undefined && live.length === 0)
    return wait(isForPerson(park) ? "attention" : "parked", sayShort(park), sayParked(park, row.id));
  const isNew =
    kept !== undefined &&
    Object.keys(kept.run.attempts).length === 0 &&
    definition?.moves.some(
      ({ from, by, reserve }) => from === row.state && by.includes("human") && reserve.length > 0,
    ) === true;
  if (row.status === "waiting") return wait("person", isNew ? "you: start" : "you", title);
  if (tally !== undefined) {
    const { done, all, waiting } = tally;
    const yours = waiting === 0 ? "" : `, ${waiting} for you`;
    const said = `${done} of ${all} tasks are done${yours}`;
    return waiting > 0
      ? wait("person", `you: ${waiting} ${waiting === 1 ? "task" : "tasks"}`, said)
      : wait("child", `${done}/${all} tasks`, said);
  }
  if ((await on.store.deeds(row.id)).some(({ isQueued }) => isQueued))
    return wait("queue", "queued", `queued: ${await on.full(row.repo)}`);
  const check = live.find(({ kind }) => kind === "check");
  if (check !== undefined) return wait("check", "check", `running: check ${check.artifact}`);
  const roles = awaitedIn(definition, kept);
  if (roles.length > 0) return wait("agent", roles.join(", "), `Waits for the ${roles.join(" and the ")}`);
  return wait("agent", "supervisor", title);
}

/** Roles that are called and whose word leads out of the state; else all that are called. */
export function awaitedIn(
  definition: Definition | undefined,
  kept: Pick<Kept, "run"> | undefined,
): readonly string[] {
  if (kept === undefined || definition === undefined) return [];
  const { run } = kept;
  const called = Object.values(run.agents).flatMap(({ role, status }) =>
    status === "stopping" ? [] : [role],
  );
  const moves = definition.moves
    .filter(({ from }) => from === run.state)
    .flatMap((move) => [
      ...move.by,
      ...artifactsIn(move).flatMap((artifact) => definition.artifacts[artifact]?.by ?? []),
    ]);
  const named = new Set(moves);
  const own = called.filter((role) => named.has(role));
  // A reviewer that is called judges what the others wait for.
  const judges = own.filter((role) => definition.roles[role]?.access === "read");
  return [...new Set(judges.length > 0 ? judges : own.length > 0 ? own : called)];
}

/** A run in the queue, or an agent without a slot; a person's where only a person gets it going again. */
async function queueOf(
  { store, queued, inQueue, refused, full }: Queues,
  { id, repo }: RunRow,
): Promise<[kind: WaitView["kind"], short: string, said: string] | undefined> {
  if (!inQueue.has(id)) return undefined;
  const others: { readonly other: string; readonly state: string }[] = [];
  for (const other of await store.depends(id)) {
    const row = await readable(async () => (await store.load(other))?.row);
    if (row?.status !== "done") others.push({ other, state: row?.state ?? "damaged" });
  }
  const [first] = others;
  if (first !== undefined) {
    const more = others.length > 1 ? ` and ${others.length - 1} more` : "";
    const said = `waits for ${first.other} (${first.state})${more}`;
    return queued.has(id) ? ["queue", `after ${first.other}`, said] : ["person", `you: ${first.other}`, said];
  }
  const reason = refused.get(id);
  if (reason !== undefined && !queued.has(id)) return ["person", "you: start", reason];
  const why = await full(repo);
  return ["queue", "queued", why === "" ? "queued: it is about to start" : `queued: ${why}`];
}

/** How many runs of a list are queued, and why. */

type Item = { readonly run: string; readonly repo: string; readonly queued: boolean };

/** Below a list: for each repository, how many of these runs are queued because as many agents work as may. */
async function sayQueued(store: Store, items: readonly Item[]): Promise<readonly string[]> {
  const queued = Map.groupBy(
    items.filter((item) => item.queued),
    ({ repo }) => repo,
  );
  const workflow = workflowsIn(store);
  return flatMapped([...queued], async ([repo, runs]) => {
    const slots = await slotsOf({ store, workflow }, repo);
    return isSlotLeft(slots) ? [] : [`${runs.length} queued: ${await sayFull(store, repo, slots)}`];
  });
}

/** What a run is about: what it began with, unless somebody who may has called it otherwise since. */
export function aboutOf(
  definition: Definition,
  run: Pick<Run, "params">,
  { goal }: Pick<RunRow, "goal">,
): string {
  const place = placeOf(definition);
  const said = place === undefined ? undefined : run.params[place];
  return typeof said === "string" && said !== "" ? said : goal;
}

function placeOf(definition: Definition): string | undefined {
  const place = goalPlace(definition);
  const param = place === undefined ? undefined : definition.params[place];
  return param?.type === "text" && param.set.length > 0 ? place : undefined;
}

type ListedRows = {
  readonly noun: "run" | "task";
  readonly more: number;
  /** What is said of an empty list, and what to type then. */
  readonly none: string;
  readonly begin: string;
  readonly notes: readonly string[];
};

/** What every list of runs says about itself: one sentence, the next command, notes. */
export async function listOutcome<Data extends object>(
  store: Store | undefined,
  [rows, data]: readonly [rows: readonly Pick<RunSummary, "run" | "repo" | "queued" | "waits">[], data: Data],
  { noun, more, none, begin, notes }: ListedRows,
): Promise<Outcome<Data>> {
  const [first] = rows;
  const next = rows.some(needsPerson) ? "signalbox inbox" : `signalbox show ${first?.run ?? ""}`;
  const { length } = rows;
  return success(
    `${length} ${length === 1 ? noun : `${noun}s`}${more > 0 ? `, and ${more} more` : ""}`,
    data,
    {
      next: first === undefined ? begin : next,
      notes: [
        ...(first === undefined ? [none] : []),
        ...notes,
        ...(more > 0 ? [`${more} more: --limit ${length + more}`] : []),
        ...(store === undefined ? [] : await sayQueued(store, rows)),
      ],
    },
  );
}
