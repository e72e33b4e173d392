/** Artifacts that share one file. */

import type { Workflow } from "../model/compile.ts";

/** The other artifacts that are read from the same file. Sections do not count: they are parts of a file. */
export function othersOf({ definition: { artifacts } }: Workflow, name: string): readonly string[] {
  const file = artifacts[name]?.file ?? "";
  const isOfIt = (other: string): boolean =>
    artifacts[other]?.file === file && artifacts[other].reader.type !== "section";
  return file === "" || !isOfIt(name)
    ? []
    : Object.keys(artifacts).filter((other) => other !== name && isOfIt(other));
}
