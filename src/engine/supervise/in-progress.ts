/** What the supervisor has in hand, one thing per run: nothing of a run happens at the same time as anything else of it. */

import type { Works } from "../box.ts";
import { failureReason } from "../clip.ts";

export class Hands {
  readonly #works: Works;
  readonly #ring: () => void;
  readonly #busy = new Map<string, Promise<void>>();
  /** What was last wrong with a run, in our words. */
  readonly #troubles = new Map<string, string>();

  constructor(works: Works, ring: () => void) {
    this.#works = works;
    this.#ring = ring;
  }

  /** Does it after everything else of the run. What goes wrong is shown, and no longer shown when it goes well again. */
  take(run: string, work: () => Promise<void>): void {
    const done = (this.#busy.get(run) ?? Promise.resolve())
      .then(work)
      .then(() => this.#mended(run))
      .catch((error: unknown) => this.#failed(run, error))
      .finally(() => {
        if (this.#busy.get(run) === done) this.#busy.delete(run);
        this.#ring();
      });
    this.#busy.set(run, done);
  }

  isBusyWith(run: string): boolean {
    return this.#busy.has(run);
  }

  isBusy(): boolean {
    return this.#busy.size > 0;
  }

  isFull(max: number): boolean {
    return this.#busy.size >= max;
  }

  async rest(): Promise<void> {
    await Promise.all(this.#busy.values());
  }

  async #failed(run: string, error: unknown): Promise<void> {
    const message = failureReason(error);
    const text = `${message}; try again: ${adviceAfter(error, run)}`;
    // Found again at every look, it is written down once.
    if (this.#troubles.get(run) !== text)
      this.#works.log(`${run}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const shown = (await this.#works.store.marks(run))?.attention ?? "";
    // What was wrong first is what must be mended first; what a person has had tried again is told again.
    if (shown !== "" && shown !== this.#troubles.get(run)) return;
    this.#troubles.set(run, text);
    if (shown !== text) await this.#attend(run, { attention: text, shown });
  }

  async #mended(run: string): Promise<void> {
    const text = this.#troubles.get(run);
    if (text === undefined) return;
    this.#troubles.delete(run);
    await this.#attend(run, { attention: "", shown: text });
  }

  /** Where the run shows something else by now, that stays. */
  async #attend(run: string, on: { readonly attention: string; readonly shown: string }): Promise<void> {
    await this.#works.store.commit([{ type: "attend", run, ...on }]);
  }
}

/** What a person types after a failure. Trust resumes the runs that wait for it. */
export function adviceAfter(error: unknown, run: string): string {
  const resume = `signalbox resume ${run}`;
  if (!(error instanceof Error && "next" in error)) return resume;
  const mend = String(error.next);
  return mend.endsWith("signalbox trust") ? mend : `${mend}, then: ${resume}`;
}
