/** Branches that were merged, by whatever means: looked for when a branch has moved, and told to the runs that wait for it. */

import type { Works } from "./box.ts";
import { observe, type Observer } from "./facts.ts";
import type { Hands } from "./hands.ts";
import { boundWorkspace } from "./place.ts";
import type { BranchOf } from "./ports/merges.ts";
import { project } from "./project.ts";

export class Landings implements Observer {
  readonly #works: Works;
  readonly #tickMs: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** At which entry a run was told: whether or not that led anywhere, it is not told again. */
  readonly #told = new Map<string, number>();

  constructor(works: Works, tickMs: number) {
    this.#works = works;
    this.#tickMs = tickMs;
  }

  look(hands: Hands, isLast: boolean): void {
    const { clock, merges } = this.#works;
    if (!isLast && clock.mono() - this.#lookedAt < this.#tickMs) return;
    this.#lookedAt = clock.mono();
    for (const branch of merges.news(this.#all()))
      if (!hands.isBusyWith(branch.run) && !this.#isTold(branch.run))
        hands.take(branch.run, () => this.#see(branch));
  }

  /** Of every run that has a workspace and is not halted. */
  #all(): BranchOf[] {
    const { store } = this.#works;
    return store.pools().flatMap(({ run, repo }): BranchOf[] => {
      const workspace = run === "" || store.isHalted(run) ? undefined : boundWorkspace({ store }, run);
      if (workspace === undefined) return [];
      const { branch, base } = workspace;
      return [{ run, repo, branch, base, defaultBranch: store.projectAt(repo)?.defaultBranch ?? "" }];
    });
  }

  #isTold(run: string): boolean {
    const entry = this.#told.get(run);
    if (entry === undefined) return false;
    try {
      return entry === this.#works.store.load(run)?.run.entry;
    } catch {
      // Damaged since: there is nothing that it could be told.
      return true;
    }
  }

  async #see(branch: BranchOf): Promise<void> {
    const { store, merges } = this.#works;
    const found = await merges.merged(branch);
    if (found === undefined) return;
    // Should it turn out that it cannot be looked at, it is not tried again and again.
    this.#told.set(branch.run, -1);
    const kept = store.load(branch.run);
    if (kept === undefined) return;
    this.#told.set(branch.run, kept.run.entry);
    const digest = `${found.tip}:${found.into}`;
    const seen = await observe(this.#works, { run: branch.run, fact: "branch-merged", digest });
    if (seen.type === "accepted") await project(this.#works, branch.run);
  }
}
