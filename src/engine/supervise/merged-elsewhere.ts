/**
 * Work that has landed by other means than the engine's: looked for when its run or the default branch has moved. It is a choice for a
 * person. When the default branch no longer has the work, the choice is withdrawn.
 */

import { filtered } from "../lists.ts";
import { isHalted } from "../halted.ts";
import type { Works } from "../box.ts";
import { observe, type Observer } from "./observed-facts.ts";
import type { Hands } from "./in-progress.ts";
import type { WorkOf } from "../ports/merges.ts";
import { project } from "../submit/project.ts";
import { artifactsOf } from "./submit-fact.ts";

const MERGED = "branch-merged";

export class MergedElsewhere implements Observer {
  readonly #works: Works;
  readonly #tickMs: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Runs that could not be told, each as it was: trying again and again would keep the supervisor from leaving. */
  readonly #failed = new Map<string, number>();

  constructor(works: Works, tickMs: number) {
    this.#works = works;
    this.#tickMs = tickMs;
  }

  async look(hands: Hands, isLast: boolean): Promise<void> {
    const { clock, merges } = this.#works;
    if (!isLast && clock.mono() - this.#lookedAt < this.#tickMs) return;
    this.#lookedAt = clock.mono();
    for (const work of merges.news(await this.#all()))
      if (!hands.isBusyWith(work.run) && this.#failed.get(work.run) !== work.entry)
        hands.take(work.run, () => this.#see(work));
  }

  /** Of every run that has a workspace and is not halted. */
  async #all(): Promise<WorkOf[]> {
    const { store } = this.#works;
    const bound = await filtered(
      await store.workspaces(),
      async ({ run, status }) => status === "bound" && !(await isHalted(store, run)),
    );
    return (
      await Promise.all(
        bound.map(async ({ run, repo, base }): Promise<WorkOf[]> => {
          const known = await this.#runOf(run);
          if (known === undefined) return [];
          const { defaultBranch = "" } = (await store.projectAt(repo)) ?? {};
          return [{ run, repo, base, defaultBranch, tree: known.tree, entry: known.entry }];
        }),
      )
    ).flat();
  }

  async #runOf(run: string): Promise<{ readonly tree: string; readonly entry: number } | undefined> {
    try {
      return (await this.#works.store.load(run))?.run;
    } catch {
      // Damaged: there is nothing that it could be told.
      return undefined;
    }
  }

  /** Most workflows do not ask whether their work was merged. */
  async #isWanted(run: string): Promise<boolean> {
    const row = (await this.#works.store.load(run))?.row;
    return row !== undefined && artifactsOf(await this.#works.workflow(row.definition), MERGED).length > 0;
  }

  async #see(work: WorkOf): Promise<void> {
    const { merges } = this.#works;
    const { run, tree } = work;
    this.#failed.set(run, work.entry);
    if (await this.#isWanted(run)) {
      const found = await merges.landing(work);
      const sight =
        found === undefined
          ? { digest: "", isFound: false }
          : { digest: `${tree}:${found.ref}:${found.commit}`, fields: { ...found } };
      const seen = await observe(this.#works, { run, fact: MERGED, tree, ...sight });
      if (seen.type === "accepted") await project(this.#works, run);
    }
    merges.remember(work);
    this.#failed.delete(run);
  }
}
