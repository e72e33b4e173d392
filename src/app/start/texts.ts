/** The texts that a run begins with: put where it will look for them, and taken away again where it does not begin. */

import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { NO_RUN } from "../../core/model/run.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Submission } from "../../engine/submit/write.ts";
import type { Acting } from "../context.ts";
import { unknownArtifact } from "../act/submit.ts";

const HELP = "signalbox run --help";

/** Read only when everything else is good. */
export type Texts = readonly { readonly artifact: string; readonly text: () => string }[];

type On = {
  readonly id: string;
  readonly workflow: Workflow;
  readonly params: Readonly<Record<string, Literal>>;
  readonly texts: Texts;
  readonly key: string | undefined;
};

/** They are there before the run begins: its first event reads them. */
export async function withTexts(on: Acting, of: On, begin: () => Promise<Submission>): Promise<Submission> {
  if (of.texts.length === 0) return begin();
  if (of.key === undefined) return between(on, of, begin);
  // Whoever brings the same key at the same moment means the same folder, and may begin in it.
  const { whileLocked } = await import("../../adapters/git/call/locks.ts");
  const lock = { folder: on.home.locks, repo: "runs that begin with texts" };
  return whileLocked(lock, () => between(on, of, begin));
}

async function between(on: Acting, of: On, begin: () => Promise<Submission>): Promise<Submission> {
  const { store } = on.box;
  const isThere = async (): Promise<boolean> => (await store.load(of.id)) !== undefined;
  if (await isThere()) return begin();
  const folder = dirname(on.box.folders(of.id).files);
  // What was there before is not ours to take away.
  const isOurs = !existsSync(folder);
  try {
    await putTexts(on, of);
    return await begin();
  } finally {
    if (isOurs && !(await isThere())) rmSync(folder, { recursive: true, force: true });
  }
}

async function putTexts({ box }: Acting, { id, workflow, params, texts: given }: On): Promise<void> {
  const { artifacts } = workflow.definition;
  if (workflow.isInPlace)
    throw new UserError(
      "bad-usage",
      "a run that works in place begins with what is in the checkout",
      "write the file there, and begin without it",
    );
  const texts = given.map(({ artifact, text }) => {
    const declared = Object.hasOwn(artifacts, artifact) ? artifacts[artifact] : undefined;
    if (declared === undefined) throw unknownArtifact(artifact, Object.keys(artifacts));
    if (declared.file === "" || declared.each !== undefined || declared.every !== undefined)
      throw new UserError("bad-usage", `${artifact} is nothing that a run could begin with`, HELP);
    return { artifact, slot: "", text: text() };
  });
  const place = { root: box.folders(id).files, run: { ...NO_RUN, id, params }, workflow };
  for (const text of texts) await box.artifacts.put(place, text);
}
