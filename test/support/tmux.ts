/** A state home with real terminals in it. Its server is ended with the test, by its own socket. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { findPlace } from "../../src/adapters/terminal/place.ts";
import type { ProcessOptions } from "../../src/adapters/process/processes.ts";
import type { Launch, Window } from "../../src/engine/ports/process.ts";
import { bench, isAlive, until, type Bench } from "../e2e/process-bench.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).error === undefined;

export type TmuxBench = Bench & {
  readonly socket: () => string;
  /** As a person who looks at the same server: what tmux prints. Fails where tmux does. */
  tmux(...args: readonly string[]): string;
  inWindow(id: string, text: string, more?: Partial<Launch> & { readonly window?: Partial<Window> }): Launch;
  /** The id of the pane that a job has. */
  pane(id: string): string;
  serverPid(): number;
  /** The log, when it holds these words. */
  logged(id: string, words: string): Promise<string>;
};

export function tmuxBench(on: Partial<ProcessOptions> = {}): TmuxBench {
  const b = bench({ pauseMs: 20, ...on });
  const socket = (): string => findPlace(b.home)?.socket ?? "/no/socket";
  const env = { PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-S", socket(), ...args], { encoding: "utf8", env, stdio: "pipe" }).trim();
  const lineIn = (id: string, at: number): string => b.text(id, "terminal").split("\n")[at] ?? "";
  onTestFinished(() => void spawnSync("tmux", ["-S", socket(), "kill-server"], { env }));
  return {
    ...b,
    socket,
    tmux,
    inWindow: (id, text, { window, ...more } = {}) =>
      b.script(id, text, {
        terminal: { session: "run-1", title: "project/branch", name: "worker", ...window },
        ...more,
      }),
    pane: (id) => lineIn(id, 0),
    serverPid: () => Number(tmux("display-message", "-p", "#{pid}")),
    logged: (id, words) =>
      until(() => {
        const log = readFileSync(b.file(id, "out.log"), "utf8");
        return log.includes(words) && log;
      }),
  };
}

/** The server is ended, and is no longer there. */
export async function endServer(b: TmuxBench, how: "kill-server" | NodeJS.Signals): Promise<void> {
  const pid = b.serverPid();
  if (how === "kill-server") b.tmux("kill-server");
  else process.kill(pid, how);
  await until(() => !isAlive(pid));
}

/** A program that says what it was told. */
export const ECHO = 'while read x; do echo "got $x."; done';

export async function tellsAndHears(b: TmuxBench, launch: Launch, word: string): Promise<void> {
  expect(await b.processes.tell(launch, word)).toBe("told");
  await b.logged(launch.id, `got ${word}.`);
  expect(b.processes.probe(launch.dir)).toMatchObject({ type: "alive" });
}
