/**
 * An agent is told something.
 *
 * Without a terminal a message is a file, and the next turn is about it: it can be looked for, so it is never in doubt. Into a terminal
 * it is typed. Whether that happened nobody can tell who comes later: it is written down before and after, and never repeated.
 */

import { isExpected } from "../../core/step/move-at-end.ts";
import { isUp } from "../../core/step/act.ts";
import type { Works } from "../box.ts";
import { workspaceFor } from "./judge-checkout.ts";
import type { Of } from "../effects/deed.ts";
import { promptText, variablesOf } from "./launch.ts";
import type { AgentRow, JobRow } from "../ports/registry.ts";
import { bringUpToDate } from "../submit/project.ts";
import { residentOf } from "./seat.ts";
import { requireSlot } from "../queue/slots.ts";
import { messageName, nextTurn, waitingFor } from "./turn.ts";
import { withWords } from "./prompt-context.ts";

const ENDED = "the agent has ended meanwhile";

export async function tellAgent({ works, kept, deed, key }: Of<"tell-agent">): Promise<string> {
  const { role, attempt, message } = deed;
  const { row, run } = kept;
  const agent = await works.store.agent({ run: row.id, role, slot: "", attempt });
  const present = run.agents[role];
  if (agent === undefined || present === undefined || present.attempt !== attempt || !isUp(present))
    return ENDED;
  const workflow = await works.workflow(row.definition);
  const workspace = await workspaceFor(works, kept, agent);
  const session = works.desk.session(agent.dir);
  const variables = variablesOf({ workflow, run, workspace, agent: { role, slot: "", attempt, session } });
  const text = await withWords(works, key, promptText(workflow, message, variables));
  works.desk.leave(agent.dir, messageName(key), text);
  await bringUpToDate(works, row.id);
  const job = await residentOf(works, agent);
  if (job !== undefined) {
    // From here on it is at work, where the run waits for it. Otherwise it only reads what it is told.
    if (isExpected(workflow, run, role)) await requireSlot(works, row.repo, agent);
    return type(works, agent, { job, key, text });
  }
  if (agent.status !== "idle") return `${role} gets it when its turn is over`;
  const messages = await waitingFor(works, agent);
  if (messages.length > 0) await nextTurn(works, kept, { agent, messages });
  return `${role} was told`;
}

/** Types it into the terminal in which the agent lives. */
async function type(
  works: Works,
  agent: AgentRow,
  on: { readonly job: JobRow; readonly key: string; readonly text: string },
): Promise<string> {
  const { store, processes, clock } = works;
  const { job, key, text } = on;
  const { run, role, slot, attempt } = agent;
  // Its death is seen by whoever watches, and the definition says what follows.
  if (isOver(works, job)) return ENDED;
  const known = (await store.messages(run)).find((row) => row.key === key);
  if (known?.status === "sending") return inDoubt(works, agent);
  if (known !== undefined) return `${role} was told`;
  const row = { run, role, slot, attempt, key, at: clock.now(), acknowledgedAt: 0 };
  await store.commit([{ type: "put-message", message: { ...row, status: "sending" } }]);
  if ((await processes.tell(job, text.trimEnd())) === "gone") return ENDED;
  await store.commit([{ type: "put-message", message: { ...row, at: clock.now(), status: "told" } }]);
  return `${role} was told`;
}

/** Somebody died over it. A second time it could be two orders; whoever looks into the window can see. */
async function inDoubt({ store }: Works, { run, role }: AgentRow): Promise<string> {
  const text = `a message to ${role} may not have arrived; look: signalbox attach ${run}, then: signalbox resume ${run}`;
  await store.commit([{ type: "attend", run, attention: text, shown: "" }]);
  return `it may have reached ${role} before; it is not sent again`;
}

function isOver({ processes }: Works, job: JobRow): boolean {
  const { type: found } = processes.probe(job.dir);
  return found === "ended" || found === "lost";
}
