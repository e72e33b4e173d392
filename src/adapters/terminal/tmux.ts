/**
 * The only place where tmux is started.
 *
 * It talks to the server of one state home, on a socket and with a configuration of ours: nobody's own tmux is touched. Nothing
 * goes through a shell. The environment is what everybody may have, so that a server that is started holds no secrets.
 */

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, lstatSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isHandedOn } from "../../engine/agents/environment.ts";
import { textOfOwn } from "../home/own-file.ts";
import { writePrivate } from "../home/folders.ts";
import type { Env, Home } from "../home/paths.ts";
import { startOf } from "../process/table.ts";
import { UserError } from "../user-error.ts";
import { findPlace, mendFolder, type TmuxPlace } from "./place.ts";

export type TmuxAccess = { readonly home: Home; readonly env: Env };

/** Which server: a pid alone may be another process by now. */
export type Server = { readonly pid: number; readonly start: string };

export type TmuxAnswer = { readonly code: number; readonly out: string; readonly err: string };

export type TmuxCall = {
  readonly args: readonly string[];
  readonly input?: string;
  /** Only a look, for which nobody waits long. */
  readonly isLook?: boolean;
};

const LIMIT_MS = 10_000;
/** Whoever looks stands still meanwhile. */
const LOOK_MS = 3000;
const SOCKET_MS = 1000;
const SERVER_BYTES_MAX = 256;
const EXIT_FAILED = 1;
const NONE: TmuxAnswer = { code: 1, out: "", err: "no server running" };

/** Since then `copy-mode -q`, options of panes and `new-session -e` are as we use them. */
const OLDEST = [3, 2] as const;
const versions = new Map<string, boolean>();

export function hasTmux(env: Env): boolean {
  const program = programIn(env);
  if (program === undefined) return false;
  const known = versions.get(program);
  if (known !== undefined) return known;
  const said = spawnSync(program, ["-V"], { encoding: "utf8", timeout: LOOK_MS }).stdout ?? "";
  // One that was built from the newest source has no number.
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said.replace("master", "99.0")) ?? [];
  const isNew = Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]);
  versions.set(program, isNew);
  return isNew;
}

export function tmuxProgram(env: Env): string {
  const program = programIn(env);
  if (program !== undefined && hasTmux(env)) return program;
  throw new UserError(
    "no-tmux",
    `Agents in terminals need tmux ${OLDEST.join(".")} or newer, and ${program === undefined ? "there is none on the PATH" : `${program} is older`}.`,
    { next: "install tmux, then try again", exit: EXIT_FAILED },
  );
}

/** Asks the server that is there; none is started. Without tmux there is nobody to ask. */
export function callTmux(on: TmuxAccess, call: TmuxCall): Promise<TmuxAnswer> {
  const place = findPlace(on.home);
  return place === undefined || !hasTmux(on.env) ? Promise.resolve(NONE) : callAt(on, place, call);
}

/** May start a server. */
export function callAt(
  on: TmuxAccess,
  place: TmuxPlace,
  { args, input, isLook }: TmuxCall,
): Promise<TmuxAnswer> {
  const program = tmuxProgram(on.env);
  const limitMs = isLook === true ? LOOK_MS : LIMIT_MS;
  revive(place);
  return new Promise((resolve, reject) => {
    // Each pipe takes a moment.
    const stdin = input === undefined ? "ignore" : "pipe";
    const child = spawn(program, [...ownWay(place), ...args], {
      cwd: "/",
      env: handed(on.env),
      stdio: [stdin, "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const limit = setTimeout(() => {
      child.kill("SIGKILL");
      // It has handed its ends of these to the server, which stands still: nobody would ever close them.
      for (const stream of child.stdio) stream?.destroy();
      reject(new Error(`tmux ${args[0] ?? ""} did not answer within ${limitMs} ms`));
    }, limitMs);
    child.stdout?.on("data", (part: Buffer) => out.push(part));
    child.stderr?.on("data", (part: Buffer) => err.push(part));
    // A server that is gone does not read what it is given; its answer says so.
    child.stdin?.on("error", () => undefined);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(limit);
      resolve({
        code: code ?? 1,
        out: Buffer.concat(out).toString("utf8"),
        err: Buffer.concat(err).toString("utf8"),
      });
    });
    child.stdin?.end(input);
  });
}

/** The same, for whoever cannot wait. Undefined where there was no answer in time. */
export function askTmux(on: TmuxAccess, args: readonly string[]): TmuxAnswer | undefined {
  const place = findPlace(on.home);
  if (place === undefined) return NONE;
  if (!hasTmux(on.env)) return undefined;
  revive(place);
  const asked = spawnSync(tmuxProgram(on.env), [...ownWay(place), ...args], {
    cwd: "/",
    env: handed(on.env),
    encoding: "utf8",
    timeout: LOOK_MS,
    killSignal: "SIGKILL",
    maxBuffer: 16 * 1024 * 1024,
  });
  if (asked.status === null) return undefined;
  return { code: asked.status, out: asked.stdout, err: asked.stderr };
}

/** Which server it is, for the time when its socket is gone. */
export function noteServer({ server }: TmuxPlace, { pid, start }: Server): void {
  const text = `${pid}\n${start}\n`;
  if (textOfOwn(server, SERVER_BYTES_MAX) !== text) writePrivate(server, text);
}

export function isServerAlive({ pid, start }: Server): boolean {
  return startOf(pid) === start;
}

/** How it is called: what comes before every command. */
export function way({ socket, config }: TmuxPlace): readonly string[] {
  return ["-S", socket, "-f", config];
}

/** For ourselves, who read UTF-8 whatever the locale is. */
function ownWay(place: TmuxPlace): readonly string[] {
  return ["-u", ...way(place)];
}

/** Somebody has tidied the socket away: a server makes it again when it is asked by this signal. */
function revive(place: TmuxPlace): void {
  const isThere = (): boolean => lstatSync(place.socket, { throwIfNoEntry: false }) !== undefined;
  if (isThere()) return;
  const [pid = "", start = ""] = textOfOwn(place.server, SERVER_BYTES_MAX)?.split("\n") ?? [];
  if (!/^[1-9]\d*$/.test(pid) || startOf(Number(pid)) !== start) return;
  mendFolder(place);
  process.kill(Number(pid), "SIGUSR1");
  const giveUpAt = performance.now() + SOCKET_MS;
  while (!isThere() && performance.now() < giveUpAt) standStill(5);
}

export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** For the server and for whoever looks: an agent can have both start programs, and whoever comes out of one is no person. */
export const MARKED = { SIGNALBOX_TERMINALS: "agents" } as const;

function handed(env: Env): Record<string, string> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isHandedOn(name, []) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(own), ...MARKED };
}

function programIn(env: Env): string | undefined {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return folders.map((folder) => join(folder, "tmux")).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not in this folder.
    return false;
  }
}
