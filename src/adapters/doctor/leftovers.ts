/** Where the world and the journal do not agree: folders nobody knows, workspaces that are gone, processes that were lost. */

import { existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { jsonOfOwn, textOfOwn } from "../home/own-file.ts";
import type { Home } from "../home/paths.ts";
import { shimProcesses } from "../process/processes.ts";
import { finish, type Database } from "../store/database.ts";
import { isBusy } from "../store/tables/pending.ts";
import { text } from "../store/row.ts";
import { isOtherInstallation, oddInBin } from "../works/launcher.ts";
import { isSupervisorAlive } from "../supervisor/lock.ts";
import { damaged, looked, note, ok, problem, REPAIR, some, type Finding } from "./finding.ts";
import { namesIn } from "./home.ts";
import { workspacesOf } from "./workspaces.ts";

const SUPERVISE = "signalbox supervise";
const STARTING_MS = 60_000;

type LeftoverPlaces = { readonly home: Home; readonly db: Database | undefined };

export function lookAtLeftovers({ home, db }: LeftoverPlaces): readonly Finding[] {
  const supervisor = looked("supervisor", () => [
    supervisorOf(home, db !== undefined && finish(isBusy(db.sql))),
  ]);
  const environment = [
    ...looked("environment", () => environmentOf(home)),
    ...looked("programs", () => programsOf(home)),
  ];
  if (db === undefined) return [...supervisor, ...environment];
  const isAlive = supervisor.some(({ text: said }) => said.startsWith("at work"));
  const found = [
    ...looked("workspaces", () => workspacesOf(home, db)),
    ...looked("folders", () => strangersIn(home, db)),
    ...looked("processes", () => lostJobs(home, db, isAlive)),
    ...looked("exits", () => exitsOf(home, db)),
    ...looked("files", () => filesOf(db)),
  ];
  return [
    ...supervisor,
    ...environment,
    ...(found.length === 0 ? [ok("leftovers", "none: folders, processes and journal agree")] : found),
  ];
}

function supervisorOf(home: Home, isNeeded: boolean): Finding {
  // Asking would make the file.
  if (existsSync(home.supervisorLock) && isAliveIn(home)) return ok("supervisor", "at work");
  if (!isNeeded) return ok("supervisor", "not there, and there is nothing for it to do");
  const said = "not there, and there is work for it; any command that starts something starts it";
  return problem("supervisor", said, SUPERVISE);
}

function isAliveIn(home: Home): boolean {
  return isLockUsable(home) && isSupervisorAlive(home);
}

/** SQLite begins every file of its own with these words; an unused one is empty. */
function isLockUsable({ supervisorLock }: Home): boolean {
  const said = textOfOwn(supervisorLock);
  return said === "" || said?.startsWith("SQLite format 3") === true;
}

/** What keeps a supervisor from starting, and can be made again. */
export function brokenFiles(home: Home): readonly { readonly path: string; readonly reason: string }[] {
  const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  return [
    ...(isFile(home.supervisorLock) && !isLockUsable(home)
      ? [{ path: home.supervisorLock, reason: "it is no lock of ours" }]
      : []),
    ...(isFile(home.environment) && !isEnvironment(home.environment)
      ? [{ path: home.environment, reason: "it holds no variables" }]
      : []),
  ];
}

function environmentOf(home: Home): readonly Finding[] {
  return brokenFiles(home).map(({ path, reason }) =>
    damaged("supervisor", `${path} is damaged: ${reason}; no agent can be started`, REPAIR),
  );
}

/** Another installation writes its own before it starts an agent, and so do we: that alone is no harm. */
function programsOf(home: Home): readonly Finding[] {
  return oddInBin(home).map((odd) => ({
    status: isOtherInstallation(home) ? "note" : "problem",
    name: "programs",
    text: `${odd}; agents find it first, and it is put right before the next one is started`,
    next: isOtherInstallation(home) ? "" : `look who wrote it: ls -l ${home.bin}`,
  }));
}

function isEnvironment(path: string): boolean {
  const saved = jsonOfOwn(path);
  return typeof saved === "object" && saved !== null && !Array.isArray(saved);
}

/** Of runs that the journal does not know. A run that is being started is not in it yet: only what has lain there counts. */
export function strangeFolders(home: Home, db: Database): readonly string[] {
  const folder = join(home.root, "runs");
  return namesIn(folder)
    .filter((name) => db.get("SELECT 1 FROM runs WHERE id = ?", name) === undefined)
    .map((name) => join(folder, name))
    .filter(
      (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STARTING_MS,
    );
}

function strangersIn(home: Home, db: Database): readonly Finding[] {
  const strange = strangeFolders(home, db);
  if (strange.length === 0) return [];
  const said = `the journal does not know ${strange.length === 1 ? "the run" : `${strange.length} runs`} of ${some(strange)}: a start that was cut short, or a history that is lost`;
  return [problem("folders", said, REPAIR)];
}

function lostJobs(home: Home, db: Database, isAlive: boolean): readonly Finding[] {
  const processes = shimProcesses({ home });
  const live = db.all("SELECT id, dir FROM jobs WHERE status = 'live' ORDER BY started_at, run");
  const lost = live.filter(({ dir = "" }) => processes.probe(text(dir)).type === "lost");
  if (lost.length === 0) return [];
  const said = `${lost.length} ${lost.length === 1 ? "process is" : "processes are"} gone without a word: ${some(lost.map(({ id }) => text(id)))}`;
  if (isAlive) return [note("processes", `${said}; the supervisor sees to it`, "")];
  return [problem("processes", said, SUPERVISE)];
}

function exitsOf(home: Home, db: Database): readonly Finding[] {
  const unknown = namesIn(home.exits).filter(
    (name) => db.get("SELECT 1 FROM jobs WHERE id = ?", name) === undefined,
  );
  if (unknown.length === 0) return [];
  const said = `${unknown.length} of nobody that is known: ${some(unknown)}; the next supervisor forgets them`;
  return [note("exits", said, "")];
}

/** Runs whose files show an earlier state than the journal. */
export function runsBehind(db: Database): readonly string[] {
  const rows = db.all(
    `SELECT id, json FROM runs JOIN definitions ON definitions.hash = runs.definition WHERE projected < seq ORDER BY n`,
  );
  return rows.filter((row) => hasProjections(text(row["json"]))).map((row) => text(row["id"]));
}

function hasProjections(json: string): boolean {
  const definition: unknown = JSON.parse(json);
  return (
    typeof definition === "object" &&
    definition !== null &&
    "projections" in definition &&
    Array.isArray(definition.projections) &&
    definition.projections.length > 0
  );
}

function filesOf(db: Database): readonly Finding[] {
  const behind = runsBehind(db);
  if (behind.length === 0) return [];
  const said = `those of ${behind.length} ${behind.length === 1 ? "run show" : "runs show"} an earlier state: ${some(behind)}`;
  return [problem("files", said, REPAIR)];
}
