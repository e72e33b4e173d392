/**
 * Lives of a task in which command, supervisor, shim, agent and terminal server are killed with SIGKILL at random moments.
 *
 * Whatever is killed when: what was acknowledged is there, nothing is started twice, no two agents share a slot, and it ends.
 */

import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { hasTmux } from "../../support/tmux.ts";
import { diceOf } from "../../../src/app/workflows/simulate.ts";
import {
  begin,
  clear,
  faultsOf,
  kill,
  look,
  makeLife,
  processesOf,
  story,
  untilOver,
  type Life,
} from "./life.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const LIVES = IS_DEEP ? 200 : 2;
const SEED = Number(process.env["SIGNALBOX_SEED"]);
const KILLS_MAX = 8;
/** Commands are there most of the time; the others are worth waiting for. */
const WEIGHTED = [
  "agent",
  "shim",
  "supervisor",
  "agent",
  "shim",
  "supervisor",
  "command",
  "terminals",
] as const;
const SEATS = hasTmux ? (["resident", "none", "window"] as const) : (["none"] as const);

/** Kills somebody now and then, until it has killed enough or the run is over. */
async function haunt(life: Life, run: string, dice: () => number): Promise<Record<string, number>> {
  const killed: Record<string, number> = {};
  const wanted = 1 + Math.floor(dice() * KILLS_MAX);
  for (let kills = 0; kills < wanted && (await look(life, run)).status !== "done";) {
    await pause(20 + dice() * 200);
    const all = processesOf(life);
    const kind = WEIGHTED[Math.floor(dice() * WEIGHTED.length)];
    const victim = all.find((each) => each.kind === kind);
    if (victim === undefined || kind === undefined || !kill(victim.pid)) continue;
    kills += 1;
    killed[kind] = (killed[kind] ?? 0) + 1;
  }
  return killed;
}

test.runIf(isPerson)("lives with sudden deaths", { timeout: 3_600_000 }, async () => {
  const total: Record<string, number> = {};
  const ends: Record<string, number> = {};
  for (let i = 0; i < LIVES; i += 1) {
    const seed = (SEED + i * 7919) >>> 0;
    const seat = SEATS[i % SEATS.length] ?? "none";
    const life = makeLife({ seat });
    const run = await begin(life);
    const [killed, end] = await Promise.all([haunt(life, run, diceOf(seed)), untilOver(life, run)]);
    const faults = await faultsOf(life, run);
    if (faults.length > 0)
      throw new Error(`seed ${seed}, ${seat}\n${faults.join("\n")}\n${await story(life, run)}`);
    for (const kind of Object.keys(killed)) total[kind] = (total[kind] ?? 0) + (killed[kind] ?? 0);
    ends[end] = (ends[end] ?? 0) + 1;
    await clear(life);
  }
  console.log(`${LIVES} lives, killed: ${JSON.stringify(total)}, ended: ${JSON.stringify(ends)}`);
  // A haunting that kills nobody would prove nothing.
  const everybody = IS_DEEP ? ["agent", "command", "shim", "supervisor"] : ["supervisor"];
  expect(Object.keys(total)).toEqual(expect.arrayContaining(everybody));
});
