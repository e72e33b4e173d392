/** Takes away windows that nobody needs any more. A closed window only tells its program so: whoever lives there is ended before. */

import type { Window } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import type { Hold } from "./hold.ts";
import { keyOf } from "./names.ts";
import { panesOf, type Pane } from "./panes.ts";
import { callTmux, type TmuxAccess } from "./tmux.ts";

/**
 * Of a job that was ended. The last window of a session stays: whoever looks at it would be thrown out, and the next one of this run is
 * put beside it.
 */
export async function removeWindow(on: TmuxAccess, { pane, server, shim }: Hold): Promise<void> {
  const panes = (await panesOf(on)) ?? [];
  const own = panes.find(
    (each) => each.pane === pane && each.pid === shim?.pid && each.server === server.pid,
  );
  if (own === undefined || panes.every(({ session, pane: id }) => session !== own.session || id === pane))
    return;
  await killPane(on, own);
}

/** Windows in which an earlier process of the same role has ended, and others that came too late for this job. */
export async function removeEarlier(on: TmuxAccess, window: Window, keep: string): Promise<void> {
  const key = keyOf(window.name);
  const earlier = ((await panesOf(on)) ?? []).filter(
    (each) => each.run === window.session && each.key === key && each.isDead && each.pane !== keep,
  );
  for (const pane of earlier) await killPane(on, pane);
}

/** The session of a run with everything in it, and what people moved elsewhere. A window of another run that was moved here stays. */
export async function closeSession(on: TmuxAccess, run: string): Promise<void> {
  const panes = (await panesOf(on)) ?? [];
  const sessions = new Set(panes.filter(({ sessionOf }) => sessionOf === run).map(({ session }) => session));
  failpoint("terminal.before-close");
  for (const pane of panes.filter((each) => each.run === run)) await killPane(on, pane);
  for (const session of sessions) {
    const isShared = panes.some((each) => each.session === session && each.run !== "" && each.run !== run);
    const args = isShared
      ? ["set-option", "-u", "-t", session, "@signalbox_session"]
      : ["kill-session", "-t", session];
    await callTmux(on, { args });
  }
  failpoint("terminal.after-close");
  await letGo(on);
}

/** The server ends when it has no session; that is for itself to say, since a window may be about to open. */
async function letGo(on: TmuxAccess): Promise<void> {
  const panes = await panesOf(on);
  if (panes?.length === 0) await callTmux(on, { args: ["set-option", "-s", "exit-empty", "on"] });
}

/** By the id that it had, as long as the same process is in it. */
async function killPane(on: TmuxAccess, { pane, pid }: Pane): Promise<void> {
  failpoint("terminal.before-remove");
  await callTmux(on, {
    args: ["if-shell", "-F", "-t", pane, `#{==:#{pane_pid},${pid}}`, `kill-pane -t ${pane}`],
  });
  failpoint("terminal.after-remove");
}
