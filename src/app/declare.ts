/**
 * What a use case is: what it is for, who may call it, and the handler that carries it out, from data to data.
 *
 * A door calls use cases by name and never sees a handler. The list is light, so that a process which calls one of them reads all of
 * it; handlers and schemas are loaded when they are needed.
 */

import type { CallerKind } from "./caller.ts";
import type { Acting } from "./context.ts";
import type { Outcome } from "./outcome.ts";
import type { Reading } from "./read/reading.ts";
import type { DataOf, InputOf, UseName } from "./schemas.ts";

type Handler<Context, Name extends UseName> = (
  context: Context,
  input: InputOf<Name>,
) => Outcome<DataOf<Name>> | Promise<Outcome<DataOf<Name>>>;

type Declaration<Kind, Context, Name extends UseName> = {
  readonly kind: Kind;
  /** One line, for the reference. */
  readonly about: string;
  /** Everyone else is refused before the handler is called. */
  readonly callers: readonly CallerKind[];
  readonly handler: () => Promise<Handler<Context, Name>>;
};

/** An *act* may write to the journal; a *read* never does, and needs no state home. */
export type Use<Name extends UseName> = Declaration<"act", Acting, Name> | Declaration<"read", Reading, Name>;
