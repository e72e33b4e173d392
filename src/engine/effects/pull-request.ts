/** The branch of a run becomes a pull request, or the run is told why it cannot. */

import type { Of } from "./deed.ts";
import { isCalledOff, textsFor } from "./commit.ts";
import { boundWorkspace } from "../submit/place.ts";
import { artifactsOf, noteOnce, tellFact } from "../supervise/submit-fact.ts";

export async function openPullRequest({ works, kept, deed, key }: Of<"perform">): Promise<string> {
  const { row } = kept;
  const { store } = works;
  if (await isCalledOff(works, kept, deed.entry)) return "the run was cancelled before";
  const workflow = await works.workflow(row.definition);
  // The branch stays when its workspace is given back.
  const workspace = (await boundWorkspace(works, row.id)) ?? (await store.workspace(row.id));
  if (workspace === undefined) throw theirs(`${row.id} has no branch that could be a pull request`, row.id);
  const { title = "", body = "" } = await textsFor(works, kept, deed);
  const { remote = "", defaultBranch: base = "" } = (await store.projectAt(row.repo)) ?? {};
  const { repo, branch } = workspace;
  const of = { run: row.id, repo, branch, tree: deed.tree, remote, base, title, body };
  const opened = await works.completion.open(of);
  const told = { run: row.id, key };
  if (opened.type === "opened") {
    const { url, commit } = opened;
    await noteOnce(works, { run: row.id, kind: "pull-request", text: `its pull request is ${url}` });
    await tellFact(works, { ...told, fact: "pull-request-opened", fields: { url, commit } });
    return url;
  }
  const { reason } = opened;
  // A workflow that does not say what follows leaves it to people.
  if (artifactsOf(workflow, "pull-request-refused").length === 0) throw theirs(reason, row.id);
  const text = `there is no pull request: ${reason}`;
  await noteOnce(works, { run: row.id, kind: "pull-request", text });
  await tellFact(works, { ...told, fact: "pull-request-refused", fields: { reason } });
  return text;
}

function theirs(message: string, run: string): Error {
  return Object.assign(new Error(message), { next: `signalbox why ${run}` });
}
