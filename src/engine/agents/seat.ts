/**
 * Where a turn of an agent sits: in a terminal for as long as the agent lives (*resident*), in a window for this turn, or without
 * either.
 *
 * Only a persistent role has anything to stay for, and only a harness that says how its program is called in a terminal can.
 */

import type { Role } from "../../core/model/workflow.ts";
import type { Box, Works } from "../box.ts";
import { isFinal } from "../checks/check.ts";
import { isTurnOf } from "./job-id.ts";
import type { Turn } from "../ports/drivers.ts";
import type { Launch, Window } from "../ports/process.ts";
import type { AgentRow, JobRow } from "../ports/registry.ts";
import type { Harness, Settings } from "../ports/settings.ts";
import { windowName } from "../workspaces/terminal-title.ts";

export type Seat = JobRow["seat"];

export function seatFor(
  { processes }: Pick<Works, "processes">,
  on: { readonly role: Role; readonly harness: Harness; readonly settings: Settings },
): Seat {
  const { role, harness, settings } = on;
  if (settings.terminal === "none" || !processes.hasTerminals()) return "";
  return role.session === "persistent" && harness.stays ? "resident" : "window";
}

/** Whether the turn goes on with a conversation of the program, which then knows the task. */
export function isContinued({ harness, seat, isFirst, conversation }: Continued): boolean {
  if (harness.driver === "command")
    return !isFirst && (seat === "resident" ? harness.terminalAgain : harness.again) !== undefined;
  return seat === "resident" ? !isFirst : conversation !== "";
}

type Continued = Pick<Turn, "harness" | "seat" | "isFirst" | "conversation">;

export function windowFor(
  seat: Seat,
  on: { readonly agent: AgentRow; readonly role: Role; readonly title: string },
): Pick<Launch, "terminal"> {
  if (seat === "") return {};
  const { agent, role, title } = on;
  return { terminal: { session: agent.run, title, name: windowName(agent, role) } satisfies Window };
}

/** The process of an agent that stays in its terminal, while it lives. */
export async function residentOf(
  { store }: Pick<Box, "store">,
  agent: AgentRow,
): Promise<JobRow | undefined> {
  return (await store.jobs({ run: agent.run, status: "live" })).find(
    (job) => job.seat === "resident" && job.killed === "" && isTurnOf(job.id, agent),
  );
}

/** A run that is over, and whose agents are gone, needs its terminal no more. */
export async function leaveTerminal(works: Works, run: string): Promise<void> {
  const kept = await works.store.load(run);
  if (kept === undefined || !(await isFinal(works, kept))) return;
  const live = await works.store.jobs({ run, status: "live" });
  if (live.every(({ seat }) => seat === "")) await works.processes.close(run);
}
