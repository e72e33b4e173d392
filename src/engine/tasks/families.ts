/**
 * Families: runs that were made of the tasks of another one. Whatever may start is started, whoever waits is told how it ended, and
 * whoever is not waited for any more is told that.
 *
 * Nothing that is remembered here matters: what is to be done is found in the store, each time.
 */

import { isHalted } from "../halted.ts";
import { blockedIn, outcomeOf, startable, type TaskStanding } from "../../core/tasks/graph.ts";
import { summaryOf } from "../../core/tasks/view.ts";
import type { Works } from "../box.ts";
import { isUnderWay } from "./descendants.ts";
import { observe, type Observer } from "../supervise/observed-facts.ts";
import type { Hands } from "../supervise/in-progress.ts";
import { leftBy, lookedAt, treeFor } from "./work-between.ts";
import type { ChildRow, GraphRow } from "../ports/graphs.ts";
import { project } from "../submit/project.ts";
import { begin } from "../submit/begin.ts";
import { submit } from "../submit/submit.ts";
import { showsTasks, stampOf } from "./task-data.ts";
import { showsInside } from "./task-runs.ts";
import { needsPerson } from "../supervise/later.ts";
import { PIN } from "../pins/pin.ts";

type Graph = GraphRow & { readonly children: readonly ChildRow[] };

/** What is to be done for a graph now. */
type Due = {
  /** Its run has ended, or never will begin. */
  readonly settled: readonly (readonly [task: string, outcome: ChildRow["outcome"]])[];
  readonly starts: readonly string[];
  /** How all of it ended, for a parent that does not know. */
  readonly outcome?: "all" | "some" | "none";
  /** Nobody waits for it any more. */
  readonly isLeft: boolean;
};

export class Families implements Observer {
  readonly #works: Works;
  /** Whom it was told, whether or not that led anywhere. */
  readonly #told = new Set<string>();
  /** As its tasks were when files last showed them, by graph. */
  readonly #shown = new Map<string, string>();
  /** Whether files of a run show what the runs of its tasks say; its workflow never changes. */
  readonly #inside = new Map<string, boolean>();

  constructor(works: Works) {
    this.#works = works;
  }

