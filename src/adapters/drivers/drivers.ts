/** The drivers by their names. */

import { join } from "node:path";
import { DRIVER_FILE, type Driver, type LineReader } from "../../engine/ports/drivers.ts";
import type { DriverName } from "../../format/settings/config.ts";
import { textOfOwn } from "../home/own-file.ts";
import { acp } from "./acp.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { command } from "./command.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

const DRIVERS: Readonly<Record<DriverName, Driver>> = { claude, codex, gemini, opencode, acp, command };

const NAME_BYTES_MAX = 100;

export function driverOf(name: DriverName): Driver {
  return DRIVERS[name];
}

/** How the log of a job is read: by the driver that its turn began with, whatever the settings are now. Undefined for lines as they are. */
export function readerIn(dir: string): LineReader | undefined {
  const driver = driverNameIn(dir);
  return driver === "command" ? undefined : readerFor(driver);
}

export function driverNameIn(dir: string): string {
  return textOfOwn(join(dir, DRIVER_FILE), NAME_BYTES_MAX) ?? "command";
}

/** A name that this version does not know is that of a program without a driver. */
export function readerFor(name: string): LineReader {
  const found = Object.values(DRIVERS).find((driver) => driver.name === name) ?? command;
  return found.reader();
}
