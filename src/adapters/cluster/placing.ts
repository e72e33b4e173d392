/**
 * Which runs are this machine's: it takes runs that have no machine while it has a free slot, and runs of machines that are gone.
 *
 * What is remembered here only saves work: placements are in the database, and whether a run must be brought here is told by the path of
 * its workspace.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Works } from "../../engine/box.ts";
import { agentOver } from "../../engine/agents/turn-end.ts";
import type { Store } from "../../engine/ports/store.ts";
import { noteNew } from "../../engine/notes.ts";
import type { Hands } from "../../engine/supervise/in-progress.ts";
import { Later } from "../../engine/supervise/later.ts";
import type { Observer } from "../../engine/supervise/observed-facts.ts";
import { prepare } from "../../engine/workspaces/workspace.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { quarantine } from "../git/salvage/move.ts";
import { isThere } from "../git/repository/locate.ts";
import type { Home } from "../home/paths.ts";
import type { Cluster, Machine } from "./cluster.ts";
import type { MachineLock } from "./machine-lock.ts";
import { isBelow } from "./run-files.ts";

export type PlacingOptions = {
  readonly home: Home;
  readonly cluster: Cluster;
  readonly lock: MachineLock;
  /** The whole store. */
  readonly store: Store;
  readonly machine: string;
  readonly slots: number;
  readonly takeOverMs: number;
  /** A new term has begun, with what another machine has left. */
  readonly onTakenOver: (of: { readonly from: Machine; readonly term: number }) => Promise<void>;
  readonly log: (line: string) => void;
};

const ALL = 100_000;
const OTHERS_MS = 1000;
const AGAIN_MS = 100;