  async look(hands: Hands): Promise<void> {
    const { store } = this.#works;
    for (const row of await store.graphs()) {
      if (hands.isBusyWith(row.parent)) continue;
      const graph = { ...row, children: await store.children(row) };
      const due = await this.#due(graph);
      if (due !== undefined) hands.take(row.parent, () => this.#advance(graph, due));
      else if (!isMoving(graph, hands) && (await this.#isBehind(graph)))
        hands.take(row.parent, () => this.#show(graph));
    }
  }

  /** Its tasks have gone on since the files of whoever waits for them were written. */
  async #isBehind(graph: Graph): Promise<boolean> {
    return this.#shown.get(nameOf(graph)) !== (await this.#stampOf(graph, graph.children));
  }

  async #stampOf({ parent }: GraphRow, children: readonly ChildRow[]): Promise<string> {
    const known = this.#inside.get(parent);
    if (known !== undefined) return stampOf(this.#works, children, known);
    const row = (await this.#works.store.load(parent))?.row;
    const isInside = row !== undefined && showsInside(await this.#works.workflow(row.definition));
    this.#inside.set(parent, isInside);
    return stampOf(this.#works, children, isInside);
  }

  async #show(graph: Graph): Promise<void> {
    const { store } = this.#works;
    const row = (await store.load(graph.parent))?.row;
    const stamp = await this.#stampOf(graph, await store.children(graph));
    if (row !== undefined && showsTasks(await this.#works.workflow(row.definition)))
      await project(this.#works, graph.parent);
    this.#shown.set(nameOf(graph), stamp);
  }

  /** Undefined where there is nothing to do. */
  async #due(graph: Graph): Promise<Due | undefined> {
    const { store } = this.#works;
    const { children, parent, entry, status } = graph;
    const kept = await store.load(parent);
    const isLeft = kept === undefined || kept.run.entry !== entry;
    const live = children.filter(isUnderWay);
    if (isLeft)
      return live.some(({ run }) => !this.#told.has(run)) || live.length === 0
        ? { settled: [], starts: [], isLeft }
        : undefined;
    const ended = children.filter(
      (child) => child.outcome === "" && child.status !== "" && !isUnderWay(child),
    );
    const settled = ended.map(
      ({ task, status: of }) => [task.id, of === "done" ? "done" : "failed"] as const,
    );
    const standings = standingsOf(children, settled);
    const tasks = children.map(({ task }) => task);
    const blocked = blockedIn(tasks, standings).map((id) => [id, "blocked"] as const);
    for (const [id, outcome] of blocked) standings.set(id, outcome);
    const starts = (await isHalted(store, parent)) ? [] : startable(tasks, standings, graph.most);
    // Whoever was killed before a run began that has a name already.
    const halfway = children
      .filter(({ run, status: of }) => run !== "" && of === "")
      .map(({ task }) => task.id);
    const outcome = status === "open" ? outcomeOf(tasks, standings) : undefined;
    const due = { settled: [...settled, ...blocked], starts: [...halfway, ...starts], isLeft };
    if (outcome !== undefined) return { ...due, outcome };
    return due.settled.length + due.starts.length > 0 ? due : undefined;
  }

  async #advance(graph: Graph, due: Due): Promise<void> {
    const { store } = this.#works;
    if (due.isLeft) return this.#leave(graph);
    for (const [task, outcome] of due.settled)
      await store.commit([
        { type: "settle-child", graph, task, end: { outcome, summary: await this.#summaryOf(graph, task) } },
      ]);
    for (const task of due.starts) await this.#start(graph, task);
    if (due.outcome !== undefined) await this.#tell(graph, due.outcome);
  }

  /** Kept with its end, so that nobody has to load its run to know. */
  async #summaryOf(graph: Graph, task: string): Promise<string> {
    const run = graph.children.find((each) => each.task.id === task)?.run ?? "";
    const kept = run === "" ? undefined : await this.#works.store.load(run);
    return kept === undefined ? "" : summaryOf(kept.run);
  }

  /** Named first: whoever comes after us, if we are killed, begins the same run. */
  async #start(graph: Graph, task: string): Promise<void> {
    const { store } = this.#works;
    const child = graph.children.find((each) => each.task.id === task);
    const parent = await store.load(graph.parent);
    if (child === undefined || parent === undefined) return;
    const run = await this.#nameOf(graph, child);
    const workflow = await this.#works.workflow(graph.definition);
    const tree = await treeFor(this.#works, { workflow, run, params: child.params });
    const begun = await begin(this.#works, {
      run,
      by: { type: "engine" },
      workflow,
      birth: {
        workflow: workflow.definition.name,
        goal: child.task.title,
        repo: parent.row.repo,
        base: parent.row.base,
      },
      params: child.params,
      pin: await store.projection(parent.row.id, PIN),
      ...(tree === undefined ? {} : { tree }),
      key: `child:${run}`,
    });
    if (begun.type === "refused")
      throw needsPerson(`task ${task} cannot be started: ${begun.refusal.message}`, begun.refusal.next);
    await project(this.#works, run);
  }

  /** The name that the run of a task has, or gets now. */
  async #nameOf(graph: Graph, { task, run: known }: ChildRow): Promise<string> {
    const run = known === "" ? this.#works.newRun() : known;
    const named = await this.#works.store.commit([{ type: "name-child", graph, task: task.id, run }]);
    return named.type === "taken" ? named.by : run;
  }

  /** The same digest for the same end: told twice, it is told once. */
  async #tell(graph: Graph, outcome: "all" | "some" | "none"): Promise<void> {
    const { store } = this.#works;
    const ends = await store.children(graph);
    const count = (of: ChildRow["outcome"]): number => ends.filter((each) => each.outcome === of).length;
    const fields = {
      outcome,
      done: count("done"),
      failed: count("failed"),
      blocked: count("blocked"),
      skipped: count("skipped"),
    };
    const digest = `graph:${graph.entry}:${ends.map((each) => `${each.task.id}=${each.outcome}`).join(",")}`;
    const reading = {
      artifact: graph.artifact,
      slot: "",
      found: true,
      digest,
      faults: [],
      fields,
      lists: {},
    };
    const parent = await store.load(graph.parent);
    const of = { artifact: graph.artifact, children: ends };
    const left = parent === undefined ? [] : await leftBy(this.#works, parent, of);
    const told = await submit(this.#works, {
      run: graph.parent,
      by: { type: "engine" },
      event: async ({ at, tree, reserved, kept, readings = [] }) => ({
        type: "observed",
        at,
        // Somebody may have led the run on meanwhile: then nobody waits for them any more.
        readings:
          kept.run.entry === graph.entry
            ? [...(await lookedAt(this.#works, kept, { readings, left })), reading]
            : [],
        ...(tree === undefined ? {} : { tree }),
        ...(reserved === undefined ? {} : { reserved }),
      }),
    });
    if (told.type === "refused")
      throw new Error(`the tasks of ${graph.parent} have ended: ${told.refusal.message}`);
    await store.commit([{ type: "set-graph", graph, status: "told" }]);
    await project(this.#works, graph.parent);
  }

  /** Reports the end of the parent to its live child runs; closes the graph when none is left. */
  async #leave(graph: Graph): Promise<void> {
    const { store } = this.#works;
    const live = graph.children.filter(isUnderWay);
    for (const { run } of live) {
      this.#told.add(run);
      await observe(this.#works, { run, fact: "parent-over", digest: `parent-over:${graph.parent}` });
      await project(this.#works, run);
    }
    if (live.length > 0) return;
    // Nobody looks at it again once it is closed.
    await this.#show(graph);
    await store.commit([{ type: "set-graph", graph, status: "closed" }]);
    this.#shown.delete(nameOf(graph));
  }
}

/** Something of a task is being done at this moment, and files would be behind again: they are written once it is. */
function isMoving({ children }: Graph, hands: Hands): boolean {
  return children.some(({ run }) => run !== "" && hands.isBusyWith(run));
}

function nameOf({ parent, artifact, entry }: GraphRow): string {
  return `${parent}:${artifact}:${entry}`;
}

function standingsOf(
  children: readonly ChildRow[],
  settled: readonly (readonly [string, ChildRow["outcome"]])[],
): Map<string, TaskStanding> {
  const ended = new Map(settled);
  return new Map(
    children.map(({ task, run, outcome }): [string, TaskStanding] => {
      const end = outcome === "" ? (ended.get(task.id) ?? "") : outcome;
      return [task.id, end === "" ? (run === "" ? "open" : "running") : end];
    }),
  );
}
