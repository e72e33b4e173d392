/** The drivers by their names: how each reads what its program prints. */

import { join } from "node:path";
import { DRIVER_FILE } from "../../engine/ports/drivers.ts";
import type { DriverName } from "../../format/settings/config.ts";
import { textOfOwn } from "../home/own-file.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { clipped, type LineReader } from "./lines.ts";
import { opencode } from "./opencode.ts";

const READERS: Readonly<Record<DriverName, () => LineReader>> = { claude, codex, gemini, opencode, command };

const NAME_BYTES_MAX = 100;

/** How the log of a job is read: by the driver that its turn began with, whatever the settings are now. Undefined for lines as they are. */
export function readerIn(dir: string): LineReader | undefined {
  const driver = textOfOwn(join(dir, DRIVER_FILE), NAME_BYTES_MAX) ?? "command";
  return driver === "command" ? undefined : readerFor(driver);
}

/** A name that this version does not know is that of a program without a driver. */
export function readerFor(driver: string): LineReader {
  const found = Object.entries(READERS).find(([name]) => name === driver);
  return (found?.[1] ?? command)();
}

/** Any other program: its lines are texts, and nothing is known of its failures. */
function command(): LineReader {
  return { take: (line) => [{ type: "text", text: clipped(line) }], end: () => [] };
}
