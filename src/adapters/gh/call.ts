/**
 * The only place where `gh` is started.
 *
 * It gets the user's variables, because it signs in with their credentials; none of the engine's, and none that say where git works. It
 * is called in a folder of the engine, with the repository named, so that no configuration of a repository is read. It has no terminal
 * and cannot ask. No shell reads a text of a run: each text is one argument, bound to its option by `=`.
 */

import { spawn } from "node:child_process";
import type { Env } from "../home/paths.ts";

export type GhAnswer = { readonly code: number; readonly out: string; readonly err: string };

const LIMIT_MS = 120_000;
const TEXT_MAX = 1024 * 1024;

/** `undefined` where the program is not installed. Throws where it takes too long. */
export async function gh(env: Env, cwd: string, args: readonly string[]): Promise<GhAnswer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<GhAnswer | undefined>();
  // In a group of its own, so that the programs that it starts end with it.
  const child = spawn("gh", args, {
    cwd,
    env: environmentOf(env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const texts = { out: "", err: "" };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, LIMIT_MS);
  child.stdout.on("data", (chunk: Buffer) => (texts.out += clipped(texts.out, chunk)));
  child.stderr.on("data", (chunk: Buffer) => (texts.err += clipped(texts.err, chunk)));
  child.on("error", (error) => {
    clearTimeout(timer);
    if ("code" in error && (error.code === "ENOENT" || error.code === "EACCES")) resolve(undefined);
    else reject(error);
  });
  child.on("close", (code) => {
    clearTimeout(timer);
    if (isLate) reject(new Error(`gh ${args[0] ?? ""} ${args[1] ?? ""} took longer than ${LIMIT_MS} ms`));
    else resolve({ ...texts, code: code ?? -1 });
  });
  return promise;
}

function clipped(text: string, chunk: Buffer): string {
  return text.length >= TEXT_MAX ? "" : chunk.toString("utf8");
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself in that moment.
  }
}

const OURS = /^(?:SIGNALBOX_|GIT_)/;
/** Of its own settings, those that would say something else than what is asked for, or say it in another form. */
const ITS_OWN: ReadonlySet<string> = new Set([
  "GH_REPO",
  "GH_DEBUG",
  "DEBUG",
  "GH_FORCE_TTY",
  "GH_PAGER",
  "PAGER",
]);

function environmentOf(env: Env): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !OURS.test(name) && !ITS_OWN.has(name)) given[name] = value;
  return {
    ...given,
    GH_PROMPT_DISABLED: "1",
    GH_NO_UPDATE_NOTIFIER: "1",
    GH_NO_EXTENSION_UPDATE_NOTIFIER: "1",
    GIT_TERMINAL_PROMPT: "0",
    NO_COLOR: "1",
    LC_ALL: "C",
  };
}
