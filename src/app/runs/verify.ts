/** Whether runs are what their history says, and whether people did what their signatures say. */

import { keyPath, readKeyFile } from "../../adapters/person/key-file.ts";
import { keyFault } from "../../adapters/person/pin.ts";
import { proofChecker, type Flaw } from "../../adapters/person/proof.ts";
import type { UserError } from "../../adapters/user-error.ts";
import { compile } from "../../core/model/compile.ts";
import type { Recorded } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { auditor } from "../../engine/submit/audit.ts";
import type { Looking } from "../declare.ts";
import { EXIT_DAMAGED, EXIT_OK } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { runMeant } from "./find.ts";

type VerifiedRun = DataOf<"verify">["runs"][number];

export async function verify(
  { door, store }: Looking,
  { run: word, all = false }: InputOf<"verify">,
): Promise<Outcome<DataOf<"verify">>> {
  const known = all && store !== undefined ? await store.knownRuns() : [];
  const ids = all ? known : [await meant(store, door, word)];
  if (store === undefined) return outcomeOf([], undefined);
  const check = await proofChecker(door.env, store);
  const runs: VerifiedRun[] = [];
  for (const id of ids) runs.push(await verifyOne(store, id, check));
  const path = keyPath(door.env);
  return outcomeOf(runs, await keyFault(readKeyFile(path), { pins: store, path }));
}

/** A run whose row is lost has a history all the same. */
async function meant(store: Store | undefined, door: Invocation, word: string | undefined): Promise<string> {
  try {
    return await runMeant(store, door, word);
  } catch (error) {
    const known = (await store?.knownRuns()) ?? [];
    if (word !== undefined && known.includes(word)) return word;
    throw error;
  }
}

async function verifyOne(
  store: Store,
  run: string,
  check: (recorded: Recorded) => Flaw | undefined,
): Promise<VerifiedRun> {
  const notices: { seq: number; text: string }[] = [];
  let audit: ReturnType<typeof auditor> | undefined;
  const verified = await store.verify(run, (recorded, definition) => {
    const flaw = check(recorded);
    if (flaw?.type === "notice") notices.push({ seq: recorded.seq, text: flaw.text });
    if (flaw?.type === "forged") return flaw.text;
    if (definition !== undefined) audit ??= auditor(compile(definition, () => recorded.definition));
    return audit?.(recorded);
  });
  return { run, ok: verified.ok, seq: verified.seq, reason: verified.ok ? "" : verified.reason, notices };
}

function outcomeOf(runs: readonly VerifiedRun[], key: UserError | undefined): Outcome<DataOf<"verify">> {
  const first = runs.find(({ ok }) => !ok);
  const isWell = first === undefined && key === undefined;
  const said =
    first === undefined
      ? `${runs.length} ${runs.length === 1 ? "run is" : "runs are"} whole`
      : `run ${first.run} is bad ${first.seq === 0 ? "in its row" : `at event ${first.seq}`}: ${first.reason}`;
  return {
    exit: isWell ? EXIT_OK : EXIT_DAMAGED,
    code: isWell ? "ok" : "damaged",
    message: key?.message ?? said,
    data: { runs, key: key?.message ?? "" },
    // A history must not be repaired by what another key says of it.
    next: key?.next ?? (first === undefined ? "signalbox list" : "signalbox doctor --repair"),
    notes: [],
  };
}
