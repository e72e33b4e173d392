/**
 * Collects the board: one look at the store, and at the processes of those runs that have any.
 *
 * What only the journal decides is kept until the journal goes on; git is never asked here, because it takes too long: what is
 * known of the work comes from whoever looks at it in the background.
 */

import { filtered } from "../../engine/lists.ts";
import type { Home } from "../../adapters/home/paths.ts";
import { readable } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import { slotsOf } from "../../engine/queue/slots.ts";
import type { Store } from "../../engine/ports/store.ts";
import { rootOf, workflowsIn, type Seen } from "../runs/find.ts";
import { FINISHED, rowsIn, UNDER_WAY } from "../runs/rows.ts";
import { troubleOf } from "../view/status/trouble.ts";
import { agentsOf, type AgentView, type Probe } from "../view/status/processes.ts";
import { sharedIn, summaryOf, type Shared } from "../view/lists/summary.ts";
import { optionsOf } from "../view/actions.ts";
import { sayTyped } from "../view/decision/choices.ts";
import { causeOf } from "../view/decision/cause.ts";
import { questionOf, sayParts, sayReads } from "../view/decision/question.ts";
import { actsOf, factsOf, type Facts } from "./facts.ts";
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

export type Wanted = {
  /** Real path of a repository; empty for all. */
  readonly repo: string;
  /** Those that are over, too. */
  readonly over: boolean;
};

export type Collector = {
  collect(wanted: Wanted): Promise<BoardView>;
  /** The page of a run: where it is, whether or not it is there. */
  pageOf(run: string): Promise<string | undefined>;
  /** What it asks a person, with everything that bears on it; empty where it asks nothing. */
  askingOf(run: string): Promise<string>;
};

type BoardSource = {
  readonly store: Store;
  readonly home: Home;
  readonly probe: Probe;
  /** What is known of the work in a run's workspace: undefined where nobody has looked yet. */
  readonly workOf: (run: string) => Work | null | undefined;
  readonly terminalOf: (run: string) => Terminal;
};

const OPEN_MAX = 5000;
/** Nobody looks further back on a screen: `list --all` does. */
const OVER_MAX = 100;

export function collectorOf(on: BoardSource): Collector {
  const known = new Map<string, { readonly stamp: string; readonly facts: Facts | undefined }>();
  const workflow = workflowsIn(on.store);

  async function factsFor(row: RunRow): Promise<Facts | undefined> {
    const stamp = `${row.seq} ${row.head} ${row.attention} ${String(row.halted)}`;
    const kept = known.get(row.id);
    if (kept?.stamp === stamp) return kept.facts;
    const facts = row.status === "damaged" ? undefined : await readable(() => readFacts(row));
    known.set(row.id, { stamp, facts });
    return facts;
  }

  async function readFacts(row: RunRow): Promise<Facts | undefined> {
    const kept = await on.store.load(row.id);
    return kept === undefined ? undefined : factsOf({ ...(await seenOf(row)), ...kept });
  }

  async function seenOf(row: RunRow): Promise<Pick<Seen, "store" | "workflow" | "root">> {
    const root = await rootOf(on.store, on.home, row.id);
    return { store: on.store, workflow: await workflow(row.definition), root };
  }

  return {
    async collect(wanted) {
      const { rows, more } = await select(on.store, wanted);
      const shared = await sharedIn(on.store);
      const present = new Set(rows.map(({ id }) => id));
      for (const id of known.keys()) if (!present.has(id)) known.delete(id);
      return {
        rows: inOrder(
          await Promise.all(rows.map(async (row) => rowOf(on, { row, facts: await factsFor(row), shared }))),
        ),
        more,
        projects: (await projectsIn(on.store, workflow)).filter(
          ({ repo }) => wanted.repo === "" || repo === wanted.repo,
        ),
      };
    },
    pageOf: async (run) => {
      const facts = known.get(run)?.facts;
      return facts === undefined || facts.page === ""
        ? undefined
        : `${await rootOf(on.store, on.home, run)}/${facts.page}`;
    },
    askingOf: async (run) => {
      const facts = known.get(run)?.facts;
      return facts?.isAsking === true ? askingIn(facts.seen) : "";
    },
  };
}

async function select(
  store: Store,
  { repo, over }: Wanted,
): Promise<{ readonly rows: readonly RunRow[]; readonly more: number }> {
  const scope = repo === "" ? {} : { repo };
  const pages = [
    await rowsIn(store, UNDER_WAY, { ...scope, limit: OPEN_MAX }),
    ...(over
      ? await Promise.all(FINISHED.map((status) => store.list({ ...scope, status, limit: OVER_MAX })))
      : []),
    // What is over may have left something behind that a person must see.
    await store.list({ ...scope, attention: true, limit: OVER_MAX }),
  ];
  const unique = new Map(pages.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)));
  const rows = await filtered(
    unique.values(),
    async (row) => over || !isOver(row) || (await troubleOf(store, row)) !== "",
  );
  return { rows, more: pages.reduce((sum, { more }) => sum + more, 0) };
}

/** How many agents of each project work now. */
async function projectsIn(
  store: Store,
  workflow: (hash: string) => Promise<Workflow>,
): Promise<readonly ProjectView[]> {
  return Promise.all(
    (await store.projects()).map(async ({ name, repo, agents }) => ({
      project: name,
      repo,
      atWork: (await slotsOf({ store, workflow }, repo)).atWork,
      agents,
    })),
  );
}

async function rowOf(
  on: BoardSource,
  of: { readonly row: RunRow; readonly facts: Facts | undefined; readonly shared: Shared },
): Promise<BoardRow> {
  const { row, facts, shared } = of;
  const hasAgents = facts !== undefined && Object.keys(facts.seen.run.agents).length > 0 && !isOver(row);
  const agents = hasAgents ? await agentsOf(facts.seen, on.probe, false) : [];
  const terminal = on.terminalOf(row.id);
  const session = sessionOf(agents, terminal);
  const summary = await summaryOf(shared, row);
  return {
    ...summary,
    session,
    phase: facts?.phase ?? "",
    gate: facts?.gate ?? "",
    round: facts?.round ?? null,
    work: workOf(on, { row, facts }),
    answerTo: facts?.answerTo ?? "",
    asked: facts?.asked ?? [],
    acts: actsOf(facts, { ...summary, session, terminal }),
  };
}

function workOf(
  on: BoardSource,
  { row, facts }: { readonly row: RunRow; readonly facts: Facts | undefined },
): Work | null {
  if (isOver(row)) return null;
  const known = on.workOf(row.id);
  return known === undefined
    ? facts !== undefined && Object.keys(facts.seen.run.attempts).length > 0
      ? UNKNOWN
      : null
    : known;
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

/** The question that a run waits with, as a page: what is asked, why, and what can be typed. */
async function askingIn(seen: Seen): Promise<string> {
  const asked = await questionOf(seen);
  if (asked === undefined) return "";
  const typed = (await optionsOf(seen, asked)).flatMap((action) => [
    sayTyped(action),
    `    ${action.sentence}`,
  ]);
  const about = [...sayReads(asked.reads, ""), ...sayParts({ run: seen.run.id, ...asked })];
  return [[`${asked.id}: ${asked.question}`], await causeOf(seen), about, typed]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
