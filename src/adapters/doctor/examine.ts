/** Looks at everything, one thing after the other. Nothing is changed, and nothing that is broken keeps it from looking on. */

import { homeOf, type Env } from "../home/paths.ts";
import { requireRoot } from "../home/root.ts";
import type { Database } from "../store/database.ts";
import { registryOf } from "../store/tables/registry.ts";
import type { TrustStore } from "../trust/trust.ts";
import { looked, ok, type Finding } from "./finding.ts";
import { lookAtHome } from "./home.ts";
import { lookAtJournal, openToRead } from "./journal.ts";
import { lookAtLeftovers } from "./leftovers.ts";
import { lookAtMachine, lookAtTools } from "./machine.ts";
import { lookAtKey } from "./person.ts";
import { lookAtSettings } from "./settings.ts";

export type Where = { readonly cwd: string; readonly env: Env };

export async function examine({ cwd, env }: Where): Promise<readonly Finding[]> {
  const home = homeOf(env);
  if (home === undefined) return [...lookAtMachine(env), homeless(), ...lookAtTools(env)];
  const obstacle = looked("state home", () => {
    requireRoot(home, env);
    return [];
  });
  if (obstacle.length > 0) return [...lookAtMachine(env), ...obstacle, ...lookAtTools(env)];
  const machine = [...lookAtMachine(env), ...looked("state home", () => lookAtHome(home))];
  let db: Database | undefined;
  const opened = looked("database", () => {
    db = openToRead(home);
    return db === undefined ? [ok("database", "not there yet; the first run makes it")] : [];
  });
  try {
    const journal = db === undefined ? [] : lookAtJournal(db);
    const person = [...lookAtKey(env), ...(await lookAtSettings({ cwd, env, store: trustIn(db) }))];
    const world = lookAtLeftovers({ home, db });
    return [...machine, ...opened, ...journal, ...person, ...world, ...lookAtTools(env)];
  } finally {
    db?.close();
  }
}

function homeless(): Finding {
  const text = "neither HOME nor SIGNALBOX_HOME says where runs are kept";
  return { status: "missing", name: "state home", text, next: "export HOME=..." };
}

/** Where the database cannot be asked, nothing is trusted. */
function trustIn(db: Database | undefined): TrustStore {
  return db === undefined
    ? { trusted: () => Promise.resolve(undefined), humanKeys: () => Promise.resolve([]) }
    : registryOf(db);
}
