/** Which cell a turn, a check or a set-up command gets, by the settings and by what works on this machine. */

import { noteNew } from "../notes.ts";
import type { Works } from "../box.ts";
import type { ProgramFiles, Turn } from "../ports/drivers.ts";
import type { Launch } from "../ports/process.ts";
import type { Confinement } from "../ports/sandbox.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow, WorkspaceRow } from "../ports/registry.ts";
import type { Settings } from "../ports/settings.ts";
import { isInPlace } from "../submit/place.ts";
import { needsPerson } from "../supervise/later.ts";

/** Of a check or a set-up command, which is no agent. */
export const NO_FILES: ProgramFiles = { settings: [], credentials: [] };
export const NOTHING_NAMED: Confinement["named"] = { read: [], write: [] };

type Confined = Omit<Confinement, "reach"> & { readonly run: string; readonly settings: Settings };

export function isConfinedBy({ sandbox }: Pick<Works, "sandbox">, settings: Settings): boolean {
  return settings.sandbox !== "off" && sandbox.state().works;
}

/** Part of a launch; empty for a program that runs without a sandbox, which the run then says. */
export async function cellFor(
  works: Pick<Works, "sandbox" | "store" | "clock">,
  { run, settings, ...cell }: Confined,
): Promise<Pick<Launch, "cell">> {
  if (settings.sandbox === "off") return {};
  const state = works.sandbox.state();
  if (state.works) return { cell: { ...cell, reach: settings.reach } };
  if (settings.sandbox === "required")
    throw needsPerson(`sandbox: required, and none works here: ${state.why}`, state.next);
  await noteNew(works, { run, kind: "sandbox" }, [
    `agents of this run are not in a sandbox: ${state.why}. To change that: ${state.next}`,
  ]);
  return {};
}

/**
 * The command line of a turn, and what it can reach: an agent writes in its folder; in a person's own checkout, not in what git keeps
 * there.
 */
export async function callIn(
  works: Pick<Works, "sandbox" | "store" | "clock" | "drivers">,
  of: {
    readonly kept: Kept;
    readonly settings: Settings;
    readonly agent: AgentRow;
    readonly call: Omit<Turn, "isConfined">;
    readonly program: string;
    readonly dir: string;
    readonly env: Readonly<Record<string, string>>;
    readonly workspace: WorkspaceRow;
  },
): Promise<Pick<Launch, "cell" | "argv">> {
  const { kept, settings, agent, call, program: started, dir, env, workspace } = of;
  const { workspace: cwd, harness } = call;
  const driver = works.drivers.of(harness.driver);
  const isOwn = isInPlace(workspace) && cwd === workspace.path;
  const cell = await cellFor(works, {
    run: kept.row.id,
    settings,
    repo: kept.row.repo,
    kind: "turn",
    writable: [cwd],
    readable: [dir, ...(isOwn ? [`${cwd}/.git`] : [])],
    named: { read: harness.files, write: harness.folders },
    keep: `${agent.dir}/cell`,
    program: started,
    files: driver.files(env, started),
  });
  return { ...cell, argv: driver.argv({ ...call, isConfined: cell.cell !== undefined }) };
}
