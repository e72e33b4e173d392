/**
 * Since when a run waits for an agent that stays in its terminal.
 *
 * Such an agent lives through states in which others are at work, and sits still there as it should: its limits count from the moment
 * in which the run came to wait for it, or in which it was last told something.
 */

import { isExpected } from "../../core/step/move-at-end.ts";
import type { Works } from "../box.ts";
import type { Kept } from "../ports/journal.ts";
import type { JobRow } from "../ports/registry.ts";

/** So many events are read at a time, backwards. */
const STRETCH = 64;

export class Waits {
  readonly #works: Pick<Works, "store" | "workflow">;
  /** By run: the entry that was last looked at, and when the run came there. */
  readonly #entered = new Map<string, { readonly entry: number; readonly at: number }>();

  constructor(works: Pick<Works, "store" | "workflow">) {
    this.#works = works;
  }

  /** In milliseconds since 1970; undefined where the run waits for others. */
  async since({ run, role, slot, attempt }: JobRow): Promise<number | undefined> {
    const { store } = this.#works;
    const kept = await store.load(run);
    if (kept === undefined || !isExpected(await this.#works.workflow(kept.row.definition), kept.run, role)) {
      this.#entered.delete(run);
      return undefined;
    }
    const told = (await store.messages(run))
      .filter((row) => row.role === role && row.slot === slot && row.attempt === attempt)
      .map(({ at }) => at);
    return Math.max(await this.#enteredAt(kept), ...told);
  }

  async #enteredAt({ row: { id }, run: { entry, seq } }: Kept): Promise<number> {
    const known = this.#entered.get(id);
    if (known?.entry === entry) return known.at;
    const at = await this.#lastMove(id, seq);
    this.#entered.set(id, { entry, at });
    return at;
  }

  async #lastMove(run: string, seq: number): Promise<number> {
    for (let end = seq; end > 0; end -= STRETCH) {
      const from = Math.max(1, end - STRETCH + 1);
      const events = await this.#works.store.events(run, from, end - from + 1);
      const moved = events.findLast(({ event }) => event.type === "moved");
      if (moved !== undefined) return Date.parse(moved.at);
    }
    return 0;
  }
}
