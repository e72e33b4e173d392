/** Runs in words: the same ones in every command. */

import type { Actor, Incoming } from "../../core/model/event.ts";

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

/** `2026-01-31 14:05:59`, in the time zone of the caller. */
export function sayTime(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** `2026-01-31 14:05:59Z`: for files, which others read elsewhere. */
export function sayUtc(at: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(at) ? `${at.slice(0, 10)} ${at.slice(11, 19)}Z` : at;
}

/** `14:05:59`, in the time zone of the caller. */
export function sayClock(at: string): string {
  return sayTime(at).slice(-"14:05:59".length);
}

export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A title of a workflow speaks of a person; a screen speaks to one. */
export function toYou(title: string): string {
  return title
    .replaceAll(/\b([Aa]) person's\b/g, (_all, a: string) => (a === "A" ? "Your" : "your"))
    .replaceAll(/\ba person\b/g, "you");
}

/** Ends with a full stop, unless its last character ends it, or it ends with a command. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?:"]$/.test(trimmed) || /signalbox [^.]*$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** `Worker`: a role as a sentence begins with it. */
export function sayRole(role: string): string {
  return capitalised(role);
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

/** The first line of a text that may be long, without characters that control a terminal. */
export function firstLine(text: string, max = 80): string {
  const [first = ""] = withoutColours(text).trim().split("\n");
  const line = first.replaceAll(/(?!\t)\p{Cc}/gu, "\uFFFD");
  return line.length > max ? `${line.slice(0, max - 3)}...` : line;
}

/** A text in one line, without colours and other characters that control a terminal. */
export function inOneLine(text: string): string {
  return withoutColours(text)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** An agent copies what a command printed in its terminal: colours are no part of what it says. */
export function withoutColours(text: string): string {
  return text.replaceAll(COLOURS, "");
}

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[\d;:]*m/g;

/** An agent, and how it has ended, in words. */
export function agentName({ role, slot }: { readonly role: string; readonly slot: string }): string {
  return slot === "" ? role : `${role}/${slot}`;
}

/** What a shell gives for a program that is not there, or cannot be run. */
const UNSTARTED: ReadonlySet<number> = new Set([126, 127]);

export function sayEnd({ cause, code }: Extract<Incoming, { type: "agent-ended" }>): string {
  if (code === undefined) return `ended: ${cause}`;
  const how = cause === "exited" && UNSTARTED.has(code) ? "its program did not start" : cause;
  return `ended: ${how} (exit code ${code})`;
}

/** A section may have been submitted with or without its heading. */
export function withoutHeading(section: string): string {
  return section.replace(/^\s*## .*\n/, "").trim();
}
