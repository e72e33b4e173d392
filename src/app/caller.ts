/**
 * Who calls a use case, and whether it may: the only place where that is decided.
 *
 * The caller is established once for each call, from the token and the processes that it descends from. A use case names the kinds of
 * callers that it is for. An agent acts in its own run only.
 */

import { requireMaker, requirePerson, whoActs, whoTypes, type Who } from "../adapters/person/who.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Workflow } from "../core/model/compile.ts";
import type { Registry, RunAttempt } from "../engine/ports/registry.ts";
import { isConfined, whoCallsFromCell } from "./client.ts";
import { EXIT_NOT_YOURS } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { storeOf, workflowOf } from "./runs/find.ts";

/**
 * *agent*: of a run, known by its token. *outside-agent*: a coding agent that belongs to no run. *nobody*: what is left, such as a
 * process of a run that has lost its token.
 */
export type CallerKind = "person" | "agent" | "outside-agent" | "nobody";

/** Throws where the token is not that of an agent, or not that of this process. */
export async function callerOf(
  { env, procs }: Pick<Invocation, "env" | "procs">,
  store: Pick<Registry, "byToken" | "job"> | undefined,
): Promise<Who> {
  return whoActs({ env, store, ...(procs === undefined ? {} : { procs }) });
}

/** The same for what must not need the store, because it repairs it: a token is one more mark of an agent. */
export function callerWithoutStore({ env, procs }: Pick<Invocation, "env" | "procs">): Who {
  return whoTypes({ env, ...(procs === undefined ? {} : { procs }) });
}

/**
 * Refuses a caller that the use case is not for, and gives the others as the handler knows them. Of a person, all ancestors of the
 * process are examined here. Where agents outside runs may call, the call is the person's who let the agent type.
 */
export function authorise(
  use: { readonly name: string; readonly callers: readonly CallerKind[] },
  who: Who,
  { env, procs }: Pick<Invocation, "env" | "procs">,
): Who {
  const { callers } = use;
  if (callers.includes("nobody")) return who;
  if (callers.includes("outside-agent")) return requireMaker(who, env, procs);
  if (callers.includes(kindOf(who)) && who.type !== "person") return who;
  if (callers.includes("person")) return requirePerson(who);
  throw noToken(use.name);
}

function kindOf(who: Who): CallerKind {
  switch (who.type) {
    case "agent":
    case "person":
      return who.type;
    case "stranger":
      return who.mark.includes("SIGNALBOX_") ? "nobody" : "outside-agent";
  }
}

/** For every event: an agent speaks in its own run only. */
export function requireOwnRun(who: Extract<Who, { type: "agent" }>, run: string): void {
  if (who.run === run) return;
  throw new UserError(
    "not-your-role",
    `you are the agent "${who.actor.role}" of run ${who.run}, and not of ${run}`,
    { next: `signalbox show ${who.run}`, exit: EXIT_NOT_YOURS },
  );
}

/** For a call that only agents of runs may make, by somebody who has no token of one. */
export function noToken(name: string): UserError {
  return new UserError(
    "no-token",
    `${name} is for agents of runs, and nobody handed on SIGNALBOX_TOKEN here`,
    {
      next: "an agent hands the variable on to `signalbox mcp`; a person types `signalbox next` in a terminal",
      exit: EXIT_NOT_YOURS,
    },
  );
}

/** The agent that calls, by its token. */
export type AgentCaller = RunAttempt & { readonly definition: Workflow["definition"] };

/** Undefined where no token was handed on: that is never taken for a person. */
export async function agentCalling(on: Invocation): Promise<AgentCaller | undefined> {
  if ((on.env["SIGNALBOX_TOKEN"] ?? "") === "") return undefined;
  if (isConfined(on)) return whoCallsFromCell(on);
  const store = await storeOf(on);
  try {
    const who = await callerOf(on, store);
    const row = who.type === "agent" ? (await store?.load(who.run))?.row : undefined;
    if (who.type !== "agent" || store === undefined || row === undefined) return undefined;
    const { role, slot, attempt } = who.actor;
    return { run: who.run, role, slot, attempt, definition: (await workflowOf(store, row)).definition };
  } finally {
    await store?.close();
  }
}
