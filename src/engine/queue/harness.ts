/** Which harness a turn is started with, and that nothing holds it up. */

import { valueOf } from "../../core/gates/artifact-status.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import type { Works } from "../box.ts";
import type { Kept } from "../ports/journal.ts";
import type { RunAttempt } from "../ports/registry.ts";
import type { Harness, Settings } from "../ports/settings.ts";
import { requireUnparked } from "./parks.ts";
import { needsPerson } from "../supervise/later.ts";

/** The harness of the role. Throws where its turns, or this one, are parked. */
export async function unparkedHarness(works: Works, { row, run }: Kept, agent: RunAttempt): Promise<Harness> {
  const [settings, workflow] = [await works.settings(row.repo), await works.workflow(row.definition)];
  const harness = harnessOf(settings, nameFor(workflow, run, agent.role));
  await requireUnparked(works, agent, harness.name);
  return harness;
}

/** The harness that a turn was started with, as the settings have it now. */
export async function harnessOfTurn(
  works: Works,
  { row, run }: Kept,
  { role }: RunAttempt,
): Promise<Harness> {
  const [settings, workflow] = [await works.settings(row.repo), await works.workflow(row.definition)];
  return harnessOf(settings, nameFor(workflow, run, role));
}

/** Empty for the harness of roles that name none. */
function nameFor({ definition }: Workflow, run: Run, role: string): string {
  const named = definition.roles[role]?.harness;
  return named === undefined ? "" : String(valueOf(run, named));
}

export function harnessOf(settings: Settings, name: string): Harness {
  const harness = settings.harness(name);
  if (harness !== undefined) return harness;
  const message = `there is no harness "${name}"; there are ${settings.harnesses.join(", ")}`;
  throw needsPerson(message, `add ${name} to harnesses in .signalbox/config.yaml`);
}
