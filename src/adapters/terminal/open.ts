/**
 * Opens a window for a job, in the session of its run, without anybody's focus moving there.
 *
 * All of it is one call: the server says whose the pane is and has its output logged before it reads the first byte of it, and
 * nobody has to be there to open a gate. Until then the window has a name that no other has, by which the rest of the call finds it.
 */

import { join } from "node:path";
import type { Launch, Window } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import { packageRoot } from "../library/package.ts";
import { startOf } from "../process/table.ts";
import { writeErrand } from "./errand.ts";
import { LOG } from "../process/folder.ts";
import { newName } from "../home/new-name.ts";
import { keyOf, sessionName, windowName } from "./names.ts";
import type { Holds } from "./hold.ts";
import { panesOf } from "./panes.ts";
import { makePlace, type TmuxPlace } from "./place.ts";
import { callAt, noteServer, type Server, type TmuxAccess } from "./tmux.ts";

export type OpenedWindow = {
  readonly pane: string;
  /** The first program of the window, which becomes the shim. */
  readonly pid: number;
  readonly server: Server;
  readonly session: string;
  /** What it does first, as a file; of no use when the shim is seen. */
  readonly errand: string;
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
  on: TmuxAccess,
  opening: Opening,
  holds: Pick<Holds, "sessionOf" | "keepSession">,
): Promise<OpenedWindow> {
  const { window } = opening;
  const place = makePlace(on.home, on.env);
  const file = writeErrand(opening);
  const program = ["/bin/sh", join(packageRoot(), "bin", "window.sh"), file];
  const name = `opening-${newName()}`;
  const shown = ["-d", "-P", "-F", TOLD, "-n", name];
  failpoint("terminal.before-window");
  const beside = (session: string | undefined): Promise<string | undefined> | undefined =>
    session === undefined
      ? undefined
      : tried(on, place, [
          "new-window",
          ...shown,
          "-t",
          `${session}:`,
          ...program,
          ...furnished(opening, `${session}:=${name}`),
        ]);
  const apart = (session: string): Promise<string | undefined> =>
    tried(on, place, [
      "new-session",
      ...shown,
      ...SIZE,
      "-s",
      session,
      ...program,
      ...furnished(opening, `=${session}:=${name}`),
    ]);
  const said =
    (await beside(holds.sessionOf(window.session))) ??
    (await beside((await panesOf(on))?.find(({ sessionOf }) => sessionOf === window.session)?.session)) ??
    (await apart(sessionName(window))) ??
    // The session is gone again, or somebody has given its name to another one.
    (await apart(`${sessionName(window)}-${newName()}`));
  failpoint("terminal.after-window");
  if (said === undefined) throw new Error(`tmux opens no window for ${opening.launch.id}`);
  const [pane = "", pid = "", server = "", session = ""] = said.trim().split(" ");
  const opened = {
    pane,
    pid: Number(pid),
    server: { pid: Number(server), start: startOf(Number(server)) ?? "" },
    session,
    errand: file,
  };
  noteServer(place, opened.server);
  holds.keepSession(window.session, opened);
  return opened;
}

/** The rest of the call: whose the window is, its log, and the name that people see. */
function furnished({ launch, window }: Opening, target: string): readonly string[] {
  const set = (name: string, value: string, ...flags: readonly string[]): readonly string[] =>
    // At its end it would be the end of the command.
    ["set-option", ...flags, "-t", target, name, value.replace(/;$/, "\\;")];
  const log = `exec cat >>${quoted(join(launch.dir, LOG))}`;
  const commands: readonly (readonly string[])[] = [
    // Somebody may just have let the server go.
    ["set-option", "-s", "exit-empty", "off"],
    set("@signalbox_session", window.session),
    set("@signalbox_job", launch.id, "-p"),
    set("@signalbox_run", window.session, "-p"),
    set("@signalbox_key", keyOf(window.name), "-p"),
    ["pipe-pane", "-t", target, log],
    ["rename-window", "-t", target, windowName(window)],
  ];
  return commands.flatMap((command) => [";", ...command]);
}

/** Safe in a format of tmux, which runs commands, and in the shell that it starts. Most paths are so as they are, and take no process. */
function quoted(path: string): string {
  if (/^[A-Za-z0-9/._-]+$/.test(path)) return path;
  const signs = Array.from(Buffer.from(path), (byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `"$(printf '${signs.join("")}')"`;
}

async function tried(on: TmuxAccess, place: TmuxPlace, args: readonly string[]): Promise<string | undefined> {
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
