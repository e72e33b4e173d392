/** Everything the supervisor works with, put together for one state home. */

import { rm } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { spawn } from "node:child_process";
import { type Box, workflowsOf, type Works } from "../../engine/box.ts";
import { isHandedOn } from "../../engine/agents/environment.ts";
import type { Processes } from "../../engine/ports/process.ts";
import type { Store } from "../../engine/ports/store.ts";
import { projectNameOf } from "../../engine/queue/project-name.ts";
import { sha256 } from "../../format/sha256.ts";
import { fileArchives } from "../archive/archives.ts";
import { pinsOf } from "../config/pins.ts";
import { readSettings } from "../config/read.ts";
import { desk } from "../desk/desk.ts";
import { drivers } from "../drivers/turn-log.ts";
import { fileArtifacts } from "../files/artifacts/artifacts.ts";
import { completionBy } from "../gh/completion.ts";
import { gitBranches } from "../git/repository/branch-port.ts";
import { gitMerges } from "../git/delivery/merged-elsewhere.ts";
import { gitWorkspaces } from "../git/workspace/workspaces.ts";
import { makeFolder } from "../home/folders.ts";
import { jsonOfOwn } from "../home/own-file.ts";
import { type Env, type Home, runFolders } from "../home/paths.ts";
import { freeMbAt } from "../home/room.ts";
import { newRunId } from "../home/run-id.ts";
import { shimProcesses } from "../process/processes.ts";
import { programAt } from "../process/program.ts";
import type { Ears } from "../sandbox/ears.ts";
import { cellFolder, cellsOf, type Cells } from "../sandbox/sandbox.ts";
import { poke } from "../supervisor/poke.ts";
import { UserError } from "../user-error.ts";
import { writeLauncher } from "./launcher.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { showProblem } from "../../format/problem.ts";
import { findWorkflow } from "../library/find.ts";
import { parseFound } from "../library/load.ts";
import { requireTrust, type TrustStore } from "../trust/trust.ts";
import type { Notifier } from "../../engine/ports/settings.ts";
import { failpoint } from "../failpoint.ts";

const EXIT_DAMAGED = 8;

type Variables = Readonly<Record<string, string>>;

export const CLOCK: Box["clock"] = { now: () => Date.now(), mono: () => performance.now() };

type WorksOptions = {
  readonly log: (line: string) => void;
  /** A process of ours has ended. */
  readonly ring?: () => void;
  /** Hears the calls of a confined job from before it is started until it is over. */
  readonly ears?: Ears;
};

export function openWorks(
  home: Home,
  store: Store & TrustStore,
  { log, ring = () => poke(home), ears }: WorksOptions,
): Works {
  const saved = savedEnvironment(home);
  // What we call ourselves gets what everybody gets; agents also what their settings name.
  const env = Object.fromEntries(Object.entries(saved).filter(([name]) => isHandedOn(name, [])));
  const settings = (repo: string): ReturnType<typeof readSettings> =>
    readSettings({ repo, env: { ...env, SIGNALBOX_HOME: home.root }, store });
  const cells = cellsOf({ home, person: saved, cache: (repo) => cacheOf(home, repo) });
  return {
    clock: CLOCK,
    store,
    artifacts: fileArtifacts(store),
    workspaces: gitWorkspaces({ home, env }),
    branches: gitBranches({ home, env: saved }),
    // With what is the person's: whose a commit is, and who is logged in.
    completion: completionBy({ home, env: saved }),
    archives: fileArchives,
    merges: gitMerges({ home, env }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
    processes: ownProcesses(home, { log, ring, cells, ears }),
    sandbox: cells,
    desk,
    drivers,
    notifier: notifierOf(env),
    // Settings of a repository count only while a person trusts exactly this content.
    settings,
    pins: pinsOf({ read: settings, env }),
    library: (name, repo) => workflowNamed({ env, store }, name, repo),
    newRun: () => newRunId(),
    freeMb: () => freeMbAt(home.root),
    cache: (repo) => cacheOf(home, repo),
    person: { env: saved, bin: home.bin, home: home.root },
    finds,
    log,
  };
}

function cacheOf(home: Home, repo: string): string {
  const folder = join(home.caches, `${projectNameOf(repo)}-${sha256(repo).slice(0, 8)}`);
  makeFolder(folder);
  return folder;
}

/** What agents call may have been replaced since the last one was started. */
function ownProcesses(
  home: Home,
  {
    log,
    ring,
    cells,
    ears,
  }: Required<Pick<WorksOptions, "log" | "ring">> & {
    readonly cells: Cells;
    readonly ears: Ears | undefined;
  },
): Processes {
  const processes = shimProcesses({ home, onEnd: ring });
  return {
    ...processes,
    async launch(launch) {
      for (const odd of writeLauncher(home)) log(`before ${launch.id} was started: ${odd}; that is mended`);
      const confined = cells.confine(launch);
      const folder = cellFolder(home, launch.dir);
      if (launch.cell?.kind === "turn") await ears?.open({ id: launch.id, folder });
      return processes.launch(confined);
    },
    async kill(job) {
      const was = await processes.kill(job);
      ears?.close(cellFolder(home, job.dir));
      // Of a check, all that it kept; of a turn, what is not for later turns of its attempt.
      const kept = [join(job.dir, "cell"), join(dirname(job.dir), "cell", "tmp")];
      await Promise.all(kept.map((folder) => rm(folder, { recursive: true, force: true })));
      return was;
    },
  };
}

/**
 * Whoever wakes the supervisor, an agent may be: what it gives to others comes from a person. Agents can write the file, so that
 * nothing is taken from it that must reach nobody.
 */
function savedEnvironment(home: Home): Variables {
  const pairs = Object.entries(valueIn(home.environment));
  return Object.fromEntries(
    pairs.filter(
      (pair): pair is [string, string] => typeof pair[1] === "string" && isHandedOn(pair[0], [pair[0]]),
    ),
  );
}

function valueIn(file: string): object {
  const value = jsonOfOwn(file);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  const message = `${file} holds no variables of a person: there is nothing to start agents with`;
  throw new UserError("damaged", message, { next: "signalbox doctor --repair", exit: EXIT_DAMAGED });
}

/** A relative path is looked for where the program starts, which is not known here. */
function finds(program: string, path: string): boolean {
  const isRelative = program.includes("/") && !isAbsolute(program);
  return isRelative || programAt(program, path) !== undefined;
}

type LibraryAccess = { readonly env: Env; readonly store: TrustStore };

/** A workflow of a repository counts only while a person trusts exactly its content. */
async function workflowNamed(on: LibraryAccess, name: string, repo: string): Promise<Workflow> {
  const found = findWorkflow(name, { cwd: repo, home: on.env["HOME"] ?? "" });
  if (found.from !== "built-in") await requireTrust(on, repo);
  const parsed = await parseFound(found);
  if (parsed.ok) return parsed.workflow;
  const [first] = parsed.problems;
  const message = first === undefined ? `${name} has problems` : showProblem(first);
  throw new UserError("invalid-workflow", message, `signalbox check ${name}`);
}

/** Runs the command that the person set for questions. Run, question id and question follow it as arguments of their own. */
function notifierOf(env: Variables): Notifier {
  return {
    async ask({ command, run, id, question }) {
      const [program, ...fixed] = command;
      if (program === undefined) return;
      failpoint("notify.before-ask");
      await new Promise<void>((resolve, reject) => {
        const child = spawn(program, [...fixed, run, id, question], { env, stdio: "ignore" });
        child.once("error", reject);
        child.once("exit", () => resolve());
      });
      failpoint("notify.after-ask");
    },
  };
}
