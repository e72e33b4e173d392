/** The texts that a run begins with: its first event accepts them, and the store keeps them with it. */

import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { ArtifactText } from "../../engine/ports/files.ts";
import { unknownArtifact } from "../act/artifact/submit.ts";

const HELP = "signalbox run --help";

/** Read only when everything else is good. */
export type Texts = readonly { readonly artifact: string; readonly text: () => string }[];

export function textsToBeginWith(workflow: Workflow, texts: Texts): readonly ArtifactText[] {
  const { artifacts } = workflow.definition;
  if (workflow.isInPlace && texts.length > 0)
    throw new UserError(
      "bad-usage",
      "a run that works in place begins with what is in the checkout",
      "write the file there, and begin without it",
    );
  return texts.map(({ artifact, text }) => {
    const declared = Object.hasOwn(artifacts, artifact) ? artifacts[artifact] : undefined;
    if (declared === undefined) throw unknownArtifact(artifact, Object.keys(artifacts));
    if (declared.file === "" || declared.each !== undefined || declared.every !== undefined)
      throw new UserError("bad-usage", `${artifact} is nothing that a run could begin with`, HELP);
    return { artifact, slot: "", text: text() };
  });
}
