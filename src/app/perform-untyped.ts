/** Carries out a call that another process has made: nothing says that its input is what the use case takes. */

import { UserError } from "../adapters/user-error.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import { perform } from "./perform.ts";
import { SCHEMAS, type InputOf, type UseName } from "./schemas.ts";

export async function performUntyped(
  door: Invocation,
  name: string,
  input: unknown,
): Promise<Outcome<unknown>> {
  if (!isUse(name)) throw new UserError("bad-usage", `there is no use case "${name}"`, "signalbox --help");
  requireInput(name, input);
  return perform(door, name, input);
}

function isUse(name: string): name is UseName {
  return Object.hasOwn(SCHEMAS, name);
}

/** No schema changes what it accepts. */
function requireInput<Name extends UseName>(name: Name, input: unknown): asserts input is InputOf<Name> {
  const parsed = SCHEMAS[name].input.safeParse(input);
  if (parsed.success) return;
  const path = parsed.error.issues[0]?.path ?? [];
  const place = path.length === 0 ? "its input" : path.map(String).join(".");
  throw new UserError("bad-usage", `${name} cannot use ${place}`, "signalbox --help");
}
