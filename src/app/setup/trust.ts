/** A person looks at what a repository would run, and allows exactly that. */

import { contentOf, type TrustContent } from "../../adapters/trust/content.ts";
import { planOf } from "../../adapters/trust/plan.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import { digestTrusted, trustRow } from "../../adapters/trust/trust.ts";
import type { Acting } from "../context.ts";
import type { Looking } from "../declare.ts";
import { EXIT_CONFLICT, EXIT_OK, EXIT_UNTRUSTED, EXIT_USAGE } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import { wake } from "../runs/wake.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { isUntrusted } from "../view/status/trouble.ts";
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
  on: Acting,
  { revoke, shown }: InputOf<"trust">,
): Promise<Outcome<DataOf<"trust">>> {
  const { door, box, who } = on;
  const { store } = box;
  const { main: repo } = repositoryOf(door.cwd);
  await refuseInRun(store, door, "trust");
  // Read once: what is shown is what is trusted, whatever happens to the files meanwhile.
  const content = contentOf(repo);
  if (shown !== undefined && shown !== content.digest)
    throw new UserError("conflict", "Nothing was trusted: .signalbox has changed since it was shown", {
      next: "signalbox trust",
      exit: EXIT_CONFLICT,
    });
  const before = await digestTrusted({ store, env: door.env }, repo);
  const after = revoke ? "" : content.digest;
  const outcome = await outcomeOf(content, { repo, before, after });
  const { problems } = outcome.data.runs;
  if (!revoke && problems.length > 0)
    return broken(await outcomeOf(content, { repo, before, after: before }));
  if (before !== after) {
    const { signerOf } = await import("../../adapters/person/key.ts");
    const signer = await signerOf(who, { pins: store });
    await store.commit([
      { type: "trust", repo, trust: trustRow(signer, { repo, digest: after, at: new Date().toISOString() }) },
    ]);
  }
  // Also where nothing is new: somebody may have put back what was trusted.
  const resumed = revoke ? [] : await resumeUntrusted(on, repo);
  const told = resumed.length === 0 ? [] : [`resumed, since they waited for this: ${resumed.join(", ")}`];
  return { ...outcome, notes: [...outcome.notes, ...told] };
}

/** Runs whose effects failed only because nobody trusted this are tried again at once. */
async function resumeUntrusted(on: Acting, repo: string): Promise<readonly string[]> {
  const { store } = on.box;
  const { rows } = await store.list({ repo, attention: true, limit: RUNS_MAX });
  const failed = rows.filter(({ attention }) => isUntrusted(attention)).map(({ id }) => id);
  const refused = (await store.line()).filter((row) => row.repo === repo && row.refusal !== undefined);
  await store.commit([
    ...failed.map((run) => ({ type: "retry", run }) as const),
    ...refused.map(({ run }) => ({ type: "readmit", run }) as const),
  ]);
  await wake(on);
  return failed;
}

const RUNS_MAX = 1000;

async function outcomeOf(
  content: TrustContent,
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
