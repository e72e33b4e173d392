/** The work of a run gets the tag that a person has asked for, or the run is told why it cannot. */

import type { Of } from "./deed.ts";
import { isCalledOff, textsFor } from "./commit.ts";
import { boundWorkspace } from "../submit/place.ts";
import type { Tagged } from "../ports/completion.ts";
import { artifactsOf, noteOnce, tellFact } from "../supervise/submit-fact.ts";

export async function tag(doing: Of<"perform">): Promise<string> {
  const { works, kept, deed, key } = doing;
  const { row } = kept;
  if (await isCalledOff(works, kept, deed.entry)) return "the run was cancelled before";
  const tagged = await tagFor(doing);
  const told = { run: row.id, key };
  if (tagged.type === "tagged") {
    const { tag: name, commit } = tagged;
    const text = `${commit} is tagged ${name}`;
    await noteOnce(works, { run: row.id, kind: "tag", text });
    await tellFact(works, { ...told, fact: "tagged", fields: { tag: name, commit } });
    return text;
  }
  const { reason } = tagged;
  // A workflow that does not say what follows leaves it to people.
  if (artifactsOf(await works.workflow(row.definition), "tag-refused").length === 0)
    throw theirs(reason, row.id);
  const text = `there is no tag: ${reason}`;
  await noteOnce(works, { run: row.id, kind: "tag", text });
  await tellFact(works, { ...told, fact: "tag-refused", fields: { reason } });
  return text;
}

async function tagFor({ works, kept, deed }: Of<"perform">): Promise<Tagged> {
  const { row, run } = kept;
  const { as = "" } = deed;
  const name = String(run.params[as] ?? "").trim();
  if (name === "") return { type: "refused", reason: `nobody has asked for one: ${as} is empty` };
  // The branch stays when its workspace is given back.
  const workspace = (await boundWorkspace(works, row.id)) ?? (await works.store.workspace(row.id));
  if (workspace === undefined) throw theirs(`${row.id} has no branch that could be tagged`, row.id);
  const { commitMessage: message = "" } = await textsFor(works, kept, deed);
  return works.completion.tag({ run: row.id, repo: workspace.repo, tree: deed.tree, name, message });
}

function theirs(message: string, run: string): Error {
  return Object.assign(new Error(message), { next: `signalbox why ${run}` });
}
