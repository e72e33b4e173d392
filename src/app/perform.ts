/** Carries out one call of a use case in this process: the caller is established and checked, then the handler does the work. */

import { authorise, callerOf } from "./caller.ts";
import { acting } from "./context.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import { withStore } from "./runs/find.ts";
import type { DataOf, InputOf, UseName } from "./schemas.ts";
import type { Use } from "./declare.ts";
import { USES } from "./uses.ts";

export async function perform<Name extends UseName>(
  door: Invocation,
  name: Name,
  input: InputOf<Name>,
): Promise<Outcome<DataOf<Name>>> {
  const use: Use<Name> = USES[name];
  const { callers } = use;
  if (use.kind === "read") {
    const read = await use.handler();
    return withStore(door, (store) => {
      const who = callerOf(door, store);
      authorise({ name, callers }, who);
      return read({ door, store, who }, input);
    });
  }
  const act = await use.handler();
  return acting(door, (on) => {
    authorise({ name, callers }, on.who);
    return act(on, input);
  });
}