export class Placing {
  readonly #on: PlacingOptions;
  #placements: ReadonlyMap<string, string> = new Map();
  /** Families with a workspace on another machine: nothing is done for them before it was made again here. */
  #away: ReadonlySet<string> = new Set();
  /** The run at the top of the family of a run. */
  readonly #tops = new Map<string, string>();
  /** Since when the lock of another machine is free, by our own clock. */
  readonly #goneSince = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(on: PlacingOptions) {
    this.#on = on;
  }

  owns = async (run: string): Promise<boolean> => {
    const top = await this.#topOf(run);
    return this.#placements.get(top) === this.#on.machine;
  };

  /** Whether the run is placed here and its workspace, where it has one, is here as well. */
  isHere = async (run: string): Promise<boolean> =>
    (await this.owns(run)) && !this.#away.has(await this.#topOf(run));

  /** Returns when the workspace of the run was made here, or the run is another machine's. */
  async untilHere(run: string): Promise<void> {
    while ((await this.owns(run)) && !(await this.isHere(run))) await pause(AGAIN_MS);
  }

  async refresh(): Promise<void> {
    this.#placements = await this.#on.cluster.placements();
    const away = await this.#workspacesAway();
    this.#away = new Set(await this.#topsOf(away.map(({ run }) => run)));
  }

  async #workspacesAway(): Promise<readonly WorkspaceRow[]> {
    const away: WorkspaceRow[] = [];
    for (const row of await this.#on.store.workspaces())
      if ((await this.owns(row.run)) && (await this.#isElsewhere(row))) away.push(row);
    return away;
  }

  /** Looked at in every round of the supervisor, before everything else. */
  observer(works: Works): Observer {
    return {
      look: async (hands) => {
        await this.refresh();
        await this.#takeFree();
        await this.#takeOver();
        await this.#bringHere(works, hands);
      },
    };
  }

  async #topOf(run: string): Promise<string> {
    const known = this.#tops.get(run);
    if (known !== undefined) return known;
    const child = await this.#on.store.childAs(run);
    const top = child === undefined ? run : await this.#topOf(child.parent);
    this.#tops.set(run, top);
    return top;
  }

  /** Older runs first. */
  async #takeFree(): Promise<void> {
    const { store, cluster, machine, slots } = this.#on;
    const [due, line, live] = await Promise.all([
      store.due(Date.now(), ALL),
      store.line(),
      store.jobs({ status: "live" }),
    ]);
    const ready = line.filter(({ isHeld, refusal }) => !isHeld && refusal === undefined);
    const wanting = await this.#topsOf([...due, ...ready].map(({ run }) => run));
    const active = new Set(await this.#topsOf([...due, ...live].map(({ run }) => run)));
    let count = [...active].filter((run) => this.#placements.get(run) === machine).length;
    for (const run of wanting) {
      if (count >= slots) return;
      if (this.#placements.has(run) || !(await cluster.place(run, machine))) continue;
      count += 1;
      this.#placements = new Map([...this.#placements, [run, machine]]);
    }
  }

  async #topsOf(runs: readonly string[]): Promise<readonly string[]> {
    return [...new Set(await Promise.all(runs.map((run) => this.#topOf(run))))];
  }

  async #takeOver(): Promise<void> {
    const { cluster, lock, machine, takeOverMs } = this.#on;
    const now = performance.now();
    if (now - this.#lookedAt < OTHERS_MS) return;
    this.#lookedAt = now;
    const placed = new Set(this.#placements.values());
    for (const other of await cluster.machines()) {
      if (other.id === machine || !placed.has(other.id)) continue;
      const isGone = await lock.whileGone(other.id, async () => {
        const since = this.#goneSince.get(other.id) ?? now;
        this.#goneSince.set(other.id, since);
        if (now - since >= takeOverMs) await this.#takeRunsOf(other);
        return true;
      });
      if (isGone !== true) this.#goneSince.delete(other.id);
    }
  }

  /** Runs that only wait for a person stay where they are: their workspace may come back. */
  async #takeRunsOf(other: Machine): Promise<void> {
    const { cluster, machine, log, onTakenOver } = this.#on;
    const placed = [...this.#placements].flatMap(([run, at]) => (at === other.id ? [run] : []));
    const isOpen = await Promise.all(placed.map((run) => this.#hasWork(run)));
    const runs = placed.filter((_, place) => isOpen[place] === true);
    if (runs.length === 0) return;
    const term = await cluster.takeOver({ from: other, to: machine, runs });
    await this.refresh();
    if (term === undefined) return;
    log(`the machine ${other.name} is gone; its runs go on here: ${runs.join(" ")}`);
    await onTakenOver({ from: other, term });
  }

  async #hasWork(top: string): Promise<boolean> {
    const { store } = this.#on;
    const children = (await store.childrenOf(top)).flatMap(({ run }) => (run === "" ? [] : [run]));
    for (const run of [top, ...children]) {
      const isOpen = (await store.deeds(run)).some(
        ({ status }) => status === "pending" || status === "claimed",
      );
      if (isOpen || (await store.jobs({ run, status: "live" })).length > 0) return true;
    }
    return (await store.line()).some(({ run }) => run === top);
  }

  async #bringHere(works: Works, hands: Hands): Promise<void> {
    for (const row of await this.#workspacesAway())
      if (!hands.isBusyWith(row.run)) hands.take(row.run, () => this.#makeAgain(works, row));
    for (const agent of await works.store.agents({ status: "idle" }))
      if (!isBelow(this.#on.home.root, agent.dir) && !hands.isBusyWith(agent.run))
        hands.take(agent.run, () => agentOver(works, agent, { cause: "infrastructure" }));
  }

  /** Also where this was begun, and the worker was killed over it. */
  async #isElsewhere({ run, path, status }: WorkspaceRow): Promise<boolean> {
    const { store } = this.#on;
    const isForeign = !isBelow(this.#on.home.root, path);
    if (!isForeign && status === "bound") return false;
    const isOrdered = (await store.deeds(run)).some(
      ({ deed, status: of }) => deed.type === "prepare-resource" && of !== "done",
    );
    return !isOrdered;
  }

  /** The workspace as the last handover has it. */
  async #makeAgain(works: Works, seen: WorkspaceRow): Promise<void> {
    const { home } = this.#on;
    const { store } = works;
    const kept = await store.load(seen.run);
    const row = await store.workspace(seen.run);
    if (kept === undefined || row === undefined || row.status === "released") return;
    if (!isBelow(home.root, row.path)) {
      this.#moveAside(row.run);
      await store.commit([{ type: "put-workspace", workspace: { ...row, status: "reserved" } }]);
    }
    try {
      const key = `${row.run}:0:0`;
      await prepare({
        works,
        kept,
        key,
        tries: 1,
        deed: { type: "prepare-resource", resource: "workspace" },
      });
    } catch (error) {
      // Its set-up command is still running: the next look goes on.
      if (!(error instanceof Later)) throw error;
      return;
    }
    const text = `its machine is gone: the work goes on elsewhere from the last handover, and what agents wrote since then is lost (${row.path})`;
    await noteNew(works, { run: row.run, kind: "machine" }, [text]);
  }

  /** This machine had the run before: what it has is older than the handover. */
  #moveAside(run: string): void {
    const { home } = this.#on;
    const path = join(home.workspaces, run);
    rmSync(`${path}.new`, { recursive: true, force: true });
    if (isThere(path))
      quarantine(
        { home },
        { from: path, name: `workspace-${run}`, why: "another machine has gone on with its run" },
      );
  }
}
