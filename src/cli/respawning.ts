/** A person has an agent started again that has crashed. */

import { ask, type Acting, type Done } from "./acting.ts";

export function respawnRole(
  on: Acting,
  of: { readonly run: string; readonly role: string; readonly key?: string | undefined },
): Promise<Done> {
  const { run, role, key } = of;
  return ask(on, {
    run,
    ...(key === undefined ? {} : { key }),
    event: ({ at }, by) => ({ type: "respawn-asked", by, at, role }),
    // Nothing that is read plays a part in it.
    facts: {},
  });
}
