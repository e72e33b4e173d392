/**
 * The queue: the first run that has everything it depends on done is started as soon as one more agent may work.
 *
 * The queue itself is in the store, with who would not go and why. What is remembered here only saves work.
 */

import { filtered } from "../lists.ts";
import type { Works } from "../box.ts";
import { noteNew } from "../notes.ts";
import { awaiting } from "../supervise/fact.ts";
import { observe, type Observer } from "../supervise/observed-facts.ts";
import type { Hands } from "../supervise/in-progress.ts";
import { isPutOff, refusalAfter } from "./position.ts";
import type { QueueRow } from "../ports/projects.ts";
import { project } from "../submit/project.ts";
import { isSlotLeft, slotsOf } from "./slots.ts";

const TURN = "ready-to-start";
/** Those who stand in line are asked one after the other: the first one first. */
const LINE = "the queue";

export class Queue implements Observer {
  readonly #works: Works;
  /** At which entry a run was last seen to wait for its turn. */
  readonly #waiting = new Map<string, number>();

  constructor(works: Works) {
    this.#works = works;
  }

  /** Costs one read where nobody stands in line. */
  async look(hands: Hands): Promise<void> {
    const { store, clock } = this.#works;
    if (hands.isBusyWith(LINE)) return;
    const now = clock.now();
    const line = await filtered(
      await store.line(),
      async (row) => !isPutOff(row, now) && (await this.#isWaiting(row)),
    );
    const left = new Map<string, boolean>();
    const isLeft = async (repo: string): Promise<boolean> => {
      const known = left.get(repo) ?? isSlotLeft(await slotsOf(this.#works, repo));
      left.set(repo, known);
      return known;
    };
    const ready = await filtered(line, async (row) => !row.isHeld && (await isLeft(row.repo)));
    if (ready.length > 0) hands.take(LINE, () => this.#start(ready));
  }

  /** Whoever has gone on by other means leaves the line. One that cannot be looked at stays, and holds up nobody. */
  async #isWaiting(row: QueueRow): Promise<boolean> {
    const { run, entry } = row;
    if (this.#waiting.get(run) === entry) return true;
    try {
      const kept = await this.#works.store.load(run);
      const isWaiting =
        kept !== undefined &&
        awaiting(await this.#works.workflow(kept.row.definition), kept.run, TURN).length > 0;
      if (isWaiting) this.#waiting.set(run, entry);
      else await this.#leave(run);
      return isWaiting;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#works.log(`${run} in the queue: ${message}`);
      await this.#putOff(row, message);
      return false;
    }
  }

  async #leave(run: string): Promise<void> {
    await this.#works.store.commit([{ type: "dequeue", run }]);
    this.#waiting.delete(run);
  }

  async #start(ready: readonly QueueRow[]): Promise<void> {
    for (const row of ready) if (isSlotLeft(await slotsOf(this.#works, row.repo))) await this.#startOne(row);
  }

  /** What goes wrong with one is no reason for the others to wait. */
  async #startOne(row: QueueRow): Promise<void> {
    const { run, entry } = row;
    try {
      const seen = await observe(this.#works, { run, fact: TURN, digest: `${TURN}:${run}:${entry}` });
      if (seen.type === "accepted" || seen.type === "unknown") await this.#leave(run);
      if (seen.type === "accepted") return await this.#show(run);
      if (seen.type === "idle" || seen.type === "refused")
        await this.#refuse(row, seen.type === "idle" ? seen.message : seen.refusal.message);
    } catch (error) {
      this.#works.log(
        `${run} in the queue: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      await this.#refuse(row, error instanceof Error ? error.message : String(error));
    }
  }

  /** It has been started, whatever becomes of its files: those that are behind are looked at by and by. */
  async #show(run: string): Promise<void> {
    try {
      await project(this.#works, run);
    } catch (error) {
      this.#works.log(`${run}: its files are behind: ${String(error)}`);
    }
  }

  /** It stays in the line, and the others go on. Told once, however often it is tried again. */
  async #refuse(row: QueueRow, message: string): Promise<void> {
    await this.#putOff(row, message);
    const text = `it was its turn, and it could not be started: ${message}`;
    await noteNew(this.#works, { run: row.run, kind: "queue" }, [text]);
  }

  async #putOff(row: QueueRow, message: string): Promise<void> {
    const { store, clock } = this.#works;
    await store.commit([
      {
        type: "refuse",
        run: row.run,
        seq: row.seq,
        refusal: refusalAfter(row.refusal, message, clock.now()),
      },
    ]);
  }
}
