/** Makes again what the journal knows and the world has lost: definitions, workspaces, the files that show a run. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { workflowsOf, type Box } from "../../engine/box.ts";
import { project } from "../../engine/submit/project.ts";
import { hashOf } from "../../format/workflow/hash.ts";
import { parseWorkflow } from "../../format/workflow/parse.ts";
import { failpoint } from "../failpoint.ts";
import { fileArtifacts } from "../files/artifacts/artifacts.ts";
import { gitWorkspaces } from "../git/workspace/workspaces.ts";
import { runFolders, type Env, type Home } from "../home/paths.ts";
import { listWorkflows } from "../library/find.ts";
import { readWorkflow } from "../library/read.ts";
import { openStore, type SqliteStore } from "../store/open.ts";
import { isDefinition, parsed, text } from "../store/row.ts";
import { CLOCK } from "../works/open.ts";
import { runsBehind, strangeFolders } from "./leftovers.ts";
import { bringBackWorkspaces } from "./bring-back.ts";
import { putAside } from "./quarantine.ts";
import type { Repaired } from "./repair.ts";
import { tried, type Telling } from "./tried.ts";

type On = { readonly home: Home; readonly cwd: string; readonly env: Env };

export async function remake(on: On): Promise<Repaired> {
  const store = openStore(on.home);
  const telling: Telling = { did: [], lost: [] };
  try {
    const box = boxOf(on, store);
    findDefinitions(on, store, telling);
    setStrangersAside(on, store, telling);
    await bringBackWorkspaces({ box, home: on.home, database: store.database }, telling);
    await writeFiles(box, store, telling);
  } finally {
    await store.close();
  }
  return telling;
}

function boxOf({ home, env }: On, store: SqliteStore): Box {
  return {
    clock: CLOCK,
    store,
    artifacts: fileArtifacts(store),
    workspaces: gitWorkspaces({ home, env }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
  };
}

/** A definition is its content: a file that gives the same hash is as good as the record that is gone. */
function findDefinitions({ cwd, env }: On, { database }: SqliteStore, { did, lost }: Telling): void {
  const rows = database.all("SELECT DISTINCT definition, repo FROM runs ORDER BY definition, repo");
  const wanted = new Map<string, string[]>();
  for (const row of rows) {
    const hash = text(row["definition"]);
    if (isKept(database, hash)) continue;
    wanted.set(hash, [...(wanted.get(hash) ?? [cwd]), text(row["repo"])]);
  }
  for (const [hash, places] of wanted) {
    const found = places.flatMap((place) => definitionsIn(place, env)).find((each) => each.hash === hash);
    if (found === undefined) {
      lost.push(
        `the definition ${hash}: no workflow here has it; put its file back, then: signalbox doctor --repair`,
      );
      continue;
    }
    failpoint("doctor.before-definition");
    database.write(() => database.run("INSERT OR REPLACE INTO definitions VALUES (?, ?)", hash, found.json));
    failpoint("doctor.after-definition");
    did.push(`took the definition ${hash} from ${found.file}`);
  }
}

function isKept(database: SqliteStore["database"], hash: string): boolean {
  const json = database.get("SELECT json FROM definitions WHERE hash = ?", hash)?.["json"];
  if (typeof json !== "string") return false;
  try {
    return hashOf(parsed(json, isDefinition))() === hash;
  } catch {
    // Whatever is there, it is not what was kept.
    return false;
  }
}

function definitionsIn(cwd: string, env: Env): { hash: string; json: string; file: string }[] {
  if (!existsSync(cwd)) return [];
  return listWorkflows({ cwd, home: env["HOME"] ?? "" }).flatMap((found) => {
    const read = readWorkflow(found);
    const made = read.ok ? parseWorkflow(read.source) : undefined;
    if (made?.ok !== true) return [];
    const { definition } = made.workflow;
    return [
      {
        hash: made.workflow.hash(),
        json: JSON.stringify(definition),
        file: `${found.folder}/${found.file}`,
      },
    ];
  });
}

function setStrangersAside({ home }: On, { database }: SqliteStore, { lost }: Telling): void {
  for (const path of strangeFolders(home, database)) {
    const aside = putAside(home, path, "the journal does not know this run");
    lost.push(
      `whatever the history of run ${basename(path)} was: the journal does not know it; its files are in ${aside}`,
    );
  }
}

async function writeFiles(box: Box, { database }: SqliteStore, { did, lost }: Telling): Promise<void> {
  for (const run of runsBehind(database)) {
    const told = await tried(async () => {
      await project(box, run);
      did.push(`wrote the files of run ${run} anew`);
    });
    if (told !== undefined) lost.push(`the files of run ${run}: ${told}`);
  }
}
