/** Which processes there are, and who they are: `/proc` where there is one, `ps` elsewhere. */

import { existsSync } from "node:fs";
import { bootOfProc, hasTerminalInProc, startInProc, tableOfProc } from "./proc.ts";
import { bootOfPs, hasTerminalInPs, startInPs, tableOfPs } from "./ps.ts";

export type Seen = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With the pid and the boot, this names a process for ever. */
  readonly start: string;
  /** The job's mark from its environment; empty where it has none, or where we may not look. */
  readonly mark: string;
  /** What it was started with, word by word; told only where there is a mark. */
  readonly command: readonly string[];
};

/**
 * Only who began at `since` or later: children are never older than their parents. Whoever was seen to be older is noted, and not
 * looked at again.
 */
export type Younger = { readonly since: string; readonly older: Set<number> };

const hasProc = existsSync("/proc/self/stat");
let boot: string | undefined;

/** Everything alive. What is dead and only waits to be noticed by its parent is left out. */
export function processTable(only?: Younger): readonly Seen[] {
  return hasProc ? tableOfProc(only) : tableOfPs();
}

/** The start time of a live process. */
export function startOf(pid: number): string | undefined {
  return hasProc ? startInProc(pid) : startInPs(pid);
}

/** Whether a live process still has a terminal: one that was closed is taken away from everybody in it. */
export function hasTerminal(pid: number): boolean {
  return hasProc ? hasTerminalInProc(pid) : hasTerminalInPs(pid);
}

/** Another one after every start of the machine. */
export function bootId(): string {
  boot ??= hasProc ? bootOfProc() : bootOfPs();
  return boot;
}
