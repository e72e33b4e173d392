/**
 * Collects the board: one look at the store, and at the processes of those runs that have any.
 *
 * What only the journal decides is kept until the journal goes on; git is never asked here, because it takes too long: what is
 * known of the work comes from whoever looks at it in the background.
 */

import { basename } from "node:path";
import type { Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Tally } from "../../engine/ports/graphs.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import { workflowsOf } from "../../engine/box.ts";
import { refusedInLine } from "../../engine/queue/position.ts";
import { isSlotLeft, sayFull, slotsOf, type Slots } from "../../engine/queue/slots.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { rootOf, workflowOf, type Seen } from "../runs/find.ts";
import { deadlocksIn, troubleOf } from "../view/status/trouble.ts";
import { agentsOf, type AgentView, type Probe } from "../view/status/processes.ts";
import { actsOf } from "./acts.ts";
import { factsOf, type Facts } from "./facts.ts";
import {
  inOrder,
  UNKNOWN,
  isOver,
  type BoardRow,
  type BoardView,
  type ProjectView,
  type Session,
  type Terminal,
  type Work,
} from "./row.ts";
import { askingIn } from "./asking.ts";
import { waitsOf, type Ahead } from "./waits.ts";

export type Wanted = {
  /** Real path of a repository; empty for all. */
  readonly repo: string;
  /** Those that are over, too. */
  readonly over: boolean;
};

export type Collector = {
  collect(wanted: Wanted): BoardView;
  /** The page of a run: where it is, whether or not it is there. */
  pageOf(run: string): string | undefined;
  /** What it asks a person, with everything that bears on it; empty where it asks nothing. */
  askingOf(run: string): string;
};

type On = {
  readonly store: Store;
  readonly home: Home;
  readonly probe: Probe;
  /** What is known of the work in a run's workspace: undefined where nobody has looked yet. */
  readonly workOf: (run: string) => Work | null | undefined;
  readonly terminalOf: (run: string) => Terminal;
};

const OPEN = ["running", "waiting"] as const;
const OVER = ["done", "cancelled", "failed"] as const;
const OPEN_MAX = 5000;
/** Nobody looks further back on a screen: `list --all` does. */
const OVER_MAX = 100;

export function collectorOf(on: On): Collector {
  const known = new Map<string, { readonly stamp: string; readonly facts: Facts | undefined }>();
  const workflows = new Map<string, Workflow>();
  const byHash = workflowsOf(on.store);

  function factsFor(row: RunRow): Facts | undefined {
    const stamp = `${row.seq} ${row.head} ${row.attention} ${String(row.halted)}`;
    const kept = known.get(row.id);
    if (kept?.stamp === stamp) return kept.facts;
    const facts = row.status === "damaged" ? undefined : readFacts(row);
    known.set(row.id, { stamp, facts });
    return facts;
  }

  function readFacts(row: RunRow): Facts | undefined {
    try {
      const kept = on.store.load(row.id);
      return kept === undefined ? undefined : factsOf({ ...seenOf(row), ...kept });
    } catch (error) {
      // One run that cannot be read must not hide the others.
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  function seenOf(row: RunRow): Pick<Seen, "store" | "workflow" | "root"> {
    let workflow = workflows.get(row.definition);
    if (workflow === undefined) workflows.set(row.definition, (workflow = workflowOf(on.store, row)));
    return { store: on.store, workflow, root: rootOf(on.store, on.home, row.id) };
  }

  return {
    collect(wanted) {
      const { rows, more } = select(on.store, wanted);
      const shared = sharedOf(on.store, byHash);
      const present = new Set(rows.map(({ id }) => id));
      for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      return {
        rows: inOrder(rows.map((row) => rowOf(on, { row, facts: factsFor(row), shared }))),
        more,
        projects: shared.views.filter(({ repo }) => wanted.repo === "" || repo === wanted.repo),
      };
    },
    pageOf: (run) => {
      const facts = known.get(run)?.facts;
      return facts === undefined || facts.page === ""
        ? undefined
        : `${rootOf(on.store, on.home, run)}/${facts.page}`;
    },
    askingOf: (run) => {
      const facts = known.get(run)?.facts;
      return facts?.question === undefined ? "" : askingIn(facts.seen);
    },
  };
}

function select(
  store: Store,
  { repo, over }: Wanted,
): { readonly rows: readonly RunRow[]; readonly more: number } {
  const scope = repo === "" ? {} : { repo };
  const pages = [
    ...OPEN.map((status) => store.list({ ...scope, status, limit: OPEN_MAX })),
    ...(over ? OVER.map((status) => store.list({ ...scope, status, limit: OVER_MAX })) : []),
    // What is over may have left something behind that a person must see.
    store.list({ ...scope, attention: true, limit: OVER_MAX }),
  ];
  const unique = new Map(pages.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)));
  const rows = [...unique.values()].filter((row) => over || !isOver(row) || troubleOf(store, row) !== "");
  return { rows, more: pages.reduce((sum, { more }) => sum + more, 0) };
}

