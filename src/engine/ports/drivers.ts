/** Agent programs: how a turn of each is started, and what it says about the turn, whatever format it prints. */

import type { ProgramFailure, TokenUsage } from "../../core/model/event.ts";
import type { Role } from "../../core/model/workflow.ts";
import type { Effort } from "../../core/model/vocabulary.ts";
import type { DriverName } from "../../format/settings/config.ts";
import type { JobRow } from "./registry.ts";
import type { Harness } from "./settings.ts";

/** What a driver needs to start a turn. */
export type Turn = {
  /** The options of the person: program, arguments, command lines. */
  readonly harness: Harness;
  readonly access: Role["access"];
  /** Empty: the default of the program. */
  readonly model: string;
  readonly effort: Effort | "";
  /** Of the attempt. */
  readonly isFirst: boolean;
  /** A UUID that is the same for all turns of an attempt, for programs that take a name. */
  readonly session: string;
  /** The id that the program printed in an earlier turn; empty where the turn begins a conversation. */
  readonly conversation: string;
  readonly seat: JobRow["seat"];
  /** Path of the file. */
  readonly prompt: string;
  readonly run: string;
  readonly role: string;
  /** The folder that the program works in. */
  readonly workspace: string;
  /** What the work itself needs: where a program with a sandbox of its own must let its commands write. */
  readonly folders: readonly string[];
  /** Whether the program runs in our sandbox, and needs none of its own. */
  readonly isConfined: boolean;
};

/**
 * One agent program.
 *
 * Contract: `argv` is the whole command line of a turn, with the program first. A conversation that the turn names is continued. No value
 * of a turn becomes an option of its own. `reader` reads what the program prints with that command line.
 */
export type Driver = {
  readonly name: DriverName;
  /** What the program is called unless a harness says otherwise; empty for the driver `command`. */
  readonly program: string;
  argv(turn: Turn): readonly string[];
  reader(): LineReader;
  /** Names of variables that only this program gets: its keys, and where it has its settings. */
  readonly env: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** The effort levels that the program has a flag for. */
  readonly efforts: readonly Effort[];
  /** Whether it can stay in a terminal for all turns of an attempt. */
  readonly canStay: boolean;
  /** Whether a command line can name a server of tools (MCP). */
  readonly takesTools: boolean;
  /** Paths of the person's files that hold the settings and the login of the program that is started; some may be missing. */
  files(env: Readonly<Record<string, string>>, program: string): ProgramFiles;
  /** Arguments that print the version; empty where nothing is known of the program. */
  readonly version: readonly string[];
  /** Arguments with which it exits 0 only if the person is logged in; undefined where the program has none. */
  readonly login: readonly string[] | undefined;
  /** What a person types to log in; empty if that is not known. */
  readonly logIn: string;
};

export type ProgramFiles = {
  readonly settings: readonly string[];
  readonly credentials: readonly string[];
};

/**
 * Reads the lines of one turn in order, and may remember earlier ones.
 *
 * Contract: any line gives at most `EVENTS_MAX` events with texts of at most `TEXT_MAX` characters, and never an error. A line that the
 * reader does not know gives no event, because a newer version of a program may print it. `end` gives what is left when nothing follows.
 */
export type LineReader = {
  take(line: string): readonly AgentEvent[];
  end(): readonly AgentEvent[];
};

/** In the folder of a turn: the name of the driver that reads its log. Without the file, nothing is known of the program. */
export const DRIVER_FILE = "driver";

/** In the folder of a turn that goes on with a conversation: its prompt for a program that finds it cannot. */
export const ANEW_FILE = "anew.md";

/** In the folder of a turn: with what settings it was started, as `TurnSettings` in JSON. */
export const SETTINGS_FILE = "turn.json";

/** `model` is empty where the program chose. */
export type TurnSettings = { readonly harness: string; readonly model: string };

/** What the log and the folder of a turn say of it. */
export type TurnLog = TurnSettings & {
  readonly conversation: string;
  readonly usage?: TokenUsage;
  /** In dollars, as the program says. */
  readonly cost?: number;
  /** The failure with which the program ended the turn. */
  readonly failure?: ProgramFailure;
  readonly refused: readonly string[];
  /** When its process ended, in milliseconds since 1970; missing if nothing recorded it. */
  readonly endedAt?: number;
};

/**
 * The drivers, and what the logs of turns say.
 *
 * Contract: `conversation` returns the name that the program gave its conversation, as the latest of these turns of the driver
 * printed it, and an empty text if none did. It reads the beginning of each log only, and is safe to use as an argument of a program. `failure` returns the failure with
 * which the program ended the turn; undefined if it ended in another way, or if nothing is known of the program. `report` tells of the last of these
 * turns of one attempt; the earlier ones say what a program that counts the whole conversation had used before. It reads a bounded part of each
 * log, and leaves out what the program did not print.
 */
export type Drivers = {
  of(name: DriverName): Driver;
  conversation(driver: DriverName, turnDirs: readonly string[]): string;
  failure(turnDir: string): ProgramFailure | undefined;
  report(turnDirs: readonly string[]): TurnLog;
};

export type AgentEvent =
  | { readonly type: "conversation"; readonly id: string }
  | { readonly type: "model"; readonly name: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-started"; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: "tool-ended"; readonly id: string; readonly isOk: boolean; readonly output: string }
  | { readonly type: "file-changed"; readonly path: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "refused"; readonly tool: string; readonly reason: string }
  | { readonly type: "notice"; readonly text: string }
  | ({ readonly type: "failure" } & ProgramFailure)
  | { readonly type: "turn-ended" };

/** `cached` is a part of `input`; a cost is in dollars. */
export type Usage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost?: number;
  /** *step*: a part of the turn, which has several. *conversation*: everything since it began, earlier turns too. Otherwise the turn. */
  readonly of?: "step" | "conversation";
};
