/** The identity of a machine: an id in its state home, made once. */

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Processes } from "../../engine/ports/process.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import { homeAt, type Home } from "../home/paths.ts";
import { machineIn } from "../supervisor/wire.ts";
import { UserError } from "../user-error.ts";

/** A state home with runs of its own stays the home of those: a worker has another store. */
export function machineAt(root: string): { readonly home: Home; readonly id: string; readonly name: string } {
  makeFolder(root);
  const home = homeAt(realpathSync(root));
  if (existsSync(home.database))
    throw new UserError(
      "home-in-use",
      `${home.root} holds runs of its own; a worker needs a state home of its own`,
      "SIGNALBOX_HOME=FOLDER signalbox worker ...",
    );
  const file = machineIn(home.root);
  if (!existsSync(file)) writePrivate(file, `${JSON.stringify({ id: `${newName()}${newName()}` })}\n`);
  const [, id] = /^\{"id":"([0-9a-f]{8,64})"\}\n$/.exec(readFileSync(file, "utf8")) ?? [];
  if (id === undefined)
    throw new UserError("damaged", `${file} does not say which machine this is`, `remove ${file}`);
  return { home, id, name: `${hostname()}:${home.root}` };
}

/** Ends processes of runs that another machine has taken over: nothing that they do counts any more. */
export async function endStrangers(
  { root }: Home,
  processes: Pick<Processes, "probe" | "kill">,
  owns: (run: string) => Promise<boolean>,
): Promise<void> {
  for (const run of namesIn(join(root, "runs"))) {
    if (await owns(run)) continue;
    for (const dir of jobsOf(join(root, "runs", run)))
      if (processes.probe(dir).type === "alive") await processes.kill({ id: dir, dir });
  }
}

function jobsOf(run: string): readonly string[] {
  const agents = join(run, "agents");
  const turns = namesIn(agents).flatMap((agent) =>
    namesIn(join(agents, agent)).map((turn) => join(agents, agent, turn)),
  );
  const checks = join(run, "checks");
  return [...turns, ...namesIn(checks).map((check) => join(checks, check))].filter((dir) =>
    existsSync(join(dir, "pid")),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none.
    return [];
  }
}
