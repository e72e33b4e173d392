/** Runs in words: the same ones in every command. */

import type { Actor } from "../../core/event.ts";
import type { RunRow } from "../../engine/ports/journal.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4 min`; a clock that was set back gives none. */
export function sayAge(since: string | number, now: number): string {
  const begun = typeof since === "number" ? since : Date.parse(since);
  const seconds = Math.max(0, Math.floor((now - begun) / 1000));
  if (Number.isNaN(seconds)) return "unknown";
  if (seconds < MINUTE) return `${seconds} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} days`;
}

/** `2026-01-31 14:05:59Z`. */
export function sayTime(at: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(at) ? `${at.slice(0, 10)} ${at.slice(11, 19)}Z` : at;
}

export function sayActor(actor: Actor): string {
  switch (actor.type) {
    case "human":
      return actor.name ?? "a person";
    case "engine":
      return "engine";
    case "agent":
      return `${actor.role}${actor.slot === "" ? "" : `/${actor.slot}`}`;
  }
}

/** One word, or two. */
export function sayStatus({
  status,
  attention,
  halted,
  queued = false,
}: Pick<RunRow, "status" | "attention" | "halted"> & { readonly queued?: boolean }): string {
  if (isOver(status)) return status;
  if (attention !== "") return "needs attention";
  if (halted) return "halted";
  if (queued) return "queued";
  return status === "waiting" ? "waits for you" : status;
}

/** Also what is damaged: nothing happens to it any more. */
function isOver(status: string): boolean {
  return status !== "running" && status !== "waiting";
}

/** The first line of a text that may be long. */
export function firstLine(text: string, max = 80): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > max ? `${line.slice(0, max - 3)}...` : line;
}
