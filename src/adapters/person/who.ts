/**
 * Who acts: an agent by its token, a person by its absence, or a stranger: no token, but the mark of an agent.
 *
 * A token alone is a file that other agents can read: it counts where the marks of our own processes agree. A stranger may read.
 * What takes a person takes one without a mark on any process it comes from, all of which can be seen, and the human key.
 */

import { firstOf } from "../../engine/lists.ts";
import type { Actor } from "../../core/model/event.ts";
import { isTurnOf } from "../../engine/agents/job-id.ts";
import type { AgentRow, Registry } from "../../engine/ports/registry.ts";
import { homeOf, type Env } from "../home/paths.ts";
import { jobIn } from "../process/marker.ts";
import { isSupervisorAlive } from "../supervisor/lock.ts";
import { supervisorSaid } from "../supervisor/said.ts";
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
  /** The agent that a person has let type: what it makes is signed with that said, and it may make nothing else. */
  readonly through?: string;
};

export type Who =
  | { readonly type: "agent"; readonly actor: Extract<Actor, { type: "agent" }>; readonly run: string }
  | Person
  | { readonly type: "stranger"; readonly mark: string };

export type ActorLook = {
  readonly env: Env;
  readonly store: Pick<Registry, "byToken" | "job"> | undefined;
  readonly procs?: Procs;
};

export async function whoActs(acting: ActorLook): Promise<Who> {
  const token = acting.env["SIGNALBOX_TOKEN"] ?? "";
  return token === "" ? whoTypes(acting) : agentOf(token, acting);
}

/** The same for what no agent may do, and what must not need the store: a token is one more mark. */
export function whoTypes({ env, procs = PROCS }: Omit<ActorLook, "store">): Exclude<Who, { type: "agent" }> {
  const mark = markIn(env);
  if (mark !== undefined) return { type: "stranger", mark: `this environment carries ${mark}` };
  let lineage: Lineage | undefined;
  return personOf(userName(env), { env, procs, lineage: () => (lineage ??= lineageOf(procs)) });
}

function personOf(name: string, seen: Pick<Person, "env" | "procs" | "lineage" | "through">): Person {
  return { type: "person", name, actor: { type: "human", name }, ...seen };
}

/** For everything that only people may do. Looks at where we come from, which `whoActs` leaves out. */
export function requirePerson(who: Who): Person {
  switch (who.type) {
    case "agent":
      throw notAPerson(`you are the agent "${who.actor.role}" of run ${who.run}`);
    case "stranger":
      throw notAPerson(who.mark);
    case "person": {
      if (who.through !== undefined) return who;
      const { mark, gap } = who.lineage();
      if (mark !== undefined) throw notAPerson(mark);
      if (gap !== undefined) throw notAPerson(gap, "look at /proc as the system has it: mount | grep /proc");
      if (isElsewhere(who))
        throw notAPerson("this is another namespace of processes or users than the supervisor's");
      return who;
    }
  }
}

/**
 * For making what only costs a place in a queue: a person, or an agent that a person has let type and that belongs to no run. Its
 * act is the person's by name, says through whom, and is worth nothing anywhere else. An agent of a run makes nothing.
 */
export function requireMaker(who: Who, env: Env, procs: Procs = PROCS): Person {
  if (who.type === "agent") return requirePerson(who);
  const lineage = lineageOf(procs);
  const own = markIn(env);
  const mark = own ?? lineage.mark;
  const isOfRun = OF_RUNS.some((name) => (env[name] ?? "") !== "") || lineage.jobs.length > 0;
  if (
    mark === undefined ||
    isOfRun ||
    lineage.gap !== undefined ||
    OF_RUNS.some((name) => mark.includes(name))
  )
    return requirePerson(who);
  const agent = mark.split(" of ").at(-1) ?? mark;
  const seen = { env, procs, lineage: () => lineage, through: agent };
  const through = personOf(`${userName(env)} through ${agent}`, seen);
  if (isElsewhere(through)) return requirePerson(who);
  return through;
}

/** What only processes of runs carry. */
const OF_RUNS = ["SIGNALBOX_TOKEN", "SIGNALBOX_JOB", "SIGNALBOX_PROMPT"];

/**
 * Who has a world of pids or users of its own sees none of the processes that it comes from. Looked at only while a supervisor
 * is there to compare with: agents live no longer than that.
 */
function isElsewhere({ env, procs }: Person): boolean {
  const home = homeOf(env);
  const own = procs.world();
  if (home === undefined || own === "") return false;
  const { world: theirs } = supervisorSaid(home);
  return theirs !== "" && theirs !== own && isSupervisorAlive(home);
}

async function agentOf(token: string, acting: ActorLook): Promise<Who> {
  const row = await acting.store?.byToken(hashToken(token));
  if (row === undefined) {
    throw new UserError("unknown-token", "SIGNALBOX_TOKEN belongs to no agent of this state home", {
      next: "a person types this in a terminal without SIGNALBOX_TOKEN; an agent stops here",
      exit: EXIT_NOT_YOURS,
    });
  }
  await requireMarks(row, acting);
  const { run, role, slot, attempt } = row;
  return { type: "agent", run, actor: { type: "agent", role, slot, attempt } };
}

/** Jobs of another state home, in which somebody tries out this one, say nothing here. */
async function requireMarks(row: AgentRow, { env, store, procs = PROCS }: ActorLook): Promise<void> {
  const jobs = [jobIn(env), ...lineageOf(procs).jobs].filter((id) => id !== "");
  const other = await firstOf(jobs, async (id) => !isTurnOf(id, row) && (await store?.job(id)) !== undefined);
  if (other === undefined && jobs.some((id) => isTurnOf(id, row))) return;
  const whose = `SIGNALBOX_TOKEN is that of "${row.role}" of run ${row.run}, attempt ${row.attempt}`;
  const reason =
    other === undefined ? "nothing here was started for that agent" : `this is a process of the job ${other}`;
  throw new UserError("stolen-token", `${whose}, and ${reason}`, {
    next: "an agent uses the token that it was started with, and stops here",
    exit: EXIT_NOT_YOURS,
  });
}

function notAPerson(
  reason: string,
  next = "a person opens a terminal of their own, outside any agent, and types it there",
): UserError {
  return new UserError("not-a-person", `this takes a person, and ${reason}`, { next, exit: EXIT_NOT_YOURS });
}

function userName(env: Env): string {
  try {
    return process.getBuiltinModule("node:os").userInfo().username;
  } catch {
    // A user without an entry in the password file, as in many containers.
    return env["USER"] ?? `user ${process.getuid?.() ?? "unknown"}`;
  }
}
