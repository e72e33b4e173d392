/** Opens a window for a job, in the session of its run, without anybody's focus moving there. */

import { join } from "node:path";
import type { Launch, Window } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import { packageRoot } from "../library/package.ts";
import { startOf } from "../process/table.ts";
import { writeErrand } from "./errand.ts";
import { sessionName, windowName } from "./names.ts";
import type { Holds } from "./hold.ts";
import { panesOf } from "./panes.ts";
import { makePlace, type Place } from "./place.ts";
import { callAt, noteServer, tmuxProgram, type Server, type Terminals } from "./tmux.ts";

export type Opened = {
  readonly pane: string;
  /** The first program of the window, which becomes the shim. */
  readonly pid: number;
  readonly server: Server;
  readonly session: string;
};

export type Opening = {
  readonly launch: Launch;
  readonly window: Window;
  readonly env: Readonly<Record<string, string>>;
  readonly shim: readonly string[];
};

const TOLD = "#{pane_id} #{pane_pid} #{pid} #{session_id}";
const SIZE = ["-x", "200", "-y", "50"];

export async function openWindow(
  on: Terminals,
  opening: Opening,
  holds: Pick<Holds, "sessionOf" | "keepSession">,
): Promise<Opened> {
  const { window } = opening;
  const tmux = tmuxProgram(on.env);
  const place = makePlace(on.home, on.env);
  const file = writeErrand({ ...opening, tmux });
  const program = ["/bin/sh", join(packageRoot(), "bin", "window.sh"), file];
  const shown = ["-d", "-P", "-F", TOLD, "-n", windowName(window)];
  failpoint("terminal.before-window");
  const beside = (session: string | undefined): Promise<string | undefined> | undefined =>
    session === undefined
      ? undefined
      : tried(on, place, ["new-window", ...shown, "-t", `${session}:`, ...program]);
  const said =
    (await beside(holds.sessionOf(window.session))) ??
    (await beside((await panesOf(on))?.find(({ sessionOf }) => sessionOf === window.session)?.session)) ??
    (await tried(on, place, ["new-session", ...shown, ...SIZE, "-s", sessionName(window), ...program])) ??
    // The session is gone again, or somebody has given its name to another one.
    (await tried(on, place, ["new-session", ...shown, ...SIZE, ...program]));
  failpoint("terminal.after-window");
  if (said === undefined) throw new Error(`tmux opens no window for ${opening.launch.id}`);
  const [pane = "", pid = "", server = "", session = ""] = said.trim().split(" ");
  const opened = {
    pane,
    pid: Number(pid),
    server: { pid: Number(server), start: startOf(Number(server)) ?? "" },
    session,
  };
  noteServer(place, opened.server);
  holds.keepSession(window.session, opened);
  return opened;
}

async function tried(on: Terminals, place: Place, args: readonly string[]): Promise<string | undefined> {
  const { code, out, err } = await callAt(on, place, { args });
  if (code === 0) return out;
  if (
    /duplicate session|can't find|no current target|no server|lost server|server exited|error connecting/.test(
      err,
    )
  )
    return undefined;
  throw new Error(`tmux opens no window: ${err.trim()}`);
}
