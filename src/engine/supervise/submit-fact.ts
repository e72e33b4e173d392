/** How something ended that was ordered is told to its run, as a fact with fields. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Works } from "../box.ts";
import { project } from "../submit/project.ts";
import { submit } from "../submit/submit.ts";

export type Told = {
  readonly run: string;
  readonly fact: string;
  /** The deed that it is the end of: each has an end of its own, though it may say what an earlier one said. */
  readonly key: string;
  readonly fields: Readonly<Record<string, Literal>>;
};

/** The artifacts of a workflow that are this fact. */
export function artifactsOf({ definition }: Workflow, fact: string): readonly string[] {
  return Object.entries(definition.artifacts).flatMap(([name, { reader }]) =>
    reader.type === "fact" && reader.fact === fact ? [name] : [],
  );
}

/** Told twice, it is told once. A run that is over hears nothing any more. */
export async function tellFact(works: Works, { run, fact, key, fields }: Told): Promise<void> {
  const kept = await works.store.load(run);
  if (kept === undefined) return;
  const artifacts = artifactsOf(await works.workflow(kept.row.definition), fact);
  if (artifacts.length === 0) return;
  const digest = `${fact}:${key}:${Object.values(fields).join(":")}`;
  const readings = artifacts.map((artifact) => ({
    artifact,
    slot: "",
    found: true,
    digest,
    faults: [],
    fields,
    lists: {},
  }));
  const told = await submit(works, {
    run,
    by: { type: "engine" },
    key: `${fact}:${key}`,
    event: ({ at, tree, reserved }) => ({
      type: "observed",
      at,
      readings,
      ...(tree === undefined ? {} : { tree }),
      ...(reserved === undefined ? {} : { reserved }),
    }),
  });
  if (told.type === "refused" && told.refusal.code !== "finished")
    throw new Error(`${fact} of ${run}: ${told.refusal.message}`);
  await project(works, run);
}
