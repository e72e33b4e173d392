/** Whose workspaces or salvages are meant, as options. */

import { badUsage } from "../app/failure.ts";
import type { Given } from "../app/invocation.ts";
import type { InputOf } from "../app/schemas.ts";

export function scopeIn({ options }: Given): InputOf<"workspaces"> {
  const asked = ["all", "project", "here"].filter((name) => options[name] !== undefined);
  if (asked.length > 1) throw badUsage(`--${asked.join(" and --")} do not go together`, "leave one out");
  return {
    all: options["all"] !== undefined,
    project: options["project"],
    here: options["here"] !== undefined,
  };
}
