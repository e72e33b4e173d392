/** What is tagged, and how it is called, is for people to ask for: the parameter is empty until one of them fills it in. */

import { notAsked } from "../../../core/gates/requested-tags.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import type { Build } from "./builder.ts";
import { report } from "./context.ts";

export function checkTags({ context, named }: Build, definition: Definition): void {
  for (const { kind, name, path } of named) {
    const why =
      kind === "tag" && !context.isTroubled(["params", name]) ? notAsked(definition, name) : undefined;
    if (why === undefined) continue;
    const message = `a tag is asked for by a person, in a text that is empty until then: ${why}`;
    report(context, context.placeOf(path), { code: "bad-action", message });
  }
}
