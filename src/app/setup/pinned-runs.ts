/** Runs under way that began with other settings than those of now, and what `trust` does about them. */

import { pinEntries } from "../../adapters/config/pins.ts";
import { settingsWith } from "../../adapters/config/read.ts";
import type { TrustContent } from "../../adapters/trust/content.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Write } from "../../engine/ports/commit.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { PinEntry } from "../../engine/ports/pins.ts";
import type { Store } from "../../engine/ports/store.ts";
import { changesIn, PIN, pinFrom, type Pin, type PinChange } from "../../engine/pins/pin.ts";
import { usesOf } from "../../engine/pins/pinned-settings.ts";
import type { Invocation } from "../invocation.ts";
import { databaseOf, workflowOf } from "../runs/find.ts";
import { rowsIn, UNDER_WAY } from "../runs/rows.ts";

export type PinnedRun = {
  readonly row: RunRow;
  readonly pin: Pin;
  readonly changes: readonly PinChange[];
  /** Everything as it is now. */
  readonly entries: readonly PinEntry[];
};

const RUNS_MAX = 1000;

/**
 * Runs of the repository, held against this content of it; and runs of others, held against the user's own file, which counts everywhere.
 */
export async function pinnedRuns(
  { door, store }: { readonly door: Invocation; readonly store: Store },
  { repo, content }: { readonly repo: string; readonly content: TrustContent },
): Promise<readonly PinnedRun[]> {
  const { rows } = await rowsIn(store, UNDER_WAY, { limit: RUNS_MAX });
  const now = pinEntries({ ...(await settingsWith({ repo, env: door.env }, content)), content });
  const workflows = new Map<string, Promise<Workflow>>();
  const found = await Promise.all(
    rows.map(async (row): Promise<PinnedRun | undefined> => {
      const pin = pinFrom(await store.projection(row.id, PIN));
      const kept = pin === undefined ? undefined : await store.load(row.id);
      if (pin === undefined || kept === undefined) return undefined;
      const workflow = workflows.get(row.definition) ?? workflowOf(store, row);
      workflows.set(row.definition, workflow);
      const entries =
        row.repo === repo ? now : [...now.filter(isOfUser), ...pin.entries.filter((each) => !isOfUser(each))];
      const uses = usesOf((await workflow).definition, kept.run);
      return { row, pin, entries, changes: changesIn(pin, entries, uses) };
    }),
  );
  return found.filter((each) => each !== undefined);
}

function isOfUser({ file }: PinEntry): boolean {
  return !file.startsWith(".signalbox/");
}

/** With the settings, the PATH and the programs of now. */
export function renewed(
  { env }: Invocation,
  { pin, entries }: PinnedRun,
  notify: readonly string[],
): Pin | undefined {
  // On several machines, the worker that has the run records its own.
  if (databaseOf({ env }) !== undefined) return undefined;
  return { ...pin, entries, notify, path: env["PATH"] ?? pin.path, programs: {} };
}

export function keptPin({ row }: PinnedRun, pin: Pin | undefined): Write {
  return { type: "put-projection", run: row.id, file: PIN, fields: JSON.stringify(pin ?? null) };
}

export type ChangedSetting = PinChange & { readonly runs: readonly string[] };

/** Each change once, with the runs that it concerns. */
export function changedSettings(runs: readonly PinnedRun[]): readonly ChangedSetting[] {
  const all = new Map<string, { readonly change: PinChange; readonly runs: string[] }>();
  for (const { row, changes } of runs)
    for (const change of changes) {
      const name = JSON.stringify(change);
      const known = all.get(name) ?? { change, runs: [] };
      known.runs.push(row.id);
      all.set(name, known);
    }
  return [...all.values()].map(({ change, runs: ids }) => ({ ...change, runs: ids }));
}
