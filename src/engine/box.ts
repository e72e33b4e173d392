/** The ports of the engine: `Box` is what submitting an event needs, `Works` everything that the supervisor needs. */

import { compile, type Workflow } from "../core/model/compile.ts";
import type { Archives } from "./ports/archives.ts";
import type { Drivers } from "./ports/drivers.ts";
import type { Completion } from "./ports/completion.ts";
import type { Artifacts, Branches, Workspaces } from "./ports/files.ts";
import type { Merges } from "./ports/merges.ts";
import type { Processes } from "./ports/process.ts";
import type { Pins } from "./ports/pins.ts";
import type { Notifier, Settings } from "./ports/settings.ts";
import type { Sandbox } from "./ports/sandbox.ts";
import type { Store } from "./ports/store.ts";

/** Folders of one run in the state home. */
type Folders = Readonly<Record<"files" | "agents" | "checks" | "archive" | "kept", string>>;

export type Box = {
  readonly clock: Clock;
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly workspaces: Workspaces;
  folders(run: string): Folders;
  /** The compiled definition with this hash. A run keeps the definition that it began with, even if its repository has another one now. */
  workflow(definition: string): Promise<Workflow>;
};

/**
 * The folders of agents: prompts, messages and tokens.
 *
 * Contract: `make` returns a new folder with a random name, so that no other program can have put files there before; `furnish` also
 * writes texts into it. `token` always returns the token that the folder was furnished with. `leave` (a message) and `write` are durable
 * when they return, a furnished folder when `durable` resolves. Calling `leave` or `write` twice is harmless and keeps the first text.
 * `waiting` lists the messages that no turn in these folders has taken, in order. A file that is not regular, such as a pipe, is ignored and never blocks.
 */
export type Desk = {
  make(parent: string, name: string): string;
  furnish(parent: string, name: string, texts: Readonly<Record<string, string>>): Furnished;
  /** A random token, to be furnished as the text `token`. */
  newToken(): string;
  token(dir: string): { readonly token: string; readonly hash: string };
  /** Returns the path. */
  write(dir: string, name: string, text: string): string;
  read(dir: string, name: string): string | undefined;
  leave(dir: string, name: string, text: string): void;
  waiting(dir: string, turnDirs: readonly string[]): readonly Message[];
  /** Records that the turn in this new folder takes these messages. */
  take(turnDir: string, messages: readonly Message[]): void;
  /** The last part of a text file, and the digest of all of it. */
  output(file: string): { readonly text: string; readonly digest: string };
  /** A name for an agent's own session: the same for the same folder. */
  session(dir: string): string;
};

/** The caller records the folder only after `durable` resolves, and can do other work until then. */
type Furnished = { readonly dir: string; readonly durable: Promise<void> };

export type Message = { readonly name: string; readonly text: string };

export type Works = Box & {
  readonly branches: Branches;
  readonly completion: Completion;
  readonly archives: Archives;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly merges: Merges;
  readonly desk: Desk;
  readonly drivers: Drivers;
  readonly notifier: Notifier;
  readonly pins: Pins;
  settings(repo: string): Promise<Settings>;
  /** A workflow by its name, as a repository has it now: of that repository where a person trusts it, or built in. */
  library(name: string, repo: string): Promise<Workflow>;
  /** The environment of a person, from which agents get variables; `bin` is the folder that comes first on their PATH. */
  readonly person: {
    readonly env: Readonly<Record<string, string>>;
    readonly bin: string;
    readonly home: string;
  };
  /** Whether this PATH has a program of this name. */
  finds(program: string, path: string): boolean;
  /** Free space on the disk of the workspaces, in megabytes. */
  freeMb(): number;
  /** A folder that the set-up commands of all workspaces of a repository share. */
  cache(repo: string): string;
  /** A new id for a run. */
  newRun(): string;
  log(line: string): void;
};

/** Compiles each definition once. */
export function workflowsOf(store: Pick<Store, "definition">): (hash: string) => Promise<Workflow> {
  const known = new Map<string, Workflow>();
  return async (hash) => {
    const present = known.get(hash);
    if (present !== undefined) return present;
    const definition = await store.definition(hash);
    if (definition === undefined) throw new Error(`the definition ${hash} is not in the journal`);
    const workflow = compile(definition, () => hash);
    known.set(hash, workflow);
    return workflow;
  };
}

/** Milliseconds since 1970. Order comes from sequence numbers, never from this. */
type Clock = {
  now(): number;
  /** Milliseconds that only go forward, and stand still while the machine sleeps. */
  mono(): number;
};
