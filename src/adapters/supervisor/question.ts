/**
 * A question of an agent's command, and whether it is that of the process which it names.
 *
 * Nothing that comes over the socket is believed: anybody of the same user can write to it. The process that is named must be a
 * command of this program with exactly these arguments, in this folder, with these variables, and under its own key. So all that
 * somebody could bring about by naming another process is what that process asks for anyway, once.
 */

import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { envOfBlock } from "../person/marks.ts";
import { keyOfProcess, PROTOCOL, VARIABLES, type Question } from "./wire.ts";

/** Whether the kernel tells of other processes. */
export const hasProc = existsSync("/proc/self/stat");

/** `undefined` for what is no question. */
export function questionOf(value: unknown): Question | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [protocol, version, pid] = [fields.get("protocol"), fields.get("version"), fields.get("pid")];
  const [key, argv, cwd] = [fields.get("key"), fields.get("argv"), fields.get("cwd")];
  const env = variablesIn(fields.get("env"));
  if (typeof protocol !== "number" || typeof version !== "string" || typeof cwd !== "string")
    return undefined;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof key !== "string" || env === undefined || !isTexts(argv)) return undefined;
  return { protocol, version, pid, key, argv, cwd, env };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function variablesIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string" || !VARIABLES.some((known) => known === name)) return undefined;
    env[name] = text;
  }
  return env;
}

/** What a process asks for that has said nothing but who it is: everything else is what the kernel tells. */
export function questionOfProcess(pid: number): Question | undefined {
  try {
    const own = envOfBlock(readFileSync(`/proc/${pid}/environ`, "utf8"));
    const given = VARIABLES.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
    const [, , ...argv] = wordsOf(pid);
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    const key = keyOfProcess(pid);
    // Of a folder that is gone, the command speaks.
    if (key === undefined || cwd.endsWith(" (deleted)")) return undefined;
    const env = Object.fromEntries(given);
    return { protocol: PROTOCOL, version: SIGNALBOX_VERSION, pid, key, argv, cwd, env };
  } catch {
    // It has ended, or is not for us to look at.
    return undefined;
  }
}

function wordsOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
}

/** Where the kernel tells nothing of other processes, an agent is known by its token and its variables alone, here as everywhere. */
export function isAskedBy(question: Question, programs: readonly string[]): boolean {
  const { pid, key, argv, cwd, env } = question;
  if (!hasProc) return true;
  try {
    const own = envOfBlock(readFileSync(`/proc/${pid}/environ`, "utf8"));
    const [, script = "", ...words] = wordsOf(pid);
    return (
      // By its name alone: nothing is opened that whoever asks could have put there.
      programs.includes(resolve(cwd, script)) &&
      words.length === argv.length &&
      words.every((word, at) => word === argv[at]) &&
      readlinkSync(`/proc/${pid}/cwd`) === cwd &&
      VARIABLES.every((name) => own[name] === env[name]) &&
      keyOfProcess(pid) === key
    );
  } catch {
    // It has ended, or is not for us to look at.
    return false;
  }
}
