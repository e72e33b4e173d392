/** What went wrong, in the words of every door: of the user, of git, of the disk, or ours. */

import { readable, UserError } from "../adapters/user-error.ts";
import { whyNotWritten } from "../adapters/home/reasons.ts";
import { closest } from "../core/text/closest.ts";
import { EXIT_BUG, EXIT_FAILED } from "./exit-codes.ts";

/** What doors throw and catch, how they suggest the word that was meant, and say why something was not written. */
export { closest, readable, UserError, whyNotWritten };

/** `known` are the names of the options that there are. */
export function unknownOption(option: string, known: readonly string[], help: string): UserError {
  const meant = closest(
    option,
    known.map((name) => `--${name}`),
  );
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return new UserError("bad-usage", `there is no option ${option}${hint}`, help);
}

export type Failure = {
  readonly exit: number;
  /** Stable, for programs. */
  readonly code: string;
  readonly message: string;
  readonly data: () => Readonly<Record<string, unknown>>;
  readonly next: string;
  /** Empty unless it is a bug of ours. */
  readonly stack: string;
};

/** Where it was typed. */
type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> };

/** Some messages quote what was typed. */
const MESSAGE_MAX = 600;

export async function failureOf(error: unknown, place: Place): Promise<Failure> {
  if (error instanceof UserError) return ofUser(error, place.cwd);
  return ofGit(error) ?? (await ofDisk(error, place)) ?? ofBug(error);
}

function ofUser({ code, message, next, exit, at }: UserError, cwd: string): Failure {
  return {
    exit,
    code,
    message: clip(shortened(message, cwd)),
    data: () => (at === undefined ? {} : { at }),
    // With -C, git reads relative paths from another folder.
    next: next.includes("git -C ") ? next : shortened(next, cwd),
    stack: "",
  };
}

/** Paths are shown as people would type them in the folder `cwd`. Another path may have its name in the middle. */
function shortened(text: string, cwd: string): string {
  const [first = "", ...others] = text.split(`${cwd}/`);
  return others.reduce((all, part) => `${all}${PATH_BEFORE.test(all) ? `${cwd}/` : ""}${part}`, first);
}

const PATH_BEFORE = /[^\s"'`(=:,]$/;

function clip(message: string): string {
  return message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX)}...` : message;
}

/** Known by its name: most commands never load what calls git. That git fails is the machine's or the repository's, and its words say which. */
function ofGit(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || error.name !== "GitError") return undefined;
  const message = clip(error.message.trim().replaceAll(/\s*\n\s*/g, "; "));
  return {
    exit: EXIT_FAILED,
    code: "git-failed",
    message,
    data: () => ({}),
    next: "signalbox doctor",
    stack: "",
  };
}

/** A write that failed. A full disk is not a bug of Signalbox. */
async function ofDisk(error: unknown, { cwd, env }: Place): Promise<Failure | undefined> {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (error.code !== "ENOSPC" && error.code !== "EDQUOT") return undefined;
  const { noRoom } = await import("../adapters/home/room.ts");
  const { homeOf } = await import("../adapters/home/paths.ts");
  // What is written to an open file is told without its name: it is most likely one of ours.
  const path = "path" in error && typeof error.path === "string" ? error.path : homeOf(env)?.database;
  return path === undefined ? undefined : ofUser(noRoom(path), cwd);
}

function ofBug(error: unknown): Failure {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `this is a bug in signalbox: ${error instanceof Error ? error.message : String(error)}`;
  return {
    exit: EXIT_BUG,
    code: "bug",
    message,
    data: () => ({}),
    next: "report it, with what you typed and the stack trace",
    stack: `${stack}\n`,
  };
}

/** What was typed cannot be meant. */
export function badUsage(message: string, next: string): UserError {
  return new UserError("bad-usage", message, next);
}

/** The code of a refusal that a door may answer with a question for words. */
export const NEEDS_TEXT = "needs-text";

export function isUnknownRun(error: unknown): boolean {
  return error instanceof UserError && error.code === "unknown-run";
}
