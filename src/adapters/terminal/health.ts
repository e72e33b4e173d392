/** What there is to look at: all windows by one question, and the way into a session. No server is started for it. */

import { join } from "node:path";
import type { Env, Home } from "../home/paths.ts";
import { packageRoot } from "../library/package.ts";
import { keyOf } from "./names.ts";
import { lookAtPanes } from "./panes.ts";
import { findPlace } from "./place.ts";
import { MARKED, tmuxProgram, way, type TmuxAccess } from "./tmux.ts";

export type RunTerminal = {
  /** The id of the session. */
  readonly session: string;
  /** How many people look at it. */
  readonly attached: number;
  readonly windows: readonly {
    readonly job: string;
    /** As people see it; they may have changed it. */
    readonly name: string;
    readonly isDead: boolean;
    /** Of a dead one that ended by itself. */
    readonly status: number | undefined;
  }[];
};

/** By run; undefined where no server runs. */
export async function paneHealth(
  home: Home,
  env: Env = process.env,
): Promise<ReadonlyMap<string, RunTerminal> | undefined> {
  const panes = await lookAtPanes({ home, env });
  if (panes === undefined) return undefined;
  const runs = new Map<string, RunTerminal>();
  const listed = new Set<string>();
  for (const { session, attached, run, job, name, isDead, status, pane, sessionOf } of panes) {
    if (run === "" || listed.has(pane)) continue;
    listed.add(pane);
    const known = runs.get(run);
    const isOwn = known === undefined || sessionOf === run;
    runs.set(run, {
      session: isOwn ? session : known.session,
      attached: isOwn ? attached : known.attached,
      windows: [...(known?.windows ?? []), { job, name, isDead, status }],
    });
  }
  return runs;
}

export type TerminalRequest = {
  readonly run: string;
  /** The name of the window that is shown first, as it was given at the launch. */
  readonly window?: string;
};

/** What to start, with the terminal of a person, to look at a run; undefined where it has no session. Works inside of another tmux. */
export async function attachArgs(
  on: TmuxAccess,
  { run, window }: TerminalRequest,
): Promise<readonly string[] | undefined> {
  const place = findPlace(on.home);
  const panes = place === undefined ? undefined : await lookAtPanes(on);
  if (place === undefined || panes === undefined) return undefined;
  const own = panes.filter((each) => each.run === run);
  const key = window === undefined ? undefined : keyOf(window);
  const chosen =
    key === undefined
      ? undefined
      : (own.find((each) => each.key === key && !each.isDead) ?? own.find((each) => each.key === key));
  const target = chosen?.pane ?? panes.find(({ sessionOf }) => sessionOf === run)?.session ?? own[0]?.session;
  if (target === undefined) return undefined;
  const clean = ["/usr/bin/env", "-u", "TMUX", "-u", "TMUX_PANE"];
  const marked = Object.entries(MARKED).map(([name, value]) => `${name}=${value}`);
  const above = ["/bin/sh", join(packageRoot(), "bin", "look.sh")];
  return [...clean, ...marked, ...above, tmuxProgram(on.env), ...way(place), "attach-session", "-t", target];
}
