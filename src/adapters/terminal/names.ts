/**
 * What people see of sessions and windows. Nothing is addressed by it, and nothing in it means anything to tmux: a format would run
 * commands, a colon or a dot is changed, a dash in front is an option.
 */

import { sha256 } from "../../format/sha256.ts";
import type { Window } from "../../engine/ports/process.ts";

const TITLE_MAX = 60;
const NAME_MAX = 40;
const KEY_DIGITS = 16;

export function sessionName({ title, session }: Window): string {
  const end = `~${safe(session, NAME_MAX)}`;
  const said = title.endsWith(`~${session}`) ? title.slice(0, -session.length - 1) : title;
  return `${safe(said, TITLE_MAX)}${end}`;
}

export function windowName({ name }: Window): string {
  return safe(name, NAME_MAX);
}

/** The same for the same name, whatever was left out of it for people. */
export function keyOf(name: string): string {
  return sha256(name).slice(0, KEY_DIGITS);
}

function safe(text: string, max: number): string {
  const clean = text
    .slice(0, max * 4)
    .replace(/[^\p{L}\p{N}/_-]+/gu, "-")
    .replace(/^-+/, "");
  return Array.from(clean).slice(0, max).join("") || "_";
}
