/** A run in a list: what its row and the loaded run tell, without git and without a look at processes. */

import { basename } from "node:path";
import { hasPhases, phaseOf } from "../../../core/projection/phase.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import { inLine } from "../../../engine/queue/position.ts";
import type { Kept, RunRow } from "../../../engine/ports/journal.ts";
import type { Tally } from "../../../engine/ports/graphs.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { isFinished } from "../../runs/find.ts";
import { aboutOf } from "../about.ts";
import type { RunStatus, RunSummary, WaitView } from "../run-view.ts";
import { deadlocksIn, troubleOf } from "../status/trouble.ts";
import { capitalised, sentence, toYou } from "../words.ts";

/** What many rows need, asked for once. */
export type Shared = {
  readonly store: Store;
  readonly queued: ReadonlySet<string>;
  readonly deadlocks: ReadonlyMap<string, string>;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly projects: ReadonlyMap<string, string>;
  readonly definition: (row: RunRow) => Definition | undefined;
};

export function sharedIn(store: Store): Shared {
  const known = new Map<string, Definition | undefined>();
  return {
    store,
    queued: inLine(store),
    deadlocks: deadlocksIn(store),
    tallies: new Map(store.tallies().map((tally) => [tally.parent, tally])),
    projects: new Map(store.projects().map(({ repo, name }) => [repo, name])),
    definition: ({ definition: hash }) => {
      if (!known.has(hash))
        known.set(
          hash,
          readable(() => store.definition(hash)),
        );
      return known.get(hash);
    },
  };
}

/** A run or a definition that is damaged is listed with what its row says, and hides no other. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

export function summaryOf(on: Shared, row: RunRow): RunSummary {
  const kept = row.status === "damaged" ? undefined : readable(() => on.store.load(row.id));
  const definition = on.definition(row);
  const tally = on.tallies.get(row.id);
  const attention = troubleOf(on.store, row) || (on.deadlocks.get(row.id) ?? "");
  const queued = on.queued.has(row.id);
  return {
    ...namesOf(on.store, row, { kept, definition, project: on.projects.get(row.repo) }),
    queued,
    attention,
    waits: waitOf(row, { kept, definition, tally, attention, queued }),
    tasks: tally === undefined ? null : { done: tally.done, all: tally.all, waiting: tally.waiting },
  };
}

type Named = Omit<RunSummary, "queued" | "attention" | "waits" | "tasks">;

/** What a list and a screen of one run begin with. */
export function namesOf(
  store: Store,
  row: RunRow,
  of: {
    readonly kept: Kept | undefined;
    readonly definition: Definition | undefined;
    readonly project: string | undefined;
  },
): Named {
  const { kept, definition } = of;
  const { id: run, workflow, state, halted, repo, startedAt, updatedAt } = row;
  const branch = branchOf(store, row, kept);
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
    startedAt,
    updatedAt,
  };
}

const STATUSES: readonly RunStatus[] = ["running", "waiting", "done", "cancelled", "failed", "damaged"];

export function statusOf({ status }: Pick<RunRow, "status">): RunStatus {
  return STATUSES.find((each) => each === status) ?? "damaged";
}

/** A run that works in place is on no branch of its own. */
function branchOf(store: Store, { id }: RunRow, kept: Kept | undefined): string {
  const workspace = store.workspace(id);
  if (workspace !== undefined) return workspace.path === workspace.repo ? "" : workspace.branch;
  const branch = kept?.run.params["branch"];
  return typeof branch === "string" ? branch : "";
}

type Known = {
  readonly kept: Kept | undefined;
  readonly definition: Definition | undefined;
  readonly tally: Tally | undefined;
  readonly attention: string;
  readonly queued: boolean;
};

/** The short form of what a run waits for. `show` looks closer and says more, and never something else. */
function waitOf(row: RunRow, { kept, definition, tally, attention, queued }: Known): WaitView {
  const since = row.updatedAt;
  if (attention !== "")
    return { kind: "attention", sentence: sentence(`Needs attention: ${attention}`), since };
  if (isFinished(row)) return { kind: "over", sentence: sentence(capitalised(row.status)), since };
  if (row.halted) return { kind: "stopped", sentence: "Stopped by a person.", since };
  const agents = Object.values(kept?.run.agents ?? {});
  const crashed = agents.find(({ status }) => status === "crashed");
  const title = toYou(definition?.states[row.state]?.title || row.state);
  if (kept?.run.question !== undefined) return { kind: "person", sentence: sentence(title), since };
  if (crashed !== undefined)
    return { kind: "crashed", sentence: `${capitalised(crashed.role)} crashed.`, since };
  if (queued) return { kind: "queue", sentence: "Queued.", since };
  if (row.status === "waiting") return { kind: "person", sentence: sentence(title), since };
  if (tally !== undefined)
    return {
      kind: tally.waiting > 0 ? "person" : "child",
      sentence: `${tally.done} of ${tally.all} tasks are done${tally.waiting === 0 ? "" : `, ${tally.waiting} for you`}.`,
      since,
    };
  return { kind: "agent", sentence: sentence(title), since };
}
