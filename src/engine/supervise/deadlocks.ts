/**
 * Runs that nobody moves on and for which no person is asked.
 *
 * Nothing about them is stored: whoever looks finds the same in the journal and in what is pending, and a run that can go on again is
 * not found any more. The supervisor announces each of them once.
 */

import { notifyOf } from "../pins/pinned-settings.ts";
import { deadlockOf, type Deadlock } from "../../core/explain/deadlock.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { fillPath } from "../../core/text/fill-path.ts";
import type { Works } from "../box.ts";
import { noteAll } from "../notes.ts";
import { clipped } from "../clip.ts";
import type { Observer } from "./observed-facts.ts";
import type { Hands } from "./in-progress.ts";
import type { Kept } from "../ports/journal.ts";
import type { Store } from "../ports/store.ts";

/** The kind of the note that a deadlock leaves. */
export const DEADLOCK = "deadlock";

/** Undefined also where the run has gone on since it was loaded. */
export async function deadlockIn(
  store: Pick<Store, "unattended">,
  { run }: Pick<Kept, "run">,
  workflow: Workflow,
): Promise<Deadlock | undefined> {
  const [at] = await store.unattended(run.id);
  const found = at?.seq === run.seq ? deadlockOf(workflow, run, at.residents) : undefined;
  return found === undefined ? undefined : { ...found, reason: fillPath(run, found.reason, "*") };
}

export function sayDeadlock({ reason }: Deadlock): string {
  return clipped(reason);
}

export class Deadlocks implements Observer {
  readonly #works: Works;
  /** How many events a run had when it was last looked at. */
  readonly #looked = new Map<string, number>();

  constructor(works: Works) {
    this.#works = works;
  }

  async look(hands: Hands): Promise<void> {
    for (const { run, seq } of await this.#works.store.unattended()) {
      if (this.#looked.get(run) === seq || hands.isBusyWith(run)) continue;
      this.#looked.set(run, seq);
      hands.take(run, () => this.#announce(run));
    }
  }

  /** The note is written first: where the supervisor is killed in between, the person finds the run in the inbox. */
  async #announce(id: string): Promise<void> {
    const { store } = this.#works;
    const kept = await store.load(id);
    if (kept === undefined) return;
    const { row, run } = kept;
    const workflow = await this.#works.workflow(row.definition);
    const found = await deadlockIn(store, kept, workflow);
    if (found === undefined || (await this.#isAnnounced(kept))) return;
    const text = sayDeadlock(found);
    await noteAll(this.#works, { run: id, kind: DEADLOCK }, [text]);
    try {
      const notify = await notifyOf(this.#works, kept);
      const name = row.goal === "" ? workflow.definition.title : row.goal;
      await this.#works.notifier.ask({
        command: notify,
        run: id,
        id: run.state,
        question: `${name}: ${text}`,
      });
    } catch (error) {
      // The run needs a person whether or not one could be called.
      this.#works.log(`${id}: nobody could be notified: ${String(error)}`);
    }
  }

  /** Since something last happened to the run, perhaps by an earlier supervisor. */
  async #isAnnounced({ row }: Kept): Promise<boolean> {
    const notes = await this.#works.store.notes(row.id);
    return notes.some(({ kind, at }) => kind === DEADLOCK && at >= row.updatedAt);
  }
}