/** What many rows need, asked for once. */
type Shared = {
  readonly projects: ReadonlyMap<string, ProjectRow>;
  readonly views: readonly ProjectView[];
  /** How many agents work and may work, by repository. */
  readonly slots: (repo: string) => Slots;
  /** The place in its project's queue, by run. */
  readonly queue: ReadonlyMap<string, number>;
  /** Why it did not go when it was its turn, by run. */
  readonly refused: ReadonlyMap<string, string>;
  /** Why nobody can move it on, by run. */
  readonly deadlocks: ReadonlyMap<string, string>;
  /** How far its tasks are, by run. */
  readonly tallies: ReadonlyMap<string, Tally>;
};

function sharedOf(store: Store, workflow: (hash: string) => Workflow): Shared {
  const projects = store.projects();
  const known = new Map<string, Slots>();
  const slots = (repo: string): Slots => {
    const found = known.get(repo) ?? slotsOf({ store, workflow }, repo);
    known.set(repo, found);
    return found;
  };
  const queue = new Map<string, number>();
  const lengths = new Map<string, number>();
  for (const { run, repo } of store.queued()) {
    lengths.set(repo, (lengths.get(repo) ?? 0) + 1);
    queue.set(run, lengths.get(repo) ?? 0);
  }
  return {
    projects: new Map(projects.map((project) => [project.repo, project])),
    views: projects.map(({ name, repo, agents }) => ({
      project: name,
      repo,
      atWork: slots(repo).atWork,
      agents,
    })),
    slots,
    queue,
    refused: refusedInLine(store),
    deadlocks: deadlocksIn(store),
    tallies: new Map(store.tallies().map((tally) => [tally.parent, tally])),
  };
}

function rowOf(
  on: On,
  of: { readonly row: RunRow; readonly facts: Facts | undefined; readonly shared: Shared },
): BoardRow {
  const { row, facts, shared } = of;
  const { store } = on;
  const agents = facts?.hasAgents === true && !isOver(row) ? agentsOf(facts.seen, on.probe, false) : [];
  const project = shared.projects.get(row.repo)?.name ?? basename(row.repo);
  const terminal = on.terminalOf(row.id);
  const session = sessionOf(agents, terminal);
  const waits = waitsOf(facts, {
    row,
    attention: troubleOf(store, row) || (shared.deadlocks.get(row.id) ?? ""),
    agents,
    deeds: () => store.deeds(row.id),
    tally: shared.tallies.get(row.id),
    full: () => sayFull(store, row.repo, shared.slots(row.repo)),
    ahead: () => ({
      ...aheadOf(store, { row, place: shared.queue.get(row.id), slots: shared.slots(row.repo) }),
      refused: shared.refused.get(row.id) ?? "",
    }),
  });
  const { id: run, workflow, repo, state, status, startedAt, updatedAt } = row;
  return {
    run,
    workflow,
    project,
    repo,
    branch: facts?.branch ?? "",
    summary: facts?.summary ?? row.goal,
    state,
    status,
    session,
    phase: facts?.phase ?? "",
    gate: facts?.gate ?? "",
    round: facts?.round ?? null,
    work: workOf(on, { row, facts }),
    waits,
    startedAt,
    updatedAt,
    answerTo: facts?.answerTo ?? "",
    acts: actsOf(facts, { state, status, session, terminal, waits }),
  };
}

function workOf(
  on: On,
  { row, facts }: { readonly row: RunRow; readonly facts: Facts | undefined },
): Work | null {
  if (isOver(row)) return null;
  const known = on.workOf(row.id);
  return known === undefined ? (facts?.hasBegun === true ? UNKNOWN : null) : known;
}

/** Folders tell most; where they do not, the window may. */
function sessionOf(agents: readonly AgentView[], terminal: Terminal): Session {
  const is = (...names: readonly string[]): boolean => agents.some(({ process }) => names.includes(process));
  if (is("running", "starting")) return "alive";
  if (is("unknown")) return terminal === "alive" || terminal === "dead" ? terminal : "unknown";
  if (agents.some(({ status }) => status === "crashed") || is("gone", "gone-with-the-machine", "ended"))
    return "dead";
  return is("idle") ? "idle" : "none";
}

function aheadOf(
  store: Store,
  { row, place, slots }: { readonly row: RunRow; readonly place: number | undefined; readonly slots: Slots },
): Omit<Ahead, "refused"> {
  const depends = store.depends(row.id).flatMap((run) => {
    const other = store.load(run)?.row;
    return other === undefined || other.status === "done"
      ? []
      : [{ run, status: other.status, state: other.state }];
  });
  return {
    isQueued: place !== undefined,
    place: place ?? 0,
    full: isSlotLeft(slots) ? "" : sayFull(store, row.repo, slots),
    depends,
  };
}
