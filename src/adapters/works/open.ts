/** Everything the supervisor works with, put together for one state home. */

import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Box, Works } from "../../engine/box.ts";
import { workflowsOf } from "../../engine/box.ts";
import type { Store } from "../../engine/ports.ts";
import { readSettings } from "../config/read.ts";
import { desk } from "../desk/desk.ts";
import { fileArtifacts } from "../files/artifacts.ts";
import { gitWorkspaces } from "../git/workspaces.ts";
import { runFolders, type Home } from "../home/paths.ts";
import { shimProcesses } from "../process/processes.ts";
import { notifierOf } from "./notify.ts";

type Variables = Readonly<Record<string, string>>;

export const CLOCK: Box["clock"] = { now: () => Date.now(), mono: () => performance.now() };

export function openWorks(home: Home, store: Store, log: (line: string) => void): Works {
  const env = savedEnvironment(home);
  return {
    clock: CLOCK,
    store,
    artifacts: fileArtifacts({ registry: store }),
    workspaces: gitWorkspaces({ home, env }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
    processes: shimProcesses({ home }),
    desk,
    notifier: notifierOf(env),
    // Settings of a repository count only while a person trusts exactly this content.
    settings: (repo) => readSettings({ repo, env, store }),
    person: { env, bin: home.bin, home: home.root },
    finds,
    log,
  };
}

/** Whoever wakes the supervisor, an agent may be: what it gives to others comes from a person. */
export function savedEnvironment(home: Home): Variables {
  const saved: unknown = JSON.parse(readFileSync(home.environment, "utf8"));
  const pairs = typeof saved === "object" && saved !== null ? Object.entries(saved) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"));
}

function finds(program: string, path: string): boolean {
  if (program.includes("/")) return isAbsolute(program) ? isProgram(program) : true;
  return path.split(delimiter).some((folder) => folder !== "" && isProgram(join(folder, program)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us: either way it cannot be started.
    return false;
  }
}
