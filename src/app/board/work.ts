/**
 * Looks at the work in workspaces, one after the other, while the screen is used.
 *
 * Only what somebody sees is looked at, and again when its run went on, or after a while: an agent writes files without telling.
 */

import { UNKNOWN, type Work } from "./row.ts";

type Looked = { readonly run: string; readonly seq: string; readonly isLive: boolean };

export type Background = {
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

  function isDue({ run, seq, isLive }: Looked): boolean {
    const known = kept.get(run);
    return known === undefined || known.seq !== seq || now() - known.at > (isLive ? LIVE_MS : STILL_MS);
  }

  async function goOn(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      for (let next = wanted.find(isDue); next !== undefined; next = wanted.find(isDue)) {
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
