/**
 * Where the board comes from: the store, opened when there is one, and the background look at the work.
 *
 * It only looks. While somebody watches, a supervisor that died is started again, as by every command that looks.
 */

import type { Home } from "../../adapters/home/paths.ts";
import { readOwn } from "../../adapters/home/own-file.ts";
import { isSupervisorAlive } from "../../adapters/supervisor/lock.ts";
import type { SqliteStore } from "../../adapters/store/open.ts";
import { UserError } from "../../adapters/user-error.ts";
import { boundWorkspace } from "../../engine/submit/place.ts";
import { collectorOf, type Collector, type Wanted } from "../../app/board/collect.ts";
import { isOver, type BoardRow, type BoardView, type Work } from "../../app/board/row.ts";
import { inBackground, type Background } from "../../app/board/work.ts";
import { storeOf } from "../../app/runs/find.ts";
import type { Door } from "../command.ts";
import { isDue } from "../../app/runs/due.ts";
import { probe } from "../../app/view/status/probe.ts";
import { wake } from "../../app/runs/wake.ts";
import { terminalsOf } from "./terminals.ts";

export type Source = {
  look(wanted: Wanted): Promise<BoardView>;
  /** Somebody has written to the store since this was last asked. */
  isChanged(): boolean;
  /** These are seen: how much work is in them is worth knowing. */
  want(rows: readonly BoardRow[]): void;
  /** What a run asks, and what its page says, or why it cannot be read. */
  page(run: string): Promise<string>;
  /** What merging its branch would do. */
  forecast(run: string): Promise<string>;
  seeToIt(): Promise<void>;
  close(): Promise<void>;
};

const NOTHING: BoardView = { rows: [], more: 0, projects: [] };
const PAGE_BYTES_MAX = 1024 * 1024;

type On = {
  readonly door: Door;
  readonly home: Home;
  /** More is known of the work. */
  readonly onWork: () => void;
  /** Everything is known that is wanted. */
  readonly onRest?: () => void;
};

export function sourceOf({ door, home, onWork, onRest }: On): Source {
  let store: SqliteStore | undefined;
  let collector: Collector | undefined;
  let version: unknown;
  let isClosed = false;
  const background: Background = inBackground({
    look: async (run) => (store === undefined ? undefined : workIn({ door, home, store }, run)),
    onChange: onWork,
    ...(onRest === undefined ? {} : { onRest }),
    now: () => performance.now(),
  });

  const terminals = terminalsOf({ home, env: door.env, onChange: onWork });

  /** Where nothing was ever started there is none; somebody may start something while we look. */
  function opened(): SqliteStore | undefined {
    if (store !== undefined || isClosed) return store;
    store = storeOf(door);
    if (store !== undefined)
      collector = collectorOf({
        store,
        home,
        probe,
        workOf: (run) => background.workOf(run),
        terminalOf: (run) => terminals.terminalOf(run),
      });
    return store;
  }

  return {
    async look(wanted) {
      if (opened() === undefined || collector === undefined) return NOTHING;
      const view = await collector.collect(wanted);
      // Their answer is for the next look: this one shows one moment.
      terminals.ask();
      return view;
    },
    isChanged() {
      const now = versionOf(opened);
      const isNews = now !== version;
      version = now;
      return isNews;
    },
    want: (rows) =>
      background.want(
        rows
          .filter((row) => !isOver(row))
          .map((row) => ({
            run: row.run,
            seq: `${row.state} ${row.updatedAt}`,
            isLive: row.session === "alive",
          })),
      ),
    page: async (run) => {
      const path = await collector?.pageOf(run);
      const asked = (await collector?.askingOf(run)) ?? "";
      if (path === undefined) return asked === "" ? "It has no page." : asked;
      return asked === "" ? pageAt(path) : `${asked}\n${pageAt(path)}`;
    },
    async forecast(run) {
      const from = opened();
      if (from === undefined) return "";
      const { forecastOf } = await import("./forecast.ts");
      return forecastOf({ home, env: door.env, store: from }, run);
    },
    async seeToIt() {
      const from = opened();
      if (from !== undefined && (await isDue(from, home)) && !isSupervisorAlive(home))
        await wake({ door, home, box: { store: from } });
    },
    async close() {
      isClosed = true;
      background.close();
      await store?.close();
      store = undefined;
    },
  };
}

/** A number that another's write changes; cheap enough to be asked for all the time. */
function versionOf(opened: () => SqliteStore | undefined): unknown {
  try {
    return opened()?.database.get("PRAGMA data_version")?.["data_version"];
  } catch (error) {
    // Looking at the board tells what is wrong.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function pageAt(path: string): string {
  const read = readOwn(path, PAGE_BYTES_MAX);
  switch (read.type) {
    case "text":
      return read.text;
    case "missing":
      return `${path} is not there.`;
    case "odd":
      return `It cannot be shown: ${read.reason}`;
  }
}

async function workIn(
  { door, home, store }: { readonly door: Door; readonly home: Home; readonly store: SqliteStore },
  run: string,
): Promise<Work | undefined> {
  const workspace = await boundWorkspace({ store }, run);
  if (workspace === undefined) return undefined;
  const { path, base, repo } = workspace;
  const into = (await store.projectAt(repo))?.defaultBranch ?? "";
  const { changesIn } = await import("../../app/board/changes.ts");
  return changesIn({ home, env: door.env }, { path, base, into });
}
