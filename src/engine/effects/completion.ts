/** The branch of a run becomes a pull request, or its work gets a tag that a person has asked for; or the run gets a fact with the reason. */

import { isCalledOff, textsFor, whyNot } from "./commit.ts";
import type { Of } from "./deed.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import { noteNew } from "../notes.ts";
import { artifactsOf, tellFact, type Told } from "../supervise/submit-fact.ts";

type Ended =
  | {
      readonly type: "done";
      readonly fact: string;
      readonly fields: Told["fields"];
      readonly note: string;
      readonly answer: string;
    }
  | { readonly type: "refused"; readonly reason: string };

export async function openPullRequest(doing: Of<"perform">): Promise<string> {
  return endWith(doing, "pull-request", async () => {
    const { works, kept, deed } = doing;
    const { row } = kept;
    const { repo, branch } = await branchOf(doing, "that could be a pull request");
    const { title = "", body = "" } = await textsFor(works, kept, deed);
    const { remote = "", defaultBranch: base = "" } = (await works.store.projectAt(row.repo)) ?? {};
    const of = { run: row.id, repo, branch, tree: deed.tree, remote, base, title, body };
    const opened = await works.completion.open(of);
    if (opened.type === "refused") return opened;
    const { url, commit } = opened;
    const fact = "pull-request-opened";
    return { type: "done", fact, fields: { url, commit }, note: `its pull request is ${url}`, answer: url };
  });
}

export async function tag(doing: Of<"perform">): Promise<string> {
  return endWith(doing, "tag", async () => {
    const { works, kept, deed } = doing;
    const { row, run } = kept;
    const { as = "" } = deed;
    const name = String(run.params[as] ?? "").trim();
    if (name === "") return { type: "refused", reason: `nobody has asked for one: ${as} is empty` };
    const { repo } = await branchOf(doing, "that could be tagged");
    const { commitMessage: message = "" } = await textsFor(works, kept, deed);
    const tagged = await works.completion.tag({ run: row.id, repo, tree: deed.tree, name, message });
    if (tagged.type === "refused") return tagged;
    const { tag: made, commit } = tagged;
    const note = `${commit} is tagged ${made}`;
    return { type: "done", fact: "tagged", fields: { tag: made, commit }, note, answer: note };
  });
}

/** The branch stays when its workspace is released. */
async function branchOf({ works, kept: { row } }: Of<"perform">, what: string): Promise<WorkspaceRow> {
  const workspace = (await works.store.boundWorkspace(row.id)) ?? (await works.store.workspace(row.id));
  if (workspace === undefined) throw whyNot(`${row.id} has no branch ${what}`, row.id);
  return workspace;
}

async function endWith(
  { works, kept, deed, key }: Of<"perform">,
  kind: "pull-request" | "tag",
  work: () => Promise<Ended>,
): Promise<string> {
  const { row } = kept;
  if (await isCalledOff(works, kept, deed.entry)) return "the run was cancelled before";
  const ended = await work();
  if (ended.type === "done") {
    const { fact, fields, note, answer } = ended;
    await noteNew(works, { run: row.id, kind }, [note]);
    await tellFact(works, { run: row.id, key, fact, fields });
    return answer;
  }
  const { reason } = ended;
  // A workflow that does not say what follows leaves it to people.
  if (artifactsOf(await works.workflow(row.definition), `${kind}-refused`).length === 0)
    throw whyNot(reason, row.id);
  const text = `there is no ${kind === "tag" ? kind : "pull request"}: ${reason}`;
  await noteNew(works, { run: row.id, kind }, [text]);
  await tellFact(works, { run: row.id, key, fact: `${kind}-refused`, fields: { reason } });
  return text;
}
