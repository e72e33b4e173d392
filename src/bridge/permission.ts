/**
 * What becomes of a request for permission: allowed, denied, or a person is asked.
 *
 * Reads and calls of `signalbox` are always allowed. A role that may only read may also write in its own checkout, which is thrown
 * away; everything else is denied to it. For a role that may write, changes in its workspace are allowed, and a person is asked for the
 * rest, unless the harness allows all of it.
 */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { call } from "../app/client.ts";
import { UserError } from "../app/failure.ts";
import type { Invocation } from "../app/invocation.ts";
import { isOwnCall, isReadOnly } from "./shell.ts";

export type ToolRequest = {
  /** As ACP has it: read, search, think, edit, delete, move, execute, fetch, switch_mode, other. */
  readonly kind: string;
  /** The command line of a shell; empty for any other tool. */
  readonly command: string;
  /** Files that it is about. */
  readonly paths: readonly string[];
  /** The tool is one of Signalbox's own. */
  readonly isOwn: boolean;
};

export type PermissionPolicy = {
  readonly access: "read" | "write";
  readonly permissions: "ask" | "allow";
  readonly cwd: string;
  /** More folders that an agent may write that may write at all. */
  readonly folders: readonly string[];
};

const HARMLESS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const CHANGES: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

export function judge(
  { kind, command, paths, isOwn }: ToolRequest,
  { access, permissions, cwd, folders }: PermissionPolicy,
): "allow" | "deny" | "ask" {
  if (isOwn || HARMLESS.has(kind)) return "allow";
  if (command !== "" && (isOwnCall(command) || isReadOnly(command))) return "allow";
  const own = [cwd, ...(access === "write" ? folders : [])].filter((folder) => existsSync(folder));
  const isInside =
    paths.length > 0 && paths.every((path) => own.some((folder) => isBelow(resolve(cwd, path), folder)));
  if (CHANGES.has(kind) && isInside) return "allow";
  if (access === "read") return "deny";
  return permissions === "allow" ? "allow" : "ask";
}

/** By real paths, as far as they exist. What git runs by itself is not the agent's to change without a person. */
function isBelow(path: string, folder: string): boolean {
  const root = realpathSync(folder);
  const real = realPath(path);
  const inner = real.slice(root.length + 1).split("/");
  return real.startsWith(`${root}/`) && !inner.includes(".git");
}

function realPath(path: string): string {
  return existsSync(path) || path === "/"
    ? realpathSync(path)
    : join(realPath(dirname(path)), basename(path));
}

export type PermissionOutcome = "allow" | "always" | "deny" | "dropped";
export type AskPerson = (tool: string, input: string, signal: AbortSignal) => Promise<PermissionOutcome>;

const POLL_MS = 200;
const POLL_MS_MAX = 2000;
const FAILURES_MAX = 30;

/** Asks through the supervisor, again and again under one id, until a person has answered. */
export function personAsked(door: Invocation): AskPerson {
  return async (tool, input, signal) => {
    const id = `p-${idOf(8)}`;
    let failures = 0;
    for (let wait = POLL_MS; !signal.aborted; wait = Math.min(wait * 1.5, POLL_MS_MAX)) {
      try {
        const { status } = (await call(door, "ask-permission", { id, tool, input })).data;
        if (status !== "open") return status;
        failures = 0;
      } catch (error) {
        failures += 1;
        // Refused: the run is over, or another attempt counts. Anything else may pass.
        if (error instanceof UserError && REFUSALS.has(error.code)) return "dropped";
        if (failures > FAILURES_MAX) throw error;
      }
      await pause(wait, signal);
    }
    return "dropped";
  };
}

const REFUSALS: ReadonlySet<string> = new Set([
  "stale",
  "finished",
  "not-your-role",
  "not-in-map",
  "invalid",
  "no-token",
  "unknown-token",
  "stolen-token",
  "bad-usage",
  "unknown-run",
]);

function idOf(length: number): string {
  const signs = "abcdefghijklmnopqrstuvwxyz0123456789";
  return Array.from(crypto.getRandomValues(new Uint32Array(length)), (n) => signs[n % signs.length]).join("");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
