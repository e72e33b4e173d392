/** Which runs have a terminal: one question to tmux for all of them, asked beside the screen. */

import type { Env, Home } from "../../adapters/home/paths.ts";
import type { Terminal } from "../../app/board/row.ts";

export type Terminals = {
  terminalOf(run: string): Terminal;
  /** Asks again, unless that was done a moment ago. */
  ask(): void;
};

type On = { readonly home: Home; readonly env: Env; readonly onChange: () => void };

/** A look at the board that follows another at once finds the same windows. */
const AGAIN_MS = 1000;

export function terminalsOf({ home, env, onChange }: On): Terminals {
  let known: ReadonlyMap<string, Terminal> | undefined;
  let isAsking = false;
  let askedAt = -AGAIN_MS;

  async function again(): Promise<void> {
    isAsking = true;
    askedAt = performance.now();
    const found = await look(home, env);
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

async function look(home: Home, env: Env): Promise<ReadonlyMap<string, Terminal>> {
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
