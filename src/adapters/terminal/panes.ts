/** All panes of the server, by one question. */

import { askTmux, callTmux, type TmuxAnswer, type TmuxAccess } from "./tmux.ts";

export type Pane = {
  readonly server: number;
  readonly session: string;
  /** The run that the session is for; empty for one that is not ours. */
  readonly sessionOf: string;
  readonly window: string;
  readonly pane: string;
  readonly pid: number;
  readonly isDead: boolean;
  /** Undefined where it lives, or was ended by a signal. */
  readonly status: number | undefined;
  /** Its terminal is closed first, how it ended is known a moment later. */
  readonly isSettled: boolean;
  readonly attached: number;
  /** Whose it is: empty for what people opened themselves. */
  readonly job: string;
  readonly run: string;
  readonly key: string;
  readonly name: string;
};

/** The name is last: people may put anything into it. */
const FIELDS = [
  "pid",
  "session_id",
  "@signalbox_session",
  "window_id",
  "pane_id",
  "pane_pid",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
  "session_attached",
  "@signalbox_job",
  "@signalbox_run",
  "@signalbox_key",
  "window_name",
];
const LIST = ["list-panes", "-a", "-F", FIELDS.map((name) => `#{${name}}`).join("|")];

/** Undefined where no server runs. The supervisor waits as long as for any other command: its effect fails without an answer. */
export async function panesOf(on: TmuxAccess): Promise<readonly Pane[] | undefined> {
  return panesIn(await callTmux(on, { args: LIST }));
}

/** The same for a person who looks: a server that stands still is reported soon. */
export async function lookAtPanes(on: TmuxAccess): Promise<readonly Pane[] | undefined> {
  return panesIn(await callTmux(on, { args: LIST, isLook: true }));
}

/** `silent`: there was no answer in time. */
export function panesNow(on: TmuxAccess): readonly Pane[] | undefined | "silent" {
  const answer = askTmux(on, LIST);
  return answer === undefined ? "silent" : panesIn(answer);
}

/** A window that is linked into a second session is listed there, too. */
function panesIn({ code, out, err }: TmuxAnswer): readonly Pane[] | undefined {
  // A server without any session.
  if (code !== 0) return /no current|no sessions/.test(err) ? [] : undefined;
  return out.split("\n").flatMap((line) => {
    const parts = line.split("|");
    if (parts.length < FIELDS.length) return [];
    const [server, session = "", sessionOf = "", window = "", pane = "", pid] = parts;
    const [, , , , , , dead, status = "", signal, attached, job = "", run = "", key = "", ...name] = parts;
    return [
      {
        server: Number(server),
        session,
        sessionOf,
        window,
        pane,
        pid: Number(pid),
        isDead: dead === "1",
        status: dead === "1" && /^\d+$/.test(status) ? Number(status) : undefined,
        isSettled: dead === "1" && (status !== "" || signal !== ""),
        attached: Number(attached),
        job,
        run,
        key,
        name: name.join("|"),
      },
    ];
  });
}
