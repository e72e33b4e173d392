/**
 * The queue: whoever is first, has everything it depends on done, and finds a workspace, is started.
 *
 * The queue itself is in the store. What is remembered here only saves work: the next supervisor looks at everything again.
 */

import type { Works } from "./box.ts";
import { awaiting, observe, type Observer } from "./facts.ts";
import type { Hands } from "./hands.ts";
import type { QueueRow } from "./ports/projects.ts";
import type { Store } from "./ports/store.ts";
import { POOL_SIZE } from "./project-name.ts";

const TURN = "ready-to-start";
/** Those who stand in line are asked one after the other: the first one first. */
const LINE = "the queue";

export class Queue implements Observer {
  readonly #works: Works;
  /** At which entry a run was last seen to wait for its turn. */
  readonly #waiting = new Map<string, number>();
  /** At which entry a run would not go, though it was its turn, and why. */
  readonly #refused = new Map<string, { readonly entry: number; readonly message: string }>();

  constructor(works: Works) {
    this.#works = works;
  }

  /** Costs one read where nobody stands in line. */
  look(hands: Hands): void {
    const { store } = this.#works;
    if (hands.isBusyWith(LINE)) return;
    const line = store.line().filter((row) => this.#isWaiting(row));
    const rooms = new Map<string, boolean>();
    const hasRoom = (repo: string): boolean => {
      const known = rooms.get(repo) ?? store.hasRoom(repo);
      rooms.set(repo, known);
      return known;
    };
    const ready = line.filter((row) => !row.isHeld && !this.#isRefused(row) && hasRoom(row.repo));
    if (ready.length > 0) hands.take(LINE, () => this.#start(ready));
  }

  /** Whoever has gone on by other means leaves the line. */
  #isWaiting({ run, entry }: QueueRow): boolean {
    if (this.#waiting.get(run) === entry) return true;
    const kept = this.#works.store.load(run);
    const workflow = kept === undefined ? undefined : this.#works.workflow(kept.row.definition);
    const isWaiting =
      kept !== undefined && workflow !== undefined && awaiting(workflow, kept.run, TURN).length > 0;
    if (isWaiting) this.#waiting.set(run, entry);
    else this.#leave(run);
    return isWaiting;
  }

  #isRefused({ run, entry }: QueueRow): boolean {
    return this.#refused.get(run)?.entry === entry;
  }

  #leave(run: string): void {
    this.#works.store.dequeue(run);
    this.#waiting.delete(run);
    this.#refused.delete(run);
  }

  async #start(ready: readonly QueueRow[]): Promise<void> {
    const { store } = this.#works;
    for (const row of ready) if (store.hasRoom(row.repo)) await this.#startOne(row);
  }

  /** What goes wrong with one is no reason for the others to wait. */
  async #startOne({ run, entry }: QueueRow): Promise<void> {
    try {
      const seen = await observe(this.#works, { run, fact: TURN, digest: `${TURN}:${run}:${entry}` });
      if (seen.type === "accepted" || seen.type === "unknown") return this.#leave(run);
      // The last workspace may have gone to somebody else meanwhile: that is no reason of this run's own.
      if (seen.type === "refused" && !this.#works.store.hasRoom(this.#repoOf(run))) return;
      if (seen.type === "idle" || seen.type === "refused")
        this.#refuse({ run, entry }, seen.type === "idle" ? seen.message : seen.refusal.message);
    } catch (error) {
      this.#works.log(
        `${run} in the queue: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      this.#refuse({ run, entry }, error instanceof Error ? error.message : String(error));
    }
  }

  #repoOf(run: string): string {
    return this.#works.store.load(run)?.row.repo ?? "";
  }

  /** It stays in the line, and the others go on. Told once: it is tried again when it has moved, and by the next supervisor. */
  #refuse({ run, entry }: Pick<QueueRow, "run" | "entry">, message: string): void {
    const { store, clock } = this.#works;
    this.#refused.set(run, { entry, message });
    const text = `it was its turn, and it could not be started: ${message}`;
    if (store.notes(run).some((note) => note.kind === "queue" && note.text === text)) return;
    store.note({ run, at: new Date(clock.now()).toISOString(), kind: "queue", text });
  }
}

/** Somebody in the queue could be started now: for commands, which only see to it that a supervisor looks. */
export function isTurnOfSomebody(store: Pick<Store, "line" | "hasRoom">): boolean {
  return store.line().some((row) => !row.isHeld && store.hasRoom(row.repo));
}

/** What a run must wait for, in words, each a whole reason; none where nothing but its turn is missing, or it is not in the queue. */
export function waitsFor(
  store: Pick<Store, "depends" | "load" | "line" | "hasRoom" | "pool" | "projectAt">,
  run: string,
): readonly string[] {
  const queued = store.line().find((row) => row.run === run);
  if (queued === undefined) return [];
  const others = store.depends(run).flatMap((other) => behind(store, run, other));
  if (others.length > 0 || store.hasRoom(queued.repo)) return others;
  const users = store.pool(queued.repo).filter((row) => row.run !== "");
  const size = store.projectAt(queued.repo)?.poolSize ?? POOL_SIZE;
  const names = users.map((row) => row.run).join(", ");
  const by = names === "" ? "" : ` by ${names}`;
  return [`waits for a free workspace: ${users.length} of ${size} in use${by}`];
}

function behind(store: Pick<Store, "depends" | "load">, run: string, other: string): readonly string[] {
  const row = store.load(other)?.row;
  const without = store.depends(run).filter((name) => name !== other);
  const mend = `signalbox task update ${run} --depends-on ${without.length === 0 ? "none" : without.join(",")}`;
  if (row === undefined) return [`waits for ${other}, which is not there: ${mend}`];
  if (row.status === "done") return [];
  if (row.status === "running" || row.status === "waiting") return [`waits for ${other} (${row.state})`];
  return [
    `waits for ${other}, which ${row.status === "failed" ? "has failed" : `was ${row.status}`}: ${mend}`,
  ];
}

/** Why a run cannot depend on these; undefined where it can. `run` need not be there yet. */
export function dependencyProblem(
  store: Pick<Store, "depends" | "load">,
  of: { readonly run: string; readonly repo: string },
  on: readonly string[],
):
  | {
      readonly code: "unknown-run" | "other-project" | "depends-on-itself" | "cycle";
      readonly message: string;
    }
  | undefined {
  for (const other of on) {
    if (other === of.run) return { code: "depends-on-itself", message: `${other} cannot depend on itself` };
    const row = store.load(other)?.row;
    if (row === undefined) return { code: "unknown-run", message: `there is no task "${other}"` };
    if (row.repo !== of.repo)
      return {
        code: "other-project",
        message: `${other} is a task of another project, in ${row.repo}: a task depends on tasks of its own project`,
      };
    const way = wayTo(store, { from: other, to: of.run });
    if (way !== undefined)
      return { code: "cycle", message: `that is a circle: ${[of.run, ...way].join(" -> ")}` };
  }
  return undefined;
}

/** A shortest way over dependencies. */
function wayTo(
  store: Pick<Store, "depends">,
  { from, to }: { readonly from: string; readonly to: string },
): readonly string[] | undefined {
  const seen = new Set([from]);
  let ways: (readonly string[])[] = [[from]];
  while (ways.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const way of ways) {
      for (const next of store.depends(way.at(-1) ?? "")) {
        if (next === to) return [...way, next];
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  return undefined;
}
