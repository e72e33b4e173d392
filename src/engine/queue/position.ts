/** What can be told of the queue by looking: whether it is somebody's turn, what a run waits for, what it must not wait for. */

import { filtered, firstOf } from "../lists.ts";
import { workflowsOf } from "../box.ts";
import { clipped } from "../clip.ts";
import type { RunRow } from "../ports/journal.ts";
import type { QueueRow, Refusal } from "../ports/projects.ts";
import type { Store } from "../ports/store.ts";
import { isSlotLeft, sayFull, slotsOf } from "./slots.ts";

const WAIT_MS = 10_000;
const WAIT_MS_MAX = 3_600_000;

/** A run in the queue could be started now, unless too many agents are at work: for commands, which then wake the supervisor. */
export async function isTurnOfSomebody(store: Pick<Store, "line">, now: number): Promise<boolean> {
  return (await store.line()).some((row) => !row.isHeld && !isPutOff(row, now));
}

/**
 * It was tried a short while ago, and nothing has happened to it since. What it was refused for may lie outside of it, so it is tried
 * again, less and less often: each try may cost a command the start of a supervisor. A clock that was put back holds up nobody for longer.
 */
export function isPutOff({ refusal }: Pick<QueueRow, "refusal">, now: number): boolean {
  return refusal !== undefined && refusal.dueAt > now && refusal.dueAt <= now + WAIT_MS_MAX;
}

/** It did not go: the next refusal after the one before. */
export function refusalAfter(last: Refusal | undefined, message: string, now: number): Refusal {
  const tries = (last?.tries ?? 0) + 1;
  return {
    message: message || "nobody can tell why",
    tries,
    dueAt: now + Math.min(WAIT_MS * 2 ** (tries - 1), WAIT_MS_MAX),
  };
}

/** Those who did not go when it was their turn, with the reason in a sentence. */
export async function refusedInLine(store: Pick<Store, "line">): Promise<ReadonlyMap<string, string>> {
  return new Map(
    (await store.line()).flatMap((row) =>
      row.refusal === undefined ? [] : [[row.run, sayRefusal(row.refusal)]],
    ),
  );
}

function sayRefusal({ message }: Refusal): string {
  return `could not be started when its turn came: ${clipped(message)}`;
}

/**
 * Whoever stands in the queue goes on by itself, unless what it depends on was given up, or it did not go when it was its turn: then it
 * waits for a person.
 */
export async function inLine(store: Pick<Store, "line" | "depends" | "load">): Promise<ReadonlySet<string>> {
  const isGivenUp = async (on: string): Promise<boolean> => {
    try {
      const status = (await store.load(on))?.row.status ?? "running";
      return status !== "running" && status !== "waiting" && status !== "done";
    } catch {
      // It is damaged: only a person gets it going again, and nobody else's standing is hidden by that.
      return true;
    }
  };
  const runs = (await store.line()).flatMap(({ run, refusal }) => (refusal === undefined ? [run] : []));
  return new Set(
    await filtered(runs, async (run) => (await firstOf(await store.depends(run), isGivenUp)) === undefined),
  );
}

type Line = Pick<
  Store,
  "depends" | "load" | "line" | "projectAt" | "liveTurns" | "comingTurns" | "definition"
>;

/** Why a run still stands in the queue, in words, each a whole reason; none where nothing but its turn is missing, or it is not in the queue. */
export async function whyInLine(store: Line, run: string): Promise<readonly string[]> {
  const others = await waitsFor(store, run);
  const refusal = (await store.line()).find((row) => row.run === run)?.refusal;
  if (others.length > 0 || refusal === undefined) return others;
  return [`${sayRefusal(refusal)}; tried again now and then, and at once with: signalbox resume ${run}`];
}

/** Why an agent that a run has called does not begin: as many agents are at work as may be. */
export async function whyQueued(store: Line, run: string): Promise<readonly string[]> {
  const repo = (await store.load(run))?.row.repo ?? "";
  const coming = (await store.comingTurns(repo)).filter((turn) => turn.run === run);
  const roles = new Set(coming.map(({ role }) => role));
  if (roles.size === 0) return [];
  const slots = await slotsOf({ store, workflow: workflowsOf(store) }, repo);
  if (slots.atWork < slots.limit) return [];
  return [`${[...roles].join(" and ")} cannot begin: ${await sayFull(store, repo, slots)}`];
}

/** What it must wait for, whatever became of it when it was its turn. */
export async function waitsFor(store: Line, run: string): Promise<readonly string[]> {
  const queued = (await store.line()).find((row) => row.run === run);
  if (queued === undefined) return [];
  const others = (
    await Promise.all((await store.depends(run)).map((other) => behind(store, run, other)))
  ).flat();
  if (others.length > 0) return others;
  const slots = await slotsOf({ store, workflow: workflowsOf(store) }, queued.repo);
  return isSlotLeft(slots) ? [] : [await sayFull(store, queued.repo, slots)];
}

async function behind(
  store: Pick<Store, "depends" | "load">,
  run: string,
  other: string,
): Promise<readonly string[]> {
  const row = await rowOf(store, other);
  const without = (await store.depends(run)).filter((name) => name !== other);
  const mend = `signalbox update ${run} --depends-on ${without.length === 0 ? "none" : without.join(",")}`;
  if (row === undefined) return [`waits for ${other}, which is not there or damaged: ${mend}`];
  if (row.status === "done") return [];
  if (row.status === "running" || row.status === "waiting") return [`waits for ${other} (${row.state})`];
  return [
    `waits for ${other}, which ${row.status === "failed" ? "has failed" : `was ${row.status}`}: ${mend}`,
  ];
}

/** One that is damaged is as good as not there: what depends on it can still be looked at. */
async function rowOf(store: Pick<Store, "load">, run: string): Promise<RunRow | undefined> {
  try {
    return (await store.load(run))?.row;
  } catch {
    return undefined;
  }
}

/** Why a run cannot depend on these; undefined where it can. `run` need not be there yet. */
export async function dependencyProblem(
  store: Pick<Store, "depends" | "load">,
  of: { readonly run: string; readonly repo: string },
  on: readonly string[],
): Promise<
  | {
      readonly code: "unknown-run" | "other-project" | "depends-on-itself" | "cycle";
      readonly message: string;
    }
  | undefined
> {
  for (const other of on) {
    if (other === of.run) return { code: "depends-on-itself", message: `${other} cannot depend on itself` };
    const row = (await store.load(other))?.row;
    if (row === undefined) return { code: "unknown-run", message: `there is no task "${other}"` };
    if (row.repo !== of.repo)
      return {
        code: "other-project",
        message: `${other} is a task of another project, in ${row.repo}: a task depends on tasks of its own project`,
      };
    const way = await wayTo(store, { from: other, to: of.run });
    if (way !== undefined)
      return { code: "cycle", message: `that is a circle: ${[of.run, ...way].join(" -> ")}` };
  }
  return undefined;
}

/** A shortest way over dependencies. */
async function wayTo(
  store: Pick<Store, "depends">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[] | undefined> {
  const seen = new Set([from]);
  let ways: (readonly string[])[] = [[from]];
  while (ways.length > 0) {
    const longer: (readonly string[])[] = [];
    for (const way of ways) {
      for (const next of await store.depends(way.at(-1) ?? "")) {
        if (next === to) return [...way, next];
        if (seen.has(next)) continue;
        seen.add(next);
        longer.push([...way, next]);
      }
    }
    ways = longer;
  }
  return undefined;
}
