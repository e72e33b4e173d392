/**
 * The work besides what rules leave out, as one content. A run looks at it with the work itself, and git is asked once about each work.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import { sha256 } from "../../format/sha256.ts";
import type { Box } from "../box.ts";

type Looked = {
  readonly run: Run;
  readonly workflow: Workflow;
  readonly path: string;
  /** Empty where nothing is known of the work: then nothing that is about it counts. */
  readonly tree: string;
};

export async function readBesides(box: Box, on: Looked): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  for (const [artifact, { reader }] of Object.entries(on.workflow.definition.artifacts))
    if (reader.type === "files" && reader.select === "besides")
      readings.push(
        await readingOf(box, on, { artifact, rules: String(on.run.params[reader.besides.param] ?? "") }),
      );
  return readings;
}

async function readingOf(
  { store, workspaces }: Box,
  { run, path, tree }: Looked,
  { artifact, rules }: { readonly artifact: string; readonly rules: string },
): Promise<Reading> {
  const none: Reading = { artifact, slot: "", found: false, digest: "", faults: [], fields: {}, lists: {} };
  if (tree === "") return none;
  const { definition } = run;
  const at = { definition, file: `besides ${artifact}`, digest: sha256(`${tree}\0${rules}`) };
  const known = (await store.readings(at))?.[0];
  if (known !== undefined) return known;
  const reading = { ...none, found: true, digest: `tree:${await workspaces.besides(path, { tree, rules })}` };
  await store.commit([{ type: "put-readings", ...at, readings: [reading] }]);
  return reading;
}
