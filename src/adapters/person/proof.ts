/**
 * What speaks for a person's act, kept with the event: who, at which terminal, from which processes, and a signature.
 *
 * The signature is over the run, the sequence number, the hash before it, the event and all of the rest, so that nothing of it can
 * be taken to another place or told differently.
 */

import type { Event } from "../../core/model/event.ts";
import { apartOf, isSuspect } from "../../engine/submit/caller-signs.ts";
import { unnamedKeys } from "../../engine/human-keys.ts";
import type { Proof, Recorded } from "../../engine/ports/journal.ts";
import type { ChainPlace } from "../../engine/submit/write.ts";
import type { Registry } from "../../engine/ports/registry.ts";
import type { Env } from "../home/paths.ts";
import { keyPath, readKeyFile, type KeyFile } from "./key-file.ts";
import { isSignedBy, partsOf, signatureOf, keysOf, type Signer, type KnownKey } from "./signature.ts";
import { requirePerson, type Who } from "./who.ts";
import { canonical } from "../../format/workflow/hash.ts";

type SignedAct = ChainPlace & { readonly run: string; readonly event: Event };

/** For `Request.prove`: the place in the chain is that of the run which the decision was made on. */
export function prover(of: {
  readonly who: Who;
  readonly signer: Signer;
  readonly run: string;
  readonly event: Event;
  /** Agents of the run whose attempt is not over. */
  readonly agents?: readonly string[];
}): (link: ChainPlace) => Proof {
  const person = requirePerson(of.who);
  const { ancestry, terminal } = person.lineage();
  const { agents = [] } = of;
  const about = {
    user: person.name,
    terminal,
    ancestry,
    cgroup: person.procs.controlGroup(),
    ...(agents.length === 0 ? {} : { agents }),
  };
  return (link) => {
    const text = signedText({ ...link, run: of.run, event: of.event }, about);
    return { ...about, signature: signatureOf(of.signer, text) };
  };
}

/** What is wrong with a proof. `notice`: worth telling, and no sign of forgery by itself. */
export type Flaw = { readonly type: "forged" | "notice"; readonly text: string };

/** Says of any event what is wrong with its proof; reads the key once. */
export async function proofChecker(
  env: Env,
  pins?: Pick<Registry, "humanKeys">,
): Promise<(recorded: Recorded) => Flaw | undefined> {
  const unnamed = unnamedKeys((await pins?.humanKeys()) ?? []);
  let keys: KnownKeys["keys"] | undefined;
  let isRead = false;
  return (recorded) => {
    if (!isPersons(recorded)) return undefined;
    if (!isRead) keys = keysIn(readKeyFile(keyPath(env)));
    isRead = true;
    return judge(recorded, { keys, unnamed });
  };
}

type KnownKeys = { readonly keys: readonly KnownKey[] | undefined; readonly unnamed: ReadonlySet<string> };

function keysIn(file: KeyFile | undefined): KnownKeys["keys"] {
  return file === undefined ? undefined : keysOf(file);
}

/** What a person did, not what followed from it: that is worked out again by whoever checks. */
function isPersons({ event }: Pick<Recorded, "event">): boolean {
  return "by" in event && typeof event.by === "object" && event.by.type === "human";
}

function judge(recorded: Recorded, { keys, unnamed }: KnownKeys): Flaw | undefined {
  const { proof } = recorded;
  if (proof === undefined || proof.signature === "") return forged("a person's act without a signature");
  const parts = partsOf(proof.signature);
  if (parts === undefined) return forged("a signature of no known form");
  const { fingerprint, bytes } = parts;
  if (keys === undefined)
    return { type: "notice", text: `signed with the key ${fingerprint}, which is not here to check it` };
  const key = keys.find((one) => one.fingerprint === fingerprint);
  if (key === undefined) return forged(`signed with another key, ${fingerprint}`);
  const { signature: _signature, ...about } = proof;
  if (!isSignedBy(key.public, signedText(recorded, about), bytes))
    return forged("a wrong signature: it was not made for this act");
  if (isAfter(recorded.at, key.until))
    return forged(`signed with the key ${fingerprint} after it was replaced at ${key.until}`);
  const worth = [
    ...(key.lostAt !== "" || unnamed.has(fingerprint) ? [sayUnnamed(key)] : []),
    ...(isSuspect(proof) ? [`signed with ${apartOf(proof).join(", ")}`] : []),
  ];
  return worth.length === 0 ? undefined : { type: "notice", text: worth.join("; ") };
}

function sayUnnamed({ fingerprint, lostAt }: KnownKey): string {
  const since = lostAt === "" ? "" : ` at ${lostAt}`;
  return `signed with the key ${fingerprint}, which came in${since} by "key --lost", not named by the one before it`;
}

/** Whoever had the key in hand while it was replaced may use it for a moment. */
const GRACE_MS = 60_000;

function isAfter(at: string, until: string): boolean {
  return until !== "" && Date.parse(at) > Date.parse(until) + GRACE_MS;
}

function forged(text: string): Flaw {
  return { type: "forged", text };
}

function signedText(act: SignedAct, about: Omit<Proof, "signature">): string {
  const { run, seq, prev, event } = act;
  return ["signalbox-act-1", run, String(seq), prev, canonical(event), canonical(about)].join("\n");
}
