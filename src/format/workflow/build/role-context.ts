/** What a role must read before it begins, and what it may: as with keys of shapes, a name that ends in `?` may be missing. */

import type { Role } from "../../../core/model/workflow.ts";
import { listOf, requireName, type Context, type Path } from "./context.ts";

export function buildRoleContext(
  context: Context,
  named: string | readonly string[] | undefined,
  path: Path,
): Pick<Role, "context" | "optional"> {
  const names = listOf<string>(named);
  names.forEach((name, index) =>
    requireName(context, {
      kind: "artifact",
      name: bare(name),
      known: context.names.artifacts,
      path: typeof named === "string" ? path : [...path, index],
    }),
  );
  // What is named both ways is needed: whoever mends must read what is wrong, whatever its role says.
  const once = names.filter((name) => name === bare(name) || !names.includes(bare(name)));
  const optional = once.filter((name) => name !== bare(name)).map(bare);
  return { context: once.map(bare), ...(optional.length === 0 ? {} : { optional }) };
}

function bare(name: string): string {
  return name.endsWith("?") ? name.slice(0, -1) : name;
}
