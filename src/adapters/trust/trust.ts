/**
 * Nothing from a repository causes anything to run before a person has trusted exactly that content.
 *
 * What was trusted is kept in the state home, by the repository's real path: a clone elsewhere, or one byte more, is new. It is
 * signed with the human key: a row that somebody else has written there is no trust.
 */

import type { Registry, TrustRow } from "../../engine/ports/registry.ts";
import type { Env } from "../home/paths.ts";
import { keyPath, readKeyFile } from "../person/key-file.ts";
import { countedKeys } from "../person/pin.ts";
import { isSignedBy, partsOf, signatureOf, type Signer } from "../person/signature.ts";
import { UserError } from "../user-error.ts";
import { contentOf, EXIT_UNTRUSTED, type TrustContent } from "./content.ts";

export type TrustStore = Pick<Registry, "trusted" | "humanKeys"> & {
  /** The checkout for which a person has signed, where this is a clone of it on another machine. */
  readonly checkoutOf?: (repo: string) => Promise<string>;
};

/** Where trust is kept, and whose key speaks for it. */
export type Trusting = { readonly store: TrustStore; readonly env: Env };

/** The content, and whether a person trusted exactly this: one reading answers both. */
export async function trustOf(
  on: Trusting,
  repo: string,
): Promise<{ readonly content: TrustContent; readonly isTrusted: boolean }> {
  const content = contentOf(repo);
  return { content, isTrusted: content.digest === "" || (await digestTrusted(on, repo)) === content.digest };
}

export async function isTrusted(on: Trusting, repo: string): Promise<boolean> {
  return (await trustOf(on, repo)).isTrusted;
}

/** Gives the trusted content: whoever goes on must use these bytes, for the files may change at any moment. */
export async function requireTrust(on: Trusting, repo: string): Promise<TrustContent> {
  const { content, isTrusted: isKnown } = await trustOf(on, repo);
  if (isKnown) return content;
  throw new UserError("untrusted", await whyNot(on, repo), { next: "signalbox trust", exit: EXIT_UNTRUSTED });
}

/** As `requireTrust`; but settings that cannot be read are named as such, before it is said that they have changed. */
export async function requireSound(on: Trusting, repo: string): Promise<void> {
  const { content, isTrusted: isKnown } = await trustOf(on, repo);
  if (isKnown) return;
  const { planOf } = await import("./plan.ts");
  const [problem] = (await planOf(content)).problems;
  if (problem !== undefined)
    throw new UserError("invalid-config", problem, "fix .signalbox/config.yaml, then: signalbox trust");
  await requireTrust(on, repo);
}

async function whyNot(on: Trusting, repo: string): Promise<string> {
  const checkout = (await on.store.checkoutOf?.(repo)) ?? repo;
  const kept = (await on.store.trusted(checkout))?.digest ?? "";
  if (kept === "") return `nobody has trusted what ${repo}/.signalbox would run`;
  if ((await digestTrusted(on, repo)) !== "") return `${repo}/.signalbox has changed since it was trusted`;
  const path = keyPath(on.env);
  return readKeyFile(path) === undefined
    ? `your key ${path} is missing, so that nothing shows that you trust ${repo}/.signalbox`
    : `what is kept of trust in ${repo}/.signalbox is not signed with your key`;
}

/** The digest of what a person has trusted, and signed for; empty for none. */
export async function digestTrusted({ store, env }: Trusting, clone: string): Promise<string> {
  const repo = (await store.checkoutOf?.(clone)) ?? clone;
  const row = await store.trusted(repo);
  const parts = partsOf(row?.signature ?? "");
  if (row === undefined || row.digest === "" || parts === undefined) return "";
  const file = readKeyFile(keyPath(env));
  const keys = file === undefined ? [] : await countedKeys(file, store);
  const key = keys.find(({ fingerprint }) => fingerprint === parts.fingerprint);
  return key !== undefined && isSignedBy(key.public, signedText(repo, row), parts.bytes) ? row.digest : "";
}

export function trustRow(
  signer: Signer,
  of: { readonly repo: string; readonly digest: string; readonly at: string },
): TrustRow {
  const { repo, digest, at } = of;
  return { digest, at, signature: signatureOf(signer, signedText(repo, of)) };
}

function signedText(repo: string, { digest, at }: Pick<TrustRow, "digest" | "at">): string {
  return ["signalbox-trust-1", repo, digest, at].join("\n");
}
