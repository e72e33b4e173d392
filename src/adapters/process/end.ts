/**
 * Ending everything that belongs to a job.
 *
 * To the job belong: whatever carries its mark, whatever is in the session of its shim, and their descendants, also those
 * that left the group, were given to another parent or emptied their environment. A process is only ever signalled after its
 * start time was seen to be the same; a process of another job is never touched, nor are we ourselves.
 */

import { setTimeout as pause } from "node:timers/promises";
import type { ProcessIdentity } from "./folder.ts";
import { bootId, processTable, startOf, type TableEntry, type Younger } from "./table.ts";

export type Hunt = {
  readonly mark: string;
  /** Asked again and again: a shim may be about to write it. */
  readonly leader: () => ProcessIdentity | undefined;
  readonly graceMs: number;
  /** When the shim began, where the kernel itself told us: what the folder says, the program could have written. */
  readonly since: string | undefined;
};

type JobMembers = {
  readonly members: Map<number, string>;
  readonly beyondUs: Set<number>;
};
type FoundMembers = { readonly members: readonly TableEntry[]; readonly leader: number | undefined };

/** Nothing outlives SIGKILL for long, except what hangs in the kernel. */
const KILL_MS_MAX = 15_000;
/** Between being forked and showing its environment a process can be overlooked once, not twice. */
const LOOKS_IN_VAIN = 2;
/** Nobody starts so many processes in this time that a number is given again. */
const NUMBERS_MS = 100;

export async function endAll(hunt: Hunt): Promise<void> {
  const known: JobMembers = { members: new Map(), beyondUs: new Set() };
  const first = find(hunt, known);
  signal(first, known, "SIGTERM");
  await gone(first.members, hunt.graceMs);

  const giveUpAt = performance.now() + KILL_MS_MAX;
  for (let inVain = first.members.length === 0 ? 1 : 0; inVain < LOOKS_IN_VAIN;) {
    await pause(1);
    const found = find(hunt, known);
    if (found.members.length === 0) {
      inVain += 1;
      continue;
    }
    inVain = 0;
    if (performance.now() > giveUpAt)
      throw new Error(`still alive: ${found.members.map(({ pid }) => pid).join(", ")}`);
    signal(found, known, "SIGKILL");
    await gone(found.members, 200);
  }
}

function find(hunt: Hunt, known: JobMembers): FoundMembers {
  const table = processTable(youngerFor(hunt));
  const shim = hunt.leader();
  // The mark, too: whoever could write the pid could have written that of a bystander.
  const leader = table.find(
    ({ pid, start, mark }) =>
      pid === shim?.pid && start === shim.start && shim.boot === bootId() && mark === hunt.mark,
  )?.pid;
  const members = new Map<number, TableEntry>();
  const others = new Set<TableEntry>();
  for (const seen of table) {
    if (seen.pid === process.pid || known.beyondUs.has(seen.pid)) continue;
    if (seen.mark !== "" && seen.mark !== hunt.mark) continue;
    const isMember =
      seen.mark === hunt.mark || seen.session === leader || known.members.get(seen.pid) === seen.start;
    if (isMember) members.set(seen.pid, seen);
    else others.add(seen);
  }
  addDescendants(members, others);
  for (const { pid, start } of members.values()) known.members.set(pid, start);
  return { members: [...members.values()], leader };
}

/** Who was seen to be older than one job, since when, and which: jobs often end one right after the other. */
const elders = { older: new Set<number>(), at: Number.NEGATIVE_INFINITY, since: 0 };

/** Older than one job is older than all that began later. */
function youngerFor({ since }: Hunt): Younger | undefined {
  if (since === undefined) return undefined;
  const now = performance.now();
  if (now - elders.at > NUMBERS_MS || Number(since) < elders.since) {
    elders.older.clear();
    elders.at = now;
  }
  elders.since = Number(since);
  return { since, older: elders.older };
}

function addDescendants(members: Map<number, TableEntry>, others: Set<TableEntry>): void {
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const seen of others) {
      if (!members.has(seen.parent)) continue;
      members.set(seen.pid, seen);
      others.delete(seen);
    }
  }
}

/** The group at once, so that nothing in it forks away meanwhile; the rest one by one. */
function signal({ members, leader }: FoundMembers, known: JobMembers, name: NodeJS.Signals): void {
  const group = leader !== undefined && startOf(leader) === known.members.get(leader) ? leader : undefined;
  if (group !== undefined) send(-group, known, name);
  for (const { pid, start, group: own } of members)
    if (own !== group && startOf(pid) === start) send(pid, known, name);
}

function send(pid: number, known: JobMembers, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Another user's, which no signal of ours can reach: a program that changed its user is beyond us.
    if (code === "EPERM") known.beyondUs.add(pid);
    else if (code !== "ESRCH") throw error;
  }
}

async function gone(members: readonly TableEntry[], withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  let left = members;
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    left = left.filter(({ pid, start }) => startOf(pid) === start);
    const rest = giveUpAt - performance.now();
    if (left.length === 0 || rest <= 0) return;
    await pause(Math.min(wait, rest));
  }
}
