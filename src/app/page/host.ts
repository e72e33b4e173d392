/** What the process that serves the page needs: a person who started it, files of the page, and news of runs. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../adapters/library/package.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import { authorise, callerWithoutStore } from "../caller.ts";
import type { Invocation } from "../invocation.ts";
import { requireHome, storeOf } from "../runs/find.ts";
import { parkedRuns } from "../view/status/parked.ts";

/** Decisions on the page are signed as those of the person who started the server. */
export function requireHost(door: Invocation): void {
  authorise({ name: "serve", callers: ["person"] }, callerWithoutStore(door), door);
}

/** Holds the digest of each cookie, and the key of each session in plain text: only the user may read it. */
export function sessionsFile(door: Invocation): string {
  return join(requireHome(door).root, "page-sessions.json");
}

/** The built page, by name: everything is read at the start, so no request names a file. */
export function pageFiles(): ReadonlyMap<string, Uint8Array> {
  const folder = join(packageRoot(), "dist/web");
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return new Map(
      names.map((entry) => {
        const file = join(entry.parentPath, entry.name);
        return [file.slice(folder.length), readFileSync(file)] as const;
      }),
    );
  } catch (error) {
    throw new UserError(
      "no-page",
      `the page is not built: ${error instanceof Error ? error.message : ""}`,
      "npm run build",
    );
  }
}

const RUNS_MAX = 5000;

export type RunNews = {
  /** Ids of runs that changed since this was last asked. */
  changed(): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** Asks the database for its version first: no run is read while nothing was written. */
export function newsOf(door: Invocation): RunNews {
  let store: Store | undefined;
  let version: string | undefined;
  let known: ReadonlyMap<string, string> = new Map();
  return {
    async changed() {
      store ??= await storeOf(door);
      if (store === undefined) return [];
      const now = await store.version();
      if (now === version) return [];
      version = now;
      const { rows } = await store.list({ limit: RUNS_MAX });
      const parked = await parkedRuns(store);
      const before = known;
      known = new Map(
        rows.map(({ id, seq, attention, halted, updatedAt, hidden }) => [
          id,
          [seq, attention, halted, updatedAt, hidden, parked.get(id)?.at ?? ""].join(" "),
        ]),
      );
      return [...known].filter(([id, stamp]) => before.get(id) !== stamp).map(([id]) => id);
    },
    close: async () => store?.close(),
  };
}
