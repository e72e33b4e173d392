/**
 * Harnesses that work without settings for a person who has the program installed.
 *
 * Each is one process for each turn: a program that ends is noticed at once, whereas one that waits at a dialog in a terminal
 * looks like one that works. None asks anything, and each prints as it works, so that silence means something. None may do more
 * than a worker in its own workspace needs; docs/harnesses.md says where a program offers no such middle way.
 */

import type { HarnessFile } from "../../format/settings/config.ts";

export const BUILT_IN_HARNESSES: Readonly<Record<string, HarnessFile>> = {
  claude: { driver: "claude" },
  codex: { driver: "codex" },
  gemini: { driver: "gemini" },
  opencode: { driver: "opencode" },
};
