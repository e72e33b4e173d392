/**
 * The use cases that a page has, which of them decide, and what a page may send.
 *
 * No field takes a command, a path or a definition: a page names a run, an option or words of a person. A page that decides needs a
 * person's permission beside its session.
 */

import type { InputOf, UseName } from "../schemas.ts";

export type PageRoute = { readonly kind: "look" | "decide"; readonly fields: readonly string[] };

function look<Name extends UseName>(
  _name: Name,
  ...fields: readonly (keyof InputOf<Name> & string)[]
): PageRoute {
  return { kind: "look", fields };
}

function decide<Name extends UseName>(
  _name: Name,
  ...fields: readonly (keyof InputOf<Name> & string)[]
): PageRoute {
  return { kind: "decide", fields };
}

export const ROUTES = {
  inbox: look("inbox"),
  list: look("list", "all", "limit"),
  show: look("show", "run"),
  history: look("history", "run", "limit", "words"),
  logs: look("logs", "run", "role", "check"),
  projects: look("projects"),
  picture: look("picture", "run"),
  diff: look("diff", "run"),
  create: decide("create", "project", "summary", "key"),
  answer: decide("answer", "decision", "value", "text", "parts", "shown", "entry", "key"),
  accept: decide("accept", "run", "text", "to", "shown", "entry", "key"),
  "send-back": decide("send-back", "run", "text", "to", "shown", "entry", "key"),
  retry: decide("retry", "run", "text", "to", "shown", "entry", "key"),
  cancel: decide("cancel", "run", "text", "entry", "key"),
} as const satisfies Readonly<Partial<Record<UseName, PageRoute>>>;

export function routeOf(name: string): PageRoute | undefined {
  return Object.entries(ROUTES).find(([use]) => use === name)?.[1];
}
