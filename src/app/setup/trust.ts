/** A person looks at what a repository would run, and allows exactly that. */

import { contentOf, type TrustContent } from "../../adapters/trust/content.ts";
import { planOf } from "../../adapters/trust/plan.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";
import { readSettings } from "../../adapters/config/read.ts";
import { UserError } from "../../adapters/user-error.ts";
import { digestTrusted, trustRow } from "../../adapters/trust/trust.ts";
import { nameInNote, type Acting } from "../context.ts";
import type { Looking } from "../declare.ts";
import { EXIT_CONFLICT, EXIT_OK, EXIT_UNTRUSTED, EXIT_USAGE } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import { wake } from "../runs/wake.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { isUntrusted } from "../view/status/trouble.ts";
import { noteAll } from "../../engine/notes.ts";
import { sayChanges } from "../../engine/pins/pin.ts";
import { sha256 } from "../../format/sha256.ts";
import { changedSettings, keptPin, pinnedRuns, renewed, type PinnedRun } from "./pinned-runs.ts";
import { refuseInRun } from "./repository.ts";

export async function trustPlan({ door, store }: Looking): Promise<Outcome<DataOf<"trust-plan">>> {
  const { main: repo } = repositoryOf(door.cwd);
  await refuseInRun(store, door, "trust");
  const content = contentOf(repo);
  const trusted = store === undefined ? "" : await digestTrusted({ store, env: door.env }, repo);
  const pinned = store === undefined ? [] : await pinnedRuns({ door, store }, { repo, content });
  const outcome = await outcomeOf(content, { repo, before: trusted, after: trusted, pinned });
  const { trusted: isTrusted, changes } = outcome.data;
  if (isTrusted && changes.length === 0) return outcome;
  const runs = [...new Set(changes.flatMap((change) => change.runs))];
  const message = isTrusted
    ? `Settings have changed since these runs began: ${runs.join(", ")}.`
    : outcome.message;
  return {
    ...outcome,
    exit: EXIT_UNTRUSTED,
    code: "untrusted",
    message,
    next: isTrusted ? "signalbox trust" : outcome.next,
  };
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
  const pinned = revoke ? [] : await pinnedRuns({ door, store }, { repo, content });
  if (shown !== undefined && shown !== shownOf(content, pinned))
    throw new UserError("conflict", "Nothing was trusted: settings have changed since they were shown", {
      next: "signalbox trust",
      exit: EXIT_CONFLICT,
    });
  const before = await digestTrusted({ store, env: door.env }, repo);
  const after = revoke ? "" : content.digest;
  const outcome = await outcomeOf(content, { repo, before, after, pinned });
  const { problems } = outcome.data.runs;
  if (!revoke && problems.length > 0)
    return broken(await outcomeOf(content, { repo, before, after: before, pinned }));
  if (before !== after) {
    const { signerOf } = await import("../../adapters/person/key.ts");
    const signer = await signerOf(who, { pins: store });
    await store.commit([
      { type: "trust", repo, trust: trustRow(signer, { repo, digest: after, at: new Date().toISOString() }) },
    ]);
  }
  // Also where nothing is new: somebody may have put back what was trusted.
  await renewPins(on, { repo, pinned });
  const changed = pinned.filter(({ changes }) => changes.length > 0).map(({ row }) => row.id);
  const resumed = revoke ? [] : await resumeUntrusted(on, repo, changed);
  const told = resumed.length === 0 ? [] : [`resumed, since they waited for this: ${resumed.join(", ")}`];
  const message =
    changed.length === 0 || revoke ? outcome.message : "Trusted: runs go on with exactly these settings.";
  return { ...outcome, message, notes: [...outcome.notes, ...told] };
}

/** Runs go on with what the person has just looked at. */
async function renewPins(
  on: Acting,
  { repo, pinned }: { readonly repo: string; readonly pinned: readonly PinnedRun[] },
): Promise<void> {
  if (pinned.length === 0) return;
  const { door, box } = on;
  const { notify } = await readSettings({ repo, env: door.env, store: box.store });
  for (const run of pinned) {
    await box.store.commit([keptPin(run, renewed(door, run, notify))]);
    if (run.changes.length === 0) continue;
    const text = `${await nameInNote(on, run.row.id)} trusts changed settings: ${sayChanges(run.changes)}`;
    await noteAll(box, { run: run.row.id, kind: "pin" }, [text]);
  }
}

/** Runs that stopped only because nobody trusted this, or settings that have changed since they began, are tried again at once. */
async function resumeUntrusted(
  on: Acting,
  repo: string,
  changed: readonly string[],
): Promise<readonly string[]> {
  const { store } = on.box;
  const { rows } = await store.list({ attention: true, limit: RUNS_MAX });
  const failed = rows
    .filter((row) => isUntrusted(row.attention) && (row.repo === repo || changed.includes(row.id)))
    .map(({ id }) => id);
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
  of: {
    readonly repo: string;
    readonly before: string;
    readonly after: string;
    readonly pinned: readonly PinnedRun[];
  },
): Promise<Outcome<DataOf<"trust">>> {
  const { repo, before, after, pinned } = of;
  const runs = await planOf(content);
  const { digest } = content;
  const trusted = digest === "" || after === digest;
  const changes = changedSettings(pinned).map((change) => ({
    ...change,
    runs: [...change.runs],
    before: change.before ?? null,
    after: change.after ?? null,
  }));
  const shown = shownOf(content, pinned);
  const data = { repo, digest, trusted, changed: before !== after, runs, changes, shown };
  // What cannot be used would be found out when a run does not begin.
  const isWrong = runs.problems.length > 0;
  const command = isWrong ? "fix .signalbox/config.yaml, then: signalbox trust" : "signalbox trust";
  const next = trusted && !isWrong ? "signalbox workflows" : command;
  return { exit: EXIT_OK, code: "ok", message: sayTrust(data), data, next, notes: [] };
}

/** What a person has seen: the content of the repository, and settings that runs did not begin with. */
function shownOf({ digest }: TrustContent, pinned: readonly PinnedRun[]): string {
  return sha256(JSON.stringify([digest, changedSettings(pinned)]));
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
