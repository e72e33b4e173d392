/** The one way in which tests read an artifact, and a review to read. */

import type { Reading } from "../../src/core/model/event.ts";
import type { Reader } from "../../src/core/model/artifact.ts";
import { readArtifact } from "../../src/format/reading/read.ts";

export function read(reader: Reader, content: string | Uint8Array | undefined): Reading {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const artifact = { file: "F", reader, by: ["worker"], fresh: "run", bind: [], block: "low" };
  return readArtifact("it", artifact, { file: "F", bytes, slot: "" });
}

/** Faults as people see them; "ok" where there are none. */
export function faults({ found, faults: list }: Reading): string {
  const shown = list.map(({ at, reason }) => `${at.line}:${at.col} ${reason}`).join("; ");
  return `${found ? "" : "not found: "}${shown === "" ? "ok" : shown}`;
}

export const review: Reader = {
  type: "section",
  heading: "Review",
  any: [],
  all: [],
  verdicts: { PASS: "pass", FAIL: "needs_fix", NEEDS_HUMAN: "needs_human", BLOCKED: "needs_human" },
};

export const under = (...lines: readonly string[]) => ["# Task", "", "## Review", "", ...lines].join("\n");
