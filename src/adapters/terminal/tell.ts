/**
 * Types a text into the terminal of a job: one paste, a pause, then Enter.
 *
 * Whether the pane is still the one of the shim, and alive, is asked by the server in the same turn in which it pastes: up to
 * tmux 3.3a, a paste into a dead pane ends the whole server. Nothing in the text commands a terminal.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Told } from "../../engine/ports/process.ts";
import { failpoint } from "../failpoint.ts";
import { newName } from "../home/new-name.ts";
import type { Hold } from "./hold.ts";
import { makePlace } from "./place.ts";
import { callTmux, noteServer, tmuxProgram, type TmuxAccess } from "./tmux.ts";

export type TypedMessage = {
  readonly hold: Hold;
  readonly text: string;
  /** Programs take what comes faster than anybody types for a part of the paste. */
  readonly pauseMs: number;
};

export async function tellPane(on: TmuxAccess, { hold, text, pauseMs }: TypedMessage): Promise<Told> {
  // The program is there, and whoever has taken tmux away should know that it cannot be told.
  tmuxProgram(on.env);
  // Where it was tidied away, or whoever opened the window was killed over it.
  noteServer(makePlace(on.home, on.env), hold.server);
  const typed = typeable(text);
  const buffer = `signalbox-${newName()}`;
  const { pane } = hold;
  failpoint("terminal.before-paste");
  const paste = `paste-buffer -p -r -d -b ${buffer} -t ${pane}`;
  const pasted =
    typed === "" ||
    (await inPane(on, hold, {
      before: ["load-buffer", "-b", buffer, "-", ";"],
      input: typed,
      deed: paste,
      otherwise: `delete-buffer -b ${buffer}`,
    }));
  failpoint("terminal.between-paste");
  if (!pasted) return "gone";
  await pause(pauseMs);
  // Without Enter nobody acts on it, and whoever could have is gone: nothing was sent.
  const entered = await inPane(on, hold, { deed: `send-keys -t ${pane} Enter` });
  failpoint("terminal.after-paste");
  return entered ? "told" : "gone";
}

/** Only signs: no escape sequence, no key, no end of a paste. Line ends are line feeds. */
export function typeable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

type Order = {
  readonly before?: readonly string[];
  readonly input?: string;
  readonly deed: string;
  readonly otherwise?: string;
};

/** Whether it was done. Modes that a person has left open would take the keys. */
async function inPane(on: TmuxAccess, { pane, server, shim }: Hold, order: Order): Promise<boolean> {
  const isOurs = all([
    `#{==:#{pid},${server.pid}}`,
    `#{==:#{pane_pid},${shim?.pid ?? 0}}`,
    "#{==:#{pane_dead},0}",
  ]);
  const ready = `if-shell -F -t ${pane} "#{pane_in_mode}" "copy-mode -q -t ${pane}" ; if-shell -F -t ${pane} "#{pane_input_off}" "select-pane -e -t ${pane}"`;
  const yes = `${ready} ; ${order.deed} ; display-message -p done`;
  const no = `${order.otherwise === undefined ? "" : `${order.otherwise} ; `}display-message -p gone`;
  const { code, out, err } = await callTmux(on, {
    args: [...(order.before ?? []), "if-shell", "-F", "-t", pane, isOurs, yes, no],
    ...(order.input === undefined ? {} : { input: order.input }),
  });
  if (code === 0 && out === "done\n") return true;
  if (code === 0 && out === "gone\n") return false;
  if (/no server|error connecting/.test(err)) return false;
  throw new Error(`tmux did not say whether it has typed: ${err.trim()}`);
}

function all(conditions: readonly string[]): string {
  return conditions.reduce((both, each) => `#{&&:${both},${each}}`);
}
