/** One file that is read in several ways. */

import type { Workflow } from "../model/compile.ts";

/** The other artifacts that are read from the same file. A section is a part of it, and no reading of the whole. */
export function othersOf({ definition: { artifacts } }: Workflow, name: string): readonly string[] {
  const file = artifacts[name]?.file ?? "";
  const isOfIt = (other: string): boolean =>
    artifacts[other]?.file === file && artifacts[other].reader.type !== "section";
  return file === "" || !isOfIt(name)
    ? []
    : Object.keys(artifacts).filter((other) => other !== name && isOfIt(other));
}
