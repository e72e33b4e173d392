/** `signalbox trust`: a person looks at what a repository would run, and allows exactly that. */

import { contentOf, type Content } from "../../../adapters/trust/content.ts";
import { signerOf } from "../../../adapters/person/key.ts";
import { planOf, type Plan } from "../../../adapters/trust/plan.ts";
import { repositoryOf } from "../../../adapters/trust/repository.ts";
import { digestTrusted, trustRow } from "../../../adapters/trust/trust.ts";
import { requirePerson, whoActs } from "../../../adapters/person/who.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { openStore, storeOf } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { showPlan } from "../../plan.ts";
import { refuseInRun } from "../../../app/setup/repository.ts";

const EXIT_UNTRUSTED = 7;

/** What `--json` gives. */
export type TrustData = {
  readonly repo: string;
  readonly digest: string;
  readonly trusted: boolean;
  /** Whether this call changed that. */
  readonly changed: boolean;
  readonly runs: Plan;
};

export const command: Command = {
  usage: "[--show | --revoke]",
  about:
    "Shows what the .signalbox folder of this repository would run, and allows exactly that content. A later change must be trusted again.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: {
    show: { about: "only show it; exit 7 while it is not trusted" },
    revoke: { about: "take trust back" },
  },
  examples: ["signalbox trust --show", "signalbox trust"],
  async answer({ options }, door): Promise<Answer> {
    const [isShow, isRevoke] = [options["show"] !== undefined, options["revoke"] !== undefined];
    if (isShow && isRevoke)
      throw new UserError("bad-usage", "--show and --revoke do not go together", "signalbox trust --help");
    const { main: repo } = repositoryOf(door.cwd);
    // Read once: what is shown is what is trusted, whatever happens to the files meanwhile.
    const content = contentOf(repo);
    const plan = await planOf(content);
    const store = isShow ? storeOf(door) : openStore(door);
    try {
      refuseInRun(store, door, "trust");
      const before = store === undefined ? "" : digestTrusted({ store, env: door.env }, repo);
      const after = isShow ? before : isRevoke ? "" : content.digest;
      if (store !== undefined && !isShow) await decide({ store, door }, { repo, before, after });
      const isTrusted = content.digest === "" || after === content.digest;
      return answerOf({ repo, content, plan, isTrusted, isChanged: before !== after, isShow }, door);
    } finally {
      store?.close();
    }
  },
};

async function decide(
  on: { readonly store: Store; readonly door: Door },
  of: { readonly repo: string; readonly before: string; readonly after: string },
): Promise<void> {
  const { env, procs } = on.door;
  const who = whoActs({ env, store: on.store, ...(procs === undefined ? {} : { procs }) });
  requirePerson(who);
  if (of.before === of.after) return;
  const signer = await signerOf(who, { pins: on.store });
  const at = new Date().toISOString();
  on.store.trust(of.repo, trustRow(signer, { repo: of.repo, digest: of.after, at }));
}

type On = {
  readonly repo: string;
  readonly content: Content;
  readonly plan: Plan;
  readonly isTrusted: boolean;
  readonly isChanged: boolean;
  readonly isShow: boolean;
};

function answerOf(on: On, { paint }: Door): Answer {
  const { repo, content, plan, isTrusted, isChanged, isShow } = on;
  const data: TrustData = {
    repo,
    digest: content.digest,
    trusted: isTrusted,
    changed: isChanged,
    runs: plan,
  };
  const isOpen = isShow && !isTrusted;
  // Whoever trusts what cannot be used would learn of it when a run does not begin.
  const isWrong = plan.problems.length > 0;
  const trust = isWrong ? "mend .signalbox/config.yaml, then: signalbox trust" : "signalbox trust";
  const next = isTrusted && !isWrong ? "signalbox workflows" : trust;
  return {
    exit: isOpen ? EXIT_UNTRUSTED : EXIT_OK,
    code: isOpen ? "untrusted" : "ok",
    message: said(on),
    data: () => data,
    text: () => showPlan(plan, { repo, digest: content.digest }, paint),
    next,
    talk: `${said(on)}\n  next: ${next}\n`,
  };
}

function said({ content, isTrusted, isChanged }: On): string {
  if (content.digest === "") return "There is nothing to trust: nothing in .signalbox makes anything run.";
  if (isTrusted) return isChanged ? "You trust exactly this now." : "You trust exactly this already.";
  return isChanged
    ? "You do not trust this any more: nothing of it runs."
    : "Nobody trusts this: nothing of it runs.";
}
