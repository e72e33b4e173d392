/** Everything the engine works with. Doors that only submit need the first half; the supervisor needs all of it. */

import { compile, type Workflow } from "../core/compile.ts";
import type { Artifacts, Clock, Notifier, Processes, Settings, Store, Workspaces } from "./ports.ts";

/** Folders of one run in the state home. */
export type Folders = Readonly<Record<"files" | "agents" | "checks" | "archive" | "kept", string>>;

export type Box = {
  readonly clock: Clock;
  readonly store: Store;
  readonly artifacts: Artifacts;
  readonly workspaces: Workspaces;
  folders(run: string): Folders;
  /** Why two runs of one repository get along: the definition of a run never changes. */
  workflow(definition: string): Workflow;
};

/**
 * Where agents find what they are told, and what survives us.
 *
 * Contract: `token` gives the same token for the same folder for ever. `leave` and `write` are durable when they return, and
 * doing them twice is harmless. `waiting` are messages that no turn has taken yet, in their order; `take` ends that.
 */
export type Desk = {
  token(dir: string): { readonly token: string; readonly hash: string };
  write(dir: string, name: string, text: string): string;
  leave(dir: string, name: string, text: string): void;
  waiting(dir: string): readonly { readonly name: string; readonly text: string }[];
  take(dir: string, names: readonly string[]): void;
  /** The last part of a text file, and the digest of all of it. */
  output(file: string): { readonly text: string; readonly digest: string };
};

export type Works = Box & {
  readonly processes: Processes;
  readonly desk: Desk;
  readonly notifier: Notifier;
  settings(repo: string): Promise<Settings>;
  /** The environment of a person, that agents' variables are taken from; and the folder that comes first on their PATH. */
  readonly person: {
    readonly env: Readonly<Record<string, string>>;
    readonly bin: string;
    readonly home: string;
  };
  /** A new name for an agent's own session. */
  sessionOf(dir: string): string;
  log(line: string): void;
};

/** Compiles each definition once. */
export function workflowsOf(store: Pick<Store, "definition">): (hash: string) => Workflow {
  const known = new Map<string, Workflow>();
  return (hash) => {
    const present = known.get(hash);
    if (present !== undefined) return present;
    const definition = store.definition(hash);
    if (definition === undefined) throw new Error(`the definition ${hash} is not in the journal`);
    const workflow = compile(definition, () => hash);
    known.set(hash, workflow);
    return workflow;
  };
}
