/**
 * What a use case is: who may call it, and the handler that carries it out, from data to data. `schemas.ts` says what each takes and gives.
 *
 * A door calls use cases by name and never sees a handler. The list is light, so that a process which calls one of them reads all of
 * it; handlers and schemas are loaded when they are needed.
 */

import type { Who } from "../adapters/person/who.ts";
import type { Store } from "../engine/ports/store.ts";
import type { CallerKind } from "./caller.ts";
import type { Acting } from "./context.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import type { DataOf, InputOf, UseName } from "./schemas.ts";

/** What a call for everybody works with: nothing has to be known about the caller. */
export type Looking = {
  readonly door: Invocation;
  /** Undefined where nothing was ever started. */
  readonly store: Store | undefined;
};

export type Reading = Looking & { readonly who: Who };

type Handler<Context, Name extends UseName> = (
  context: Context,
  input: InputOf<Name>,
) => Outcome<DataOf<Name>> | Promise<Outcome<DataOf<Name>>>;

type Declaration<Kind, Context, Name extends UseName> = {
  readonly kind: Kind;
  /** Everyone else is refused before the handler is called. */
  readonly callers: readonly CallerKind[];
  readonly handler: () => Promise<Handler<Context, Name>>;
};

/**
 * An *act* may write to the journal, and makes the state home where there is none. A *read* never writes to the journal, and needs no
 * state home; a *look* is a read for everybody. What is *local* needs no store at all.
 */
export type Use<Name extends UseName> =
  | Declaration<"act", Acting, Name>
  | Declaration<"read", Reading, Name>
  | Declaration<"look", Looking, Name>
  | Declaration<"local", Invocation, Name>;

export const EVERYBODY: readonly CallerKind[] = ["person", "agent", "outside-agent", "nobody"];

export function act<Name extends UseName>(
  callers: readonly CallerKind[],
  handler: () => Promise<Handler<Acting, Name>>,
): Use<Name> {
  return { kind: "act", callers, handler };
}

export function read<Name extends UseName>(
  callers: readonly CallerKind[],
  handler: () => Promise<Handler<Reading, Name>>,
): Use<Name> {
  return { kind: "read", callers, handler };
}

export function look<Name extends UseName>(handler: () => Promise<Handler<Looking, Name>>): Use<Name> {
  return { kind: "look", callers: EVERYBODY, handler };
}

export function local<Name extends UseName>(
  handler: () => Promise<Handler<Invocation, Name>>,
  callers: readonly CallerKind[] = EVERYBODY,
): Use<Name> {
  return { kind: "local", callers, handler };
}
