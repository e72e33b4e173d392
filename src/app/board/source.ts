/**
 * Where the board comes from: the store, opened when there is one, and the background look at the work.
 *
 * It only looks. While somebody watches, a supervisor that died is started again, as by every command that looks.
 */

import { surveySettings } from "../../adapters/config/read.ts";
import type { Home, Env } from "../../adapters/home/paths.ts";
import { readOwn } from "../../adapters/home/own-file.ts";
import { isSupervisorAlive } from "../../adapters/supervisor/lock.ts";
import { readable, UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import { collectorOf, type Collector, type Wanted } from "./collect.ts";
import { isOver, UNKNOWN, type BoardRow, type BoardView, type Work, type Terminal } from "./row.ts";
import { requireHome, storeOf } from "../runs/find.ts";
import type { Invocation } from "../invocation.ts";
import { isDue } from "../runs/due.ts";
import { probe } from "../view/status/probe.ts";
import { wake } from "../runs/wake.ts";
import { installedIn } from "../start/harnesses.ts";

/** How a key of the screen starts a command of this program. */
export { selfCommand } from "../../adapters/works/launcher.ts";

export type Source = {
  look(wanted: Wanted): Promise<BoardView>;
  /** Somebody has written to the store since this was last asked. */
  isChanged(): Promise<boolean>;
  /** These are seen: how much work is in them is worth knowing. */
  want(rows: readonly BoardRow[]): void;
  /** What a run asks, and what its page says, or why it cannot be read. */
  page(run: string): Promise<string>;
  /** What merging its branch would do. */
  forecast(run: string): Promise<string>;
  /** Which agents a new task of a repository can be given to. */
  harnesses(repo: string): Promise<readonly string[]>;
  seeToIt(): Promise<void>;
  close(): Promise<void>;
};

const NOTHING: BoardView = { rows: [], more: 0, projects: [] };
const PAGE_BYTES_MAX = 1024 * 1024;

type On = {
  readonly door: Invocation;
  /** More is known of the work. */
  readonly onWork: () => void;
  /** Everything is known that is wanted. */
  readonly onRest?: () => void;
};

export function sourceOf({ door, onWork, onRest }: On): Source {
  const home = requireHome(door);
  let store: Store | undefined;
  let opening: Promise<Store | undefined> | undefined;
  let collector: Collector | undefined;
  let version: string | undefined;
  let isClosed = false;
  const background: Background = inBackground({
    look: async (run) => (store === undefined ? undefined : workIn({ door, home, store }, run)),
    onChange: onWork,
    ...(onRest === undefined ? {} : { onRest }),
    now: () => performance.now(),
  });

  const terminals = terminalsOf({ home, env: door.env, onChange: onWork });

  /** Where nothing was ever started there is none; somebody may start something while we look. */
  async function opened(): Promise<Store | undefined> {
    if (store !== undefined || isClosed) return store;
    opening ??= storeOf(door).finally(() => (opening = undefined));
    const found = await opening;
    if (isClosed) {
      await found?.close();
      return undefined;
    }
    store = found;
    if (store !== undefined)
      collector ??= collectorOf({
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
      if ((await opened()) === undefined || collector === undefined) return NOTHING;
      const view = await collector.collect(wanted);
      // Their answer is for the next look: this one shows one moment.
      terminals.ask();
      return view;
    },
    async isChanged() {
      const now = await versionOf(opened);
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
      const from = await opened();
      if (from === undefined) return "";
      const { forecastOf } = await import("./forecast.ts");
      return forecastOf({ home, env: door.env, store: from }, run);
    },
    async harnesses(repo) {
      const from = await opened();
      if (from === undefined) return [];
      const surveyed = await readable(() => surveySettings({ repo, env: door.env, store: from }));
      return surveyed === undefined ? [] : installedIn(surveyed.settings, door.env["PATH"] ?? "");
    },
    async seeToIt() {
      const from = await opened();
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

async function versionOf(opened: () => Promise<Store | undefined>): Promise<string | undefined> {
  try {
    return await (await opened())?.version();
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
  { door, home, store }: { readonly door: Invocation; readonly home: Home; readonly store: Store },
  run: string,
): Promise<Work | undefined> {
  const workspace = await store.boundWorkspace(run);
  if (workspace === undefined) return undefined;
  const { path, base, repo } = workspace;
  const into = (await store.projectAt(repo))?.defaultBranch ?? "";
  const { changesIn } = await import("./changes.ts");
  return changesIn({ home, env: door.env }, { path, base, into });
}

/** Which runs have a terminal: one question to tmux for all of them, asked beside the screen. */

type Terminals = {
  terminalOf(run: string): Terminal;
  /** Asks again, unless that was done a moment ago. */
  ask(): void;
};

type TerminalContext = { readonly home: Home; readonly env: Env; readonly onChange: () => void };

/** A look at the board that follows another at once finds the same windows. */
const AGAIN_MS = 1000;

function terminalsOf({ home, env, onChange }: TerminalContext): Terminals {
  let known: ReadonlyMap<string, Terminal> | undefined;
  let isAsking = false;
  let askedAt = -AGAIN_MS;

  async function again(): Promise<void> {
    isAsking = true;
    askedAt = performance.now();
    const found = await lookAtTerminals(home, env);
    isAsking = false;
    const isNews = known === undefined || sayAll(known) !== sayAll(found);
    known = found;
    if (isNews) onChange();
  }

  return {
    terminalOf: (run) => (known === undefined ? "unknown" : (known.get(run) ?? "none")),
    ask() {
      if (!isAsking && performance.now() - askedAt >= AGAIN_MS) void again();
    },
  };
}

async function lookAtTerminals(home: Home, env: Env): Promise<ReadonlyMap<string, Terminal>> {
  const { paneHealth } = await import("../../adapters/terminal/health.ts");
  try {
    const runs = (await paneHealth(home, env)) ?? new Map<string, never>();
    return new Map(
      [...runs].map(([run, { windows }]) => [run, windows.every(({ isDead }) => isDead) ? "dead" : "alive"]),
    );
  } catch {
    // Without tmux, or with one that does not answer, no run has a terminal that could be shown.
    return new Map();
  }
}

function sayAll(terminals: ReadonlyMap<string, Terminal>): string {
  return JSON.stringify([...terminals].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Looks at the work in workspaces, one after the other, while the screen is used.
 *
 * Only what somebody sees is looked at, and again when its run went on, or after a while: an agent writes files without telling.
 */

type Looked = { readonly run: string; readonly seq: string; readonly isLive: boolean };

type Background = {
  /** Null where there is no workspace, undefined where nobody has looked yet. */
  workOf(run: string): Work | null | undefined;
  /** These are on the screen. */
  want(rows: readonly Looked[]): void;
  close(): void;
};

type BackgroundWork = {
  /** Undefined where the run has no workspace. */
  readonly look: (run: string) => Promise<Work | undefined>;
  readonly onChange: () => void;
  /** Everything that is wanted was looked at. */
  readonly onRest?: () => void;
  readonly now: () => number;
};

const LIVE_MS = 8000;
const STILL_MS = 60_000;

type Kept = { readonly work: Work | null; readonly seq: string; readonly at: number };

export function inBackground({ look, onChange, onRest, now }: BackgroundWork): Background {
  const kept = new Map<string, Kept>();
  let wanted: readonly Looked[] = [];
  let isLooking = false;
  let isClosed = false;

  function isOutdated({ run, seq, isLive }: Looked): boolean {
    const known = kept.get(run);
    return known === undefined || known.seq !== seq || now() - known.at > (isLive ? LIVE_MS : STILL_MS);
  }

  async function goOn(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      for (let next = wanted.find(isOutdated); next !== undefined; next = wanted.find(isOutdated)) {
        const { run, seq } = next;
        const before = kept.get(run)?.work;
        // What git cannot tell is not known; the board goes on.
        const work = (await look(run).catch(() => UNKNOWN)) ?? null;
        kept.set(run, { work, seq, at: now() });
        if (!isClosed && !isSame(before, work)) onChange();
      }
    } finally {
      isLooking = false;
      onRest?.();
    }
  }

  return {
    workOf: (run) => kept.get(run)?.work,
    want(rows) {
      wanted = rows;
      void goOn();
    },
    close() {
      isClosed = true;
      wanted = [];
    },
  };
}

function isSame(a: Work | null | undefined, b: Work | null): boolean {
  return a?.ahead === b?.ahead && a?.added === b?.added && a?.removed === b?.removed;
}
