/** What decides how runs are carried out, besides their definitions: settings, files of `.signalbox`, programs. */

import type { DriverName } from "../../format/settings/config.ts";

/** One value of a file of settings, or the digest of another file that trust covers. `key` is a path in the file, or empty. */
export type PinEntry = { readonly file: string; readonly key: string; readonly value: string };

/** A program file on this machine. Another `mark` means that the file was replaced. */
export type ProgramFile = { readonly place: string; readonly mark: string };

/**
 * Contract: `entries` lists everything that the user's own file and the trusted content of the repository set now; built-in values are not
 * in it. `program` finds the file that a PATH leads to, without starting it. `version` starts it for a moment, and returns an empty text
 * if the program does not say its version.
 */
export type Pins = {
  entries(repo: string): Promise<readonly PinEntry[]>;
  program(name: string, path: string): ProgramFile | undefined;
  version(driver: DriverName, file: ProgramFile): Promise<string>;
};
