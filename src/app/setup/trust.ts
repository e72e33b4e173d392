/** A person looks at what a repository would run, and allows exactly that. */

import { contentOf, type Content } from "../../adapters/trust/content.ts";
import { planOf } from "../../adapters/trust/plan.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import { digestTrusted, trustRow } from "../../adapters/trust/trust.ts";
import type { Acting } from "../context.ts";
import type { Looking } from "../declare.ts";
import { EXIT_OK, EXIT_UNTRUSTED, EXIT_USAGE } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { refuseInRun } from "./repository.ts";

export async function trustPlan({ door, store }: Looking): Promise<Outcome<DataOf<"trust-plan">>> {
  const { main: repo } = repositoryOf(door.cwd);
  await refuseInRun(store, door, "trust");
  const content = contentOf(repo);
  const trusted = store === undefined ? "" : await digestTrusted({ store, env: door.env }, repo);
  const outcome = await outcomeOf(content, { repo, before: trusted, after: trusted });
  return outcome.data.trusted ? outcome : { ...outcome, exit: EXIT_UNTRUSTED, code: "untrusted" };
}

export async function trust(
  { door, box: { store }, who }: Acting,
  { revoke }: InputOf<"trust">,
): Promise<Outcome<DataOf<"trust">>> {
  const { main: repo } = repositoryOf(door.cwd);
  await refuseInRun(store, door, "trust");
  // Read once: what is shown is what is trusted, whatever happens to the files meanwhile.
  const content = contentOf(repo);
  const before = await digestTrusted({ store, env: door.env }, repo);
  const after = revoke ? "" : content.digest;
  const outcome = await outcomeOf(content, { repo, before, after });
  const { problems } = outcome.data.runs;
  if (!revoke && problems.length > 0)
    return broken(await outcomeOf(content, { repo, before, after: before }));
  if (before === after) return outcome;
  const { signerOf } = await import("../../adapters/person/key.ts");
  const signer = await signerOf(who, { pins: store });
  await store.commit([
    { type: "trust", repo, trust: trustRow(signer, { repo, digest: after, at: new Date().toISOString() }) },
  ]);
  return outcome;
}

async function outcomeOf(
  content: Content,
  { repo, before, after }: { readonly repo: string; readonly before: string; readonly after: string },
): Promise<Outcome<DataOf<"trust">>> {
  const runs = await planOf(content);
  const { digest } = content;
  const trusted = digest === "" || after === digest;
  const data = { repo, digest, trusted, changed: before !== after, runs };
  // What cannot be used would be found out when a run does not begin.
  const isWrong = runs.problems.length > 0;
  const command = isWrong ? "fix .signalbox/config.yaml, then: signalbox trust" : "signalbox trust";
  const next = trusted && !isWrong ? "signalbox workflows" : command;
  return { exit: EXIT_OK, code: "ok", message: sayTrust(data), data, next, notes: [] };
}

/** Nothing is trusted that cannot be read: what it would run is not known. */
function broken(outcome: Outcome<DataOf<"trust">>): Outcome<DataOf<"trust">> {
  const message = "Nothing was trusted: fix the problems above first.";
  return { ...outcome, exit: EXIT_USAGE, code: "invalid-config", message };
}

function sayTrust({ digest, trusted, changed }: DataOf<"trust">): string {
  if (digest === "") return "There is nothing to trust: nothing in .signalbox makes anything run.";
  if (trusted)
    return changed
      ? "Trusted: Signalbox may run exactly this."
      : "Trusted already: Signalbox may run exactly this.";
  return changed
    ? "You do not trust this any more: nothing of it runs."
    : "Nobody trusts this: nothing of it runs.";
}
