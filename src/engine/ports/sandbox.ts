/** The sandbox: what an agent, a check or a set-up command can reach on the machine. */

import type { ProgramFiles } from "./drivers.ts";

/** What a person's own settings add to the cells of a project. */
export type Reach = {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly devices: readonly string[];
};

/** A process that is confined. Paths are the same inside and outside, and everything that is not named or of the system is missing inside. */
export type Confinement = {
  /** The user's repository, whose mirror is borrowed from and whose caches are shared. */
  readonly repo: string;
  /** A turn may call Signalbox; a check and a set-up command may not. */
  readonly kind: "turn" | "check";
  readonly writable: readonly string[];
  /** After `writable`: a folder in one that is writable becomes read-only. */
  readonly readable: readonly string[];
  /** What a harness or a command names. Nothing of it shows the state home, the settings, or what a link in the repository leads to. */
  readonly named: Pick<Reach, "read" | "write">;
  /** A folder for what the process keeps: its home folder, its temporary files. The same for all turns of an attempt. */
  readonly keep: string;
  /** What is started, where the command line begins with another program, which starts it. */
  readonly program?: string;
  /** The person's files of the program: its settings are shown read-only, its login as it is. */
  readonly files: ProgramFiles;
  readonly reach: Reach;
};

export type SandboxState =
  | { readonly works: true }
  /** In words, and what to do about it. */
  | { readonly works: false; readonly why: string; readonly next: string };

/** Contract: `state` starts a sandbox the first time, and tells what came of it. A launch with a cell runs in one, or not at all. */
export type Sandbox = { state(): SandboxState };
