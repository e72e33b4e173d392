/** The process that acts. Commands start it when there is something to do; it exits when there is not. */

import { existsSync } from "node:fs";
import type { Env, Home } from "../adapters/home/paths.ts";
import type { Who } from "../adapters/person/who.ts";
import { openStoreOf } from "../adapters/stores.ts";
import { writePid } from "../adapters/supervisor/end.ts";
import { listen, type Listening } from "../adapters/supervisor/listen.ts";
import { takeSupervisorLock } from "../adapters/supervisor/lock.ts";
import { lastPoke, watchPokes } from "../adapters/supervisor/poke.ts";
import { alarmClock } from "../adapters/works/alarm.ts";
import { selfCommand, writeLauncher } from "../adapters/works/launcher.ts";
import { openWorks } from "../adapters/works/open.ts";
import { sweep } from "../adapters/works/sweep.ts";
import { PACE, supervise } from "../engine/supervise/supervise.ts";
import { UserError } from "../adapters/user-error.ts";
import { callerWithoutStore } from "./caller.ts";
import { EXIT_NOT_YOURS } from "./exit-codes.ts";
import type { Invocation } from "./invocation.ts";
import { savedEnvironment } from "./runs/environment.ts";
import { requireHome } from "./runs/find.ts";
import { earsOf, hearAgain, type AllEars } from "../adapters/sandbox/ears.ts";
import { serving, servingCell } from "./serve.ts";

/** Gives why it ended, in words. */
export async function superviseUntilIdle(door: Pick<Invocation, "env" | "procs">): Promise<string> {
  const home = requireHome(door);
  requireNoAgent(door, home);
  let rounds = 0;
  for (;;) {
    const lock = takeSupervisorLock(home);
    if (lock === undefined) return rounds === 0 ? "another one is at work" : "done";
    const store = await openStoreOf({ home });
    writeLauncher(home);
    sweep(home, Date.now());
    writePid(home);
    const alarm = alarmClock();
    const watch = watchPokes(home, () => alarm.ring());
    const end = (): void => {
      isOver = true;
      alarm.ring();
    };
    let isOver = false;
    let poked = "";
    let isRung = false;
    const ring = (): void => {
      isRung = true;
      alarm.ring();
    };
    // Asked before every look: whatever comes later was not seen by it.
    const isEnding = (): boolean => {
      poked = lastPoke(home);
      isRung = false;
      return isOver || !existsSync(home.database);
    };
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    let listening: Listening | undefined;
    let heard: AllEars | undefined;
    try {
      const log = (line: string): void => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);
      const ears = earsOf(home, (job) => servingCell({ home, box, env: door.env, ring }, job));
      heard = ears;
      const box = openWorks(home, store, { log, ring, ears });
      await hearAgain(home, store, ears);
      const [, program] = selfCommand();
      listening = await listen(home, serving({ home, box, env: door.env, programs: [program], ring }));
      await supervise(box, { pace: PACE, alarm, isOver: isEnding });
    } finally {
      // Before the lock is given back: the socket in its place is the next one's then.
      await Promise.all([listening?.close(), heard?.end()]);
      watch.close();
      process.off("SIGTERM", end);
      process.off("SIGINT", end);
    }
    lock.release();
    rounds += 1;
    // Whoever wrote something while we were leaving saw our lock and started nobody.
    const isCalled = isRung || lastPoke(home) !== poked;
    const isBusy = !isOver && existsSync(home.database) && (isCalled || (await store.isBusy()));
    await store.close();
    if (!isBusy) return "done";
  }
}

/**
 * A supervisor with the marks of an agent would be ended with that agent, and every agent that it starts would be taken for a process
 * of that agent. Commands of agents start the supervisor with the saved environment of a person: a process that an agent started is
 * the supervisor with that environment only.
 */
export function requireNoAgent(on: Pick<Invocation, "env" | "procs">, home: Home): void {
  const who = callerWithoutStore(on);
  const mark = who.type === "person" ? who.lineage().mark : markOf(who);
  if (mark === undefined || (who.type === "person" && isSaved(on.env, home))) return;
  throw new UserError("not-a-person", `an agent cannot be the supervisor, and ${mark}`, {
    next: "signalbox list: any command starts the supervisor if there is work for it",
    exit: EXIT_NOT_YOURS,
  });
}

function markOf(who: Exclude<Who, { type: "person" }>): string {
  return who.type === "stranger" ? who.mark : `you are the agent "${who.actor.role}"`;
}

/** Every variable is as a person had it, but for the one that names the state home. */
function isSaved(env: Env, home: Home): boolean {
  const saved = savedEnvironment(home) ?? {};
  return Object.entries(env).every(([name, value]) => name === "SIGNALBOX_HOME" || saved[name] === value);
}
