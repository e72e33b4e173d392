/**
 * Nothing from a repository causes anything to run before a person has trusted exactly that content.
 *
 * What was trusted is kept in the state home, by the repository's real path: a clone elsewhere, or one byte more, is new.
 */

import type { Registry } from "../../engine/ports.ts";
import { UserError } from "../user-error.ts";
import { contentOf, EXIT_UNTRUSTED, type Content } from "./content.ts";

export type TrustStore = Pick<Registry, "trusted">;

/** The content, and whether a person trusted exactly this: one reading answers both. */
export function trustOf(
  store: TrustStore,
  repo: string,
): { readonly content: Content; readonly isTrusted: boolean } {
  const content = contentOf(repo);
  return { content, isTrusted: content.digest === "" || store.trusted(repo) === content.digest };
}

export function isTrusted(store: TrustStore, repo: string): boolean {
  return trustOf(store, repo).isTrusted;
}

/** Gives the trusted content: whoever goes on must use these bytes, for the files may change at any moment. */
export function requireTrust(store: TrustStore, repo: string): Content {
  const { content, isTrusted: isKnown } = trustOf(store, repo);
  if (isKnown) return content;
  const message =
    (store.trusted(repo) ?? "") === ""
      ? `nobody has trusted what ${repo}/.signalbox would run`
      : `${repo}/.signalbox has changed since it was trusted`;
  throw new UserError("untrusted", message, { next: "signalbox trust", exit: EXIT_UNTRUSTED });
}
