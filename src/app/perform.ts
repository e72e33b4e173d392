/** Carries out one call of a use case in this process: the caller is established and checked, then the handler does the work. */

import { UserError } from "../adapters/user-error.ts";
import type { Use } from "./declare.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import { withStore } from "./runs/find.ts";
import type { DataOf, InputOf, SCHEMAS, UseName } from "./schemas.ts";
import { USES } from "./uses.ts";

export async function perform<Name extends UseName>(
  door: Invocation,
  name: Name,
  input: InputOf<Name>,
): Promise<Outcome<DataOf<Name>>> {
  const use: Use<Name> = USES[name];
  const { callers } = use;
  switch (use.kind) {
    case "act": {
      const [{ acting }, { authorise }, handle] = await Promise.all([
        import("./context.ts"),
        import("./caller.ts"),
        use.handler(),
      ]);
      return acting(door, (on) => {
        const who = authorise({ name, callers }, on.who, door);
        return handle({ ...on, who }, input);
      });
    }
    case "read": {
      const [{ authorise, callerOf }, handle] = await Promise.all([import("./caller.ts"), use.handler()]);
      return withStore(door, async (store) => {
        const who = authorise({ name, callers }, await callerOf(door, store), door);
        return handle({ door, store, who }, input);
      });
    }
    case "look": {
      const handle = await use.handler();
      return withStore(door, (store) => handle({ door, store }, input));
    }
    case "local": {
      const handle = await use.handler();
      if (!callers.includes("nobody")) {
        const { authorise, callerWithoutStore } = await import("./caller.ts");
        authorise({ name, callers }, callerWithoutStore(door), door);
      }
      return handle(door, input);
    }
  }
}

/** Carries out a call that another process has made: nothing says that its input is what the use case takes. */
export async function performUntyped(
  door: Invocation,
  name: string,
  input: unknown,
): Promise<Outcome<unknown>> {
  if (!isUse(name)) throw new UserError("bad-usage", `there is no use case "${name}"`, "signalbox --help");
  const schemas = await import("./schemas.ts");
  requireInput(name, schemas.SCHEMAS[name].input, input);
  return perform(door, name, input);
}

function isUse(name: string): name is UseName {
  return Object.hasOwn(USES, name);
}

/** Only checks: the use case gets the input as it came, because no schema of an input converts a value. */
function requireInput<Name extends UseName>(
  name: Name,
  schema: (typeof SCHEMAS)[Name]["input"],
  input: unknown,
): asserts input is InputOf<Name> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return;
  const path = parsed.error.issues[0]?.path ?? [];
  const place = path.length === 0 ? "its input" : path.map(String).join(".");
  throw new UserError("bad-usage", `${name} cannot use ${place}`, "signalbox --help");
}
