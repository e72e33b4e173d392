/**
 * Who acts: an agent by its token, a person by its absence, or a stranger: no token, but the mark of an agent.
 *
 * A stranger may read. What takes a person takes one without a mark on any process it comes from, and the human key.
 */

import type { Actor } from "../../core/event.ts";
import type { Registry } from "../../engine/ports.ts";
import type { Env } from "../home/paths.ts";
import { UserError } from "../user-error.ts";
import { markIn } from "./marks.ts";
import { lineageOf, PROCS, type Lineage, type Procs } from "./processes.ts";
import { hashToken } from "./token.ts";

export const EXIT_NOT_YOURS = 4;

export type Person = {
  readonly type: "person";
  readonly name: string;
  readonly actor: Extract<Actor, { type: "human" }>;
  readonly env: Env;
  readonly procs: Procs;
  /** Worked out when it is first asked for. */
  readonly lineage: () => Lineage;
};

export type Who =
  | { readonly type: "agent"; readonly actor: Extract<Actor, { type: "agent" }>; readonly run: string }
  | Person
  | { readonly type: "stranger"; readonly mark: string };

export type Acting = {
  readonly env: Env;
  readonly store: Pick<Registry, "byToken"> | undefined;
  readonly procs?: Procs;
};

export function whoActs({ env, store, procs = PROCS }: Acting): Who {
  const token = env["SIGNALBOX_TOKEN"] ?? "";
  if (token !== "") return agentOf(token, store);
  const mark = markIn(env);
  if (mark !== undefined) return { type: "stranger", mark: `this environment carries ${mark}` };
  const name = userName(env);
  let lineage: Lineage | undefined;
  return {
    type: "person",
    name,
    actor: { type: "human", name },
    env,
    procs,
    lineage: () => (lineage ??= lineageOf(procs)),
  };
}

/** For everything that only people may do. Looks at where we come from, which `whoActs` leaves out. */
export function requirePerson(who: Who): Person {
  switch (who.type) {
    case "agent":
      throw notAPerson(`you are the agent "${who.actor.role}" of run ${who.run}`);
    case "stranger":
      throw notAPerson(who.mark);
    case "person": {
      const { mark } = who.lineage();
      if (mark !== undefined) throw notAPerson(mark);
      return who;
    }
  }
}

function agentOf(token: string, store: Acting["store"]): Who {
  const row = store?.byToken(hashToken(token));
  if (row === undefined) {
    throw new UserError("unknown-token", "SIGNALBOX_TOKEN belongs to no agent of this state home", {
      next: "a person types this in a terminal without SIGNALBOX_TOKEN; an agent stops here",
      exit: EXIT_NOT_YOURS,
    });
  }
  const { run, role, slot, attempt } = row;
  return { type: "agent", run, actor: { type: "agent", role, slot, attempt } };
}

function notAPerson(reason: string): UserError {
  return new UserError("not-a-person", `this takes a person, and ${reason}`, {
    next: "a person opens a terminal of their own, outside any agent, and types it there",
    exit: EXIT_NOT_YOURS,
  });
}

function userName(env: Env): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    // A user without an entry in the password file, as in many containers.
    return env["USER"] ?? `user ${process.getuid?.() ?? "unknown"}`;
  }
}
