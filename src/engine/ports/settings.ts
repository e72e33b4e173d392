/** How agents are called, and how people are told. */

import type { Effort } from "../../core/model/vocabulary.ts";
import type { DriverName, Permissions } from "../../format/settings/config.ts";
import type { Reach } from "./sandbox.ts";
import type { Prices } from "../../format/settings/prices.ts";

/** How an agent is called: a driver, and the options of a person. */
export type Harness = {
  readonly name: string;
  readonly driver: DriverName;
  /** The program, with arguments before those of the driver where it is called through another one. */
  readonly program: readonly string[];
  /** More arguments, after those of the driver. */
  readonly arguments: readonly string[];
  /** For roles that do not ask for another one; may be empty, as may the effort. */
  readonly model: string;
  readonly effort: Effort | "";
  /** More folders that the agent may read and write with the tools of its program. */
  readonly folders: readonly string[];
  /** Files that its command lines name: those of the person anywhere, those of the repository below itself. */
  readonly files: readonly string[];
  /** Whether the program starts `signalbox mcp` for its tools. */
  readonly mcp: boolean;
  /** For a program that asks: whether a person is asked, or all of it is allowed. */
  readonly permissions: Permissions;
  /** Whether a persistent role has the program in a terminal for all its turns, where there are terminals. */
  readonly stays: boolean;
  /** For the second and later turns of one attempt; without it, the same command. */
  readonly again: readonly string[] | undefined;
  /** How the program is called where it has a terminal and stays; without it, a process for each turn. */
  readonly terminal: readonly string[] | undefined;
  /** For an agent that goes on in a terminal; without it, the same as in the first one. */
  readonly terminalAgain: readonly string[] | undefined;
  /** Names of variables that are handed on, beyond those that every agent gets. */
  readonly env: readonly string[];
  /** Variables with a fixed value. */
  readonly set: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly minutes: number | undefined;
  readonly stallMinutes: number | undefined;
};

export type Settings = {
  harness(name: string): Harness | undefined;
  readonly harnesses: readonly string[];
  /** Commands for checks, by name; a check whose command is no name here is run as it is written in the trusted workflow. */
  readonly checks: Readonly<Record<string, string>>;
  /** Names of variables handed on to every agent and check. */
  readonly env: readonly string[];
  readonly minutes: number;
  readonly stallMinutes: number;
  /** *auto*: agents have terminals where there are any. */
  readonly terminal: "auto" | "none";
  /** *strict*: an agent program that was replaced since the run began stops the run; *note*: the history says so. */
  readonly pin: "note" | "strict";
  /** *auto*: in a sandbox where one works; *required*: or not at all. */
  readonly sandbox: "off" | "auto" | "required";
  readonly reach: Reach;
  readonly workspace: {
    /** Whose the engine's commits are; the user's git identity where it is undefined. */
    readonly author: { readonly name: string; readonly email: string } | undefined;
    /** A template of the message of the engine's commits. */
    readonly message: string;
    /** Run in a new workspace before the first agent; empty for none. */
    readonly setup: readonly string[];
    /** Whether the default branch is fetched before work begins from it. */
    readonly fetch: boolean;
    /** At most so many workspaces of the repository. */
    readonly max: number;
    /** Less room than this on the disk, in megabytes: no workspace is made. */
    readonly minFreeMb: number;
  };
  /** Those that are built in, and the person's own. */
  readonly prices: Prices;
  /** Run when a person is asked; empty for none. */
  readonly notify: readonly string[];
};

export type Notifier = {
  /** The command is the person's own; without one, nothing happens. */
  ask(of: {
    readonly command: readonly string[];
    readonly run: string;
    readonly id: string;
    readonly question: string;
  }): Promise<void>;
};
