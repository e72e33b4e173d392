/**
 * The terminal: another screen, keys as they are pressed, and everything as it was when we leave, however we leave.
 *
 * Only lines that changed are written, each cleared first (a full line leaves the cursor on its last sign), with wrapping off: what a terminal takes for wider than we do
 * disturbs nothing else.
 */

import { isTerminal, print } from "../print.ts";
import type { Size } from "./model.ts";

export type Screen = {
  size(): Size;
  draw(lines: readonly string[]): void;
  /** Everything is drawn anew the next time. */
  forget(): void;
  copy(text: string): void;
  /** Gives the terminal back; `enter` takes it again. */
  leave(): void;
  enter(): void;
  close(): void;
};

export type Listener = {
  readonly onText: (text: string) => void;
  readonly onResize: () => void;
  /** The terminal is gone. */
  readonly onGone: () => void;
};

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[?2004h\u001B[2J";
const LEAVE = "\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l";
const MOUSE_ON = "\u001B[?1000h\u001B[?1006h";
const MOUSE_OFF = "\u001B[?1006l\u001B[?1000l";
const COLUMNS = 80;
const LINES = 24;

/** Both ends must be one: keys come from the one, the other is drawn on. */
export function hasTerminal(): boolean {
  return isTerminal(1) && process.getBuiltinModule("node:tty").isatty(0);
}

export function openScreen(listener: Listener, { mouse }: { readonly mouse: boolean }): Screen {
  const { stdin, stdout } = process;
  let before: readonly string[] = [];
  let isOpen = false;

  const write = (text: string): void => print(1, text, () => listener.onGone());

  function leave(): void {
    if (!isOpen) return;
    isOpen = false;
    write(`${mouse ? MOUSE_OFF : ""}${LEAVE}`);
    stdin.off("data", onData);
    stdin.pause();
    setRaw(false);
  }

  function enter(): void {
    if (isOpen) return;
    isOpen = true;
    before = [];
    setRaw(true);
    stdin.setEncoding("utf8");
    stdin.on("data", onData);
    stdin.resume();
    write(`${ENTER}${mouse ? MOUSE_ON : ""}`);
  }

  function onData(text: string | Buffer): void {
    listener.onText(String(text));
  }

  /** A terminal that is gone cannot be set, and need not be. */
  function setRaw(isRaw: boolean): void {
    try {
      stdin.setRawMode(isRaw);
    } catch {
      listener.onGone();
    }
  }

  const gone = (): void => listener.onGone();
  stdin.on("end", gone);
  stdin.on("error", gone);
  stdout.on("resize", listener.onResize);
  // Before anything is said about why: it would be said to the screen that is going away.
  process.on("uncaughtExceptionMonitor", leave);
  process.on("exit", leave);
  process.on("SIGHUP", gone);
  enter();

  return {
    size: () => ({ columns: stdout.columns || COLUMNS, lines: stdout.rows || LINES }),
    draw(lines) {
      if (!isOpen) return;
      const changed = lines.flatMap((line, at) =>
        before[at] === line ? [] : [`\u001B[${at + 1};1H\u001B[2K${line}\u001B[0m`],
      );
      const below = before.length > lines.length ? `\u001B[${lines.length + 1};1H\u001B[J` : "";
      before = lines;
      write(changed.join("") + below);
    },
    forget() {
      before = [];
      if (isOpen) write("\u001B[2J");
    },
    // The terminal may refuse it, and does not tell.
    copy: (text) => write(`\u001B]52;c;${Buffer.from(text).toString("base64")}\u0007`),
    leave,
    enter,
    close() {
      leave();
      stdin.off("end", gone);
      stdin.off("error", gone);
      stdout.off("resize", listener.onResize);
      process.off("uncaughtExceptionMonitor", leave);
      process.off("exit", leave);
      process.off("SIGHUP", gone);
      stdin.unref();
    },
  };
}
