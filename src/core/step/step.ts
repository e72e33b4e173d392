/**
 * One event happens to one run.
 *
 * `step` is the only place where a run changes. It is pure and total: it accepts, with the events that follow and the effects
 * that the engine must carry out, or it refuses and nothing changes.
 */

import type { Workflow } from "../model/compile.ts";
import { open, record, type StepDraft } from "./draft.ts";
import type { Effect, Event, Incoming, Refusal } from "../model/event.ts";
import { answer } from "./events/answer.ts";
import { ask } from "./events/ask.ts";
import { agentEnded } from "./events/end.ts";
import { respawn, setParam, waive } from "./events/waive.ts";
import { begin } from "./events/begin.ts";
import { submit } from "./events/submit.ts";
import { validate } from "./events/validate.ts";
import { goOn } from "./act.ts";
import { answerPermission, askPermission, dropPermissions, dropOrphans } from "./events/permission.ts";
import { intake } from "./intake.ts";
import { finished, invalid } from "./refuse.ts";
import { slotKey, type Run } from "../model/run.ts";
import { settle } from "./take.ts";

export type Step =
  | {
      readonly ok: true;
      readonly run: Run;
      readonly events: readonly Event[];
      readonly effects: readonly Effect[];
    }
  | { readonly ok: false; readonly refusal: Refusal };

export function step(workflow: Workflow, run: Run, event: Incoming): Step {
  const draft = open(workflow, run, event);
  const refusal = decide(draft, event);
  if (refusal !== undefined) return { ok: false, refusal };
  // A report moves nothing, not even an agent that was to follow.
  if (event.type !== "turn-reported") goOn(draft);
  dropOrphans(draft);
  return { ok: true, run: draft.run, events: draft.events, effects: draft.effects };
}

function decide(draft: StepDraft, event: Incoming): Refusal | undefined {
  const { run, workflow } = draft;
  const wrong = validate(workflow, run, event);
  if (wrong !== undefined) return wrong;
  if (event.type === "run-started") return begin(draft, event);
  if (run.seq === 0) return invalid(run, "the run has not started yet");
  if (event.type === "turn-reported") {
    record(draft, event);
    return undefined;
  }
  if (event.type === "agent-started" || event.type === "agent-ended") return agentEvent(draft, event);
  if (event.type === "permissions-dropped") return dropPermissions(draft, event);
  if (workflow.definition.states[run.state]?.final !== undefined) return finished(run);
  switch (event.type) {
    case "move-asked":
      return ask(draft, event);
    case "submitted":
      return submit(draft, event);
    case "observed":
      record(draft, event);
      intake(draft, event, { type: "engine" });
      settle(draft);
      return undefined;
    case "answered":
      return answer(draft, event);
    case "waived":
      return waive(draft, event);
    case "respawn-asked":
      return respawn(draft, event);
    case "param-set":
      return setParam(draft, event);
    case "permission-asked":
      return askPermission(draft, event);
    case "permission-answered":
      return answerPermission(draft, event);
  }
}

/** Starts and ends of agents are always recorded, in every state of the run. */
function agentEvent(
  draft: StepDraft,
  event: Extract<Incoming, { type: "agent-started" | "agent-ended" }>,
): undefined {
  const { role, slot, attempt } = event;
  const agent = draft.run.agents[slotKey(role, slot)];
  record(draft, event);
  if (agent === undefined || agent.attempt !== attempt) {
    record(draft, { type: "result-kept", role, slot, attempt });
  } else if (event.type === "agent-started") {
    if (agent.status === "called") record(draft, { type: "agent-alive", role, slot, attempt });
  } else if (agent.status === "stopping") {
    record(draft, { type: "agent-gone", role, slot, attempt });
  } else if (agent.status === "crashed") {
    record(draft, { type: "result-kept", role, slot, attempt });
  } else {
    agentEnded(draft, event, agent);
  }
}
