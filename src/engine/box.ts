/** Everything the engine works with. Doors that only submit need the first half; the supervisor needs all of it. */

import { compile, type Workflow } from "../core/model/compile.ts";
import type { Archives } from "./ports/archives.ts";
import type { Clock } from "./ports/clock.ts";
import type { Completion } from "./ports/completion.ts";
import type { Artifacts, Branches, Workspaces } from "./ports/files.ts";
import type { Merges } from "./ports/merges.ts";
import type { Processes } from "./ports/process.ts";
import type { Notifier, Settings } from "./ports/settings.ts";
import type { Store } from "./ports/store.ts";

/** Folders of one run in the state home. */
type Folders = Readonly<Record<"files" | "agents" | "checks" | "archive" | "kept", string>>;

export type Box = {
  readonly clock: Clock;
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly workspaces: Workspaces;
  folders(run: string): Folders;
  /** Why two runs of one repository get along: the definition of a run never changes. */
  workflow(definition: string): Promise<Workflow>;
};

/**
 * Where agents find what they are told.
 *
 * Contract: `make` gives a folder that was not there, under a name that nobody could know beforehand: whatever is in it we have put
 * there, or somebody who has seen it since; `furnish` the same with texts in it. `token` is what it was furnished with, for ever.
 * `leave` and `write` are durable when they return, a furnished folder when `durable` resolves; doing the first two twice is harmless, and what was
 * written stays as it is. `waiting` are the messages that no turn in these folders has taken, in their order. What is no ordinary
 * file is never waited for.
 */
export type Desk = {
  make(parent: string, name: string): string;
  furnish(parent: string, name: string, texts: Readonly<Record<string, string>>): Furnished;
  /** For the text `token`. */
  newToken(): string;
  token(dir: string): { readonly token: string; readonly hash: string };
  /** Gives the path. */
  write(dir: string, name: string, text: string): string;
  read(dir: string, name: string): string | undefined;
  leave(dir: string, name: string, text: string): void;
  waiting(dir: string, turnDirs: readonly string[]): readonly Message[];
  /** Says what the turn in this new folder is about. */
  take(turnDir: string, messages: readonly Message[]): void;
  /** The last part of a text file, and the digest of all of it. */
  output(file: string): { readonly text: string; readonly digest: string };
  /** A name for an agent's own session: the same for the same folder. */
  session(dir: string): string;
};

/** Nobody is told of the folder before it is durable; what else has to be done may be done meanwhile. */
type Furnished = { readonly dir: string; readonly durable: Promise<void> };

export type Message = { readonly name: string; readonly text: string };

export type Works = Box & {
  readonly branches: Branches;
  readonly completion: Completion;
  readonly archives: Archives;
  readonly processes: Processes;
  readonly merges: Merges;
  readonly desk: Desk;
  readonly notifier: Notifier;
  settings(repo: string): Promise<Settings>;
  /** A workflow by its name, as a repository has it now: of that repository where a person trusts it, or built in. */
  library(name: string, repo: string): Promise<Workflow>;
  /** The environment of a person, that agents' variables are taken from; and the folder that comes first on their PATH. */
  readonly person: {
    readonly env: Readonly<Record<string, string>>;
    readonly bin: string;
    readonly home: string;
  };
  /** Whether there is a program of this name on this PATH. */
  finds(program: string, path: string): boolean;
  /** How much room is left on the disk of the workspaces, in megabytes. */
  freeMb(): number;
  /** A folder that the set-up commands of all workspaces of a repository share. */
  cache(repo: string): string;
  /** A name for a run that nobody has. */
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
