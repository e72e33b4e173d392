/**
 * What an agent was told when it was started, what it was told since, and the files that belong to that.
 *
 * Files are those of the definition alone: what its role is given, the context of its role, what it writes itself, and what its texts name. Nothing that
 * somebody puts into a text makes another file readable.
 */

import { join } from "node:path";
import { desk } from "../../adapters/desk/desk.ts";
import { filesOf } from "../../core/text/run-files.ts";
import { copiesIn } from "../../adapters/files/artifacts/earlier-attempt.ts";
import { textOfOwn } from "../../adapters/home/own-file.ts";
import { seeRun, workflowOf, type Seen } from "../runs/find.ts";
import { noToken, type AgentCaller } from "../caller.ts";
import type { Reading } from "../declare.ts";
import type { DataOf } from "../schemas.ts";
import { jobId } from "../../engine/agents/job-id.ts";
import { checkoutOf } from "../../engine/agents/judge.ts";
import { fillPath } from "../../engine/submit/place.ts";
import { contextOf, workPaths } from "../../engine/agents/prompt-context.ts";

type Dispatch = Pick<DataOf<"get-task">, "instructions" | "told" | "files">;

const PROMPT = "prompt.md";

/** The run as the agent that asks sees it: the files of a judge are those in its own checkout. */
export async function seenByAgent({ store, door, who }: Reading): Promise<{
  readonly seen: Seen;
  readonly caller: AgentCaller;
}> {
  if (who.type !== "agent") throw noToken("this");
  const seen = await seeRun(store, door, who.run);
  const { role, slot, attempt } = who.actor;
  const { definition } = await workflowOf(seen.store, seen.row);
  const caller = { run: who.run, role, slot, attempt, definition };
  const agent = await seen.store.agent(caller);
  const isApart = agent !== undefined && definition.roles[role]?.access === "read";
  return { seen: isApart ? { ...seen, root: checkoutOf(agent) } : seen, caller };
}

export async function dispatchOf(seen: Seen, caller: AgentCaller): Promise<Dispatch> {
  const { store } = seen;
  const agent = await store.agent(caller);
  const first = await store.job(jobId(caller, 1));
  const instructions = first === undefined ? "" : (textOfOwn(join(first.dir, PROMPT)) ?? "");
  const messages = agent === undefined ? [] : desk.waiting(agent.dir, []);
  const told = messages.at(-1)?.text ?? "";
  const said = [instructions, ...messages.map(({ text }) => text)].join("\n");
  return { instructions, told, files: filesFor(seen, caller, said) };
}

function filesFor(
  { workflow, run, root }: Seen,
  { role, slot }: AgentCaller,
  said: string,
): readonly string[] {
  const { definition } = workflow;
  const place = { root, run, workflow };
  const context = new Set(contextOf(definition, run, role));
  const artifacts = filesOf(place).flatMap((each) => {
    const isOwn = each.of.by.includes(role) && (each.of.each === undefined || each.slot === slot);
    return isOwn || context.has(each.artifact) || said.includes(each.file) ? [each.file] : [];
  });
  const others = [
    ...definition.projections.map(({ file }) => fillPath(run, file)),
    ...copiesIn(place),
    ...[...context].flatMap((name) => workPaths(run, definition.artifacts[name])),
  ].filter((file) => said.includes(file));
  const { input } = definition.roles[role] ?? {};
  const given = input === undefined ? [] : [fillPath(run, input.file, slot)];
  return [...new Set([...given, ...artifacts, ...others])];
}
