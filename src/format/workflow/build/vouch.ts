/** Commands that artifacts list for checks: the lists must be complete, and a person must be asked about them. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import { isDoubtful, report, type BuildContext } from "./context.ts";

/** A shortened text would be another command: only lists of whole texts are allowed. */
export function checkListed(
  context: BuildContext,
  { artifacts }: Definition,
  { artifact, path }: { readonly artifact: Artifact; readonly path: Path },
): void {
  const { reader } = artifact;
  if (reader.type !== "check") return;
  for (const [index, { artifact: name, list }] of (reader.from ?? []).entries()) {
    const source = artifacts[name];
    if (source === undefined || isDoubtful(context, name)) continue;
    const at = context.placeOf([...path, "check", "from", index]);
    const lists = "lists" in source.reader ? source.reader.lists : {};
    const declared = Object.hasOwn(lists, list) ? lists[list] : undefined;
    if (declared === undefined)
      report(context, at, {
        code: "unknown-list",
        message: `${name} has no list "${list}"`,
        suggestion: closest(list, Object.keys(lists)),
      });
    else if (typeof declared !== "object" || "id" in declared)
      report(context, at, {
        code: "bad-artifact",
        message: `${name}.${list} is not a list of whole texts: it needs "each" or "begins"`,
      });
  }
}

/** A person can approve only commands that the question shows and that a check runs. */
export function checkVouching(context: BuildContext, { asks, artifacts }: Definition): void {
  const run = new Set(
    Object.values(artifacts).flatMap(({ reader }) =>
      reader.type === "check" ? (reader.from ?? []).map(({ artifact }) => artifact) : [],
    ),
  );
  for (const [ask, { shows, options, parts }] of Object.entries(asks))
    for (const [option, { vouch = [] }] of Object.entries(options))
      for (const [index, name] of vouch.entries()) {
        const why =
          parts !== undefined
            ? "a question in parts has several answers: none of them vouches for a whole artifact"
            : !shows.includes(name)
              ? `"shows" does not name ${name}: a person can approve only what the question shows`
              : `no check takes commands from ${name}`;
        if (parts === undefined && shows.includes(name) && run.has(name)) continue;
        report(context, context.placeOf(["asks", ask, "options", option, "vouch", index]), {
          code: "bad-option",
          message: why,
        });
      }
}
