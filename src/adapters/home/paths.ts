/** Where everything of ours is kept, outside every repository. Only names: nothing here touches a file. */

import { join } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

export type Home = {
  readonly root: string;
  readonly database: string;
  readonly supervisorLock: string;
  readonly supervisorLog: string;
  /** The environment that agents' variables are taken from: a person's, saved when a person starts something. */
  readonly environment: string;
  /** Written to wake the supervisor. */
  readonly pokes: string;
  /** Shims put exit statuses here, one file for each job. */
  readonly exits: string;
  /** First on the PATH of agents: holds exactly this signalbox. */
  readonly bin: string;
  /** Private clones, one for each run. */
  readonly workspaces: string;
  /** Bare repositories of the engine, one for each project. */
  readonly mirrors: string;
  /** What set-up commands of workspaces share, a folder for each repository. */
  readonly caches: string;
  /** Locks of repositories. */
  readonly locks: string;
  /** Configuration and socket of the terminals. */
  readonly terminals: string;
  /** What could not be used any more, with its reason. */
  readonly quarantine: string;
};

/** `undefined` where neither SIGNALBOX_HOME nor a home folder is known. */
export function homeOf(env: Env): Home | undefined {
  const state = absolute(env["XDG_STATE_HOME"]) ?? below(env["HOME"], ".local", "state");
  const root = absolute(env["SIGNALBOX_HOME"]) ?? below(state, "signalbox");
  return root === undefined ? undefined : homeAt(root);
}

export function homeAt(root: string): Home {
  return {
    root,
    database: join(root, "signalbox.db"),
    supervisorLock: join(root, "supervisor.lock"),
    supervisorLog: join(root, "supervisor.log"),
    environment: join(root, "environment.json"),
    pokes: join(root, "poke"),
    exits: join(root, "exits"),
    bin: join(root, "bin"),
    workspaces: join(root, "workspaces"),
    mirrors: join(root, "mirrors"),
    caches: join(root, "caches"),
    locks: join(root, "locks"),
    terminals: join(root, "tmux"),
    quarantine: join(root, "quarantine"),
  };
}

/** The folder of settings and of the human key: outside the state home. */
export function configFolder(env: Env): string | undefined {
  const config = absolute(env["XDG_CONFIG_HOME"]) ?? below(env["HOME"], ".config");
  return below(config, "signalbox");
}

/** Folders of one run. */
export function runFolders(
  home: Home,
  run: string,
): Readonly<Record<"files" | "agents" | "checks" | "archive" | "kept", string>> {
  const of = (name: string): string => join(home.root, "runs", run, name);
  return {
    files: of("files"),
    agents: of("agents"),
    checks: of("checks"),
    archive: of("archive"),
    kept: of("kept"),
  };
}

/** A relative path in a variable is ignored, as the XDG specification has it. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && path.startsWith("/") ? path : undefined;
}

function below(folder: string | undefined, ...names: readonly string[]): string | undefined {
  return folder === undefined || !folder.startsWith("/") ? undefined : join(folder, ...names);
}
