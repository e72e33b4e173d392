/**
 * What speaks for a person's act, kept with the event: who, at which terminal, from which processes, and a signature.
 *
 * The signature is over the run, the sequence number, the hash before it, the event and all of the rest, so that nothing of it can
 * be taken to another place or told differently.
 */

import { createPublicKey, verify } from "node:crypto";
import type { Event } from "../../core/event.ts";
import type { Entry, Proof, Recorded } from "../../engine/ports.ts";
import type { Env } from "../home/paths.ts";
import { fingerprintOf, type Signer } from "./key.ts";
import { keyPath, readKeyFile, type KeyFile } from "./key-file.ts";
import { requirePerson, type Who } from "./who.ts";

const FORM = "ed25519";

type Link = { readonly seq: number; readonly prev: string };
type Act = Link & { readonly run: string; readonly event: Event };

/** For `Entry.prove`: called when the place in the chain is known. */
export function prover(of: {
  readonly who: Who;
  readonly signer: Signer;
  readonly run: string;
  readonly event: Event;
}): NonNullable<Entry["prove"]> {
  const person = requirePerson(of.who);
  const { ancestry, terminal } = person.lineage();
  const about = { user: person.name, terminal, ancestry, cgroup: person.procs.controlGroup() };
  return (link) => {
    const text = signedText({ ...link, run: of.run, event: of.event }, about);
    return { ...about, signature: `${FORM}:${of.signer.fingerprint}:${of.signer.sign(text)}` };
  };
}

/** What is wrong with a proof. `notice`: worth telling, and no sign of forgery by itself. */
export type Flaw = { readonly type: "forged" | "notice"; readonly text: string };

/** Says of any event what is wrong with its proof; reads the key once. */
export function proofChecker(env: Env): (recorded: Recorded) => Flaw | undefined {
  let key: { readonly file: KeyFile | undefined } | undefined;
  return (recorded) => {
    if (!isPersons(recorded)) return undefined;
    key ??= { file: readKeyFile(keyPath(env)) };
    return judge(recorded, key.file);
  };
}

/** What a person did, not what followed from it: that is worked out again by whoever checks. */
function isPersons({ event }: Pick<Recorded, "event">): boolean {
  return "by" in event && typeof event.by === "object" && event.by.type === "human";
}

function judge(recorded: Recorded, key: KeyFile | undefined): Flaw | undefined {
  const { proof } = recorded;
  if (proof === undefined || proof.signature === "") return forged("a person's act without a signature");
  const [form, fingerprint = "", signature = "", ...more] = proof.signature.split(":");
  if (form !== FORM || more.length > 0) return forged("a signature of no known form");
  if (key === undefined)
    return { type: "notice", text: `signed with the key ${fingerprint}, which is not here to check it` };
  const { signature: _signature, ...about } = proof;
  const text = signedText(recorded, about);
  const isBy = (publicKey: string): boolean =>
    fingerprintOf(publicKey) === fingerprint && isSigned(text, publicKey, signature);
  if (fingerprintOf(key.public) === fingerprint)
    return isBy(key.public) ? undefined : forged("a wrong signature: it was not made for this act");
  const former = key.former.find((one) => isBy(one.public));
  if (former !== undefined)
    return {
      type: "notice",
      text: `signed with another key, ${fingerprint}, which was replaced at ${former.until}`,
    };
  return forged(`signed with another key, ${fingerprint}`);
}

function forged(text: string): Flaw {
  return { type: "forged", text };
}

function isSigned(text: string, publicKey: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64url"), format: "der", type: "spki" });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"));
  } catch {
    // What is no key has signed nothing.
    return false;
  }
}

function signedText(act: Act, about: Omit<Proof, "signature">): string {
  const { run, seq, prev, event } = act;
  return ["signalbox-act-1", run, String(seq), prev, canonical(event), canonical(about)].join("\n");
}

/** The same text before it is written and after it is read, whatever the order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`;
}
