/** The supervisor's loop over one state home, until nothing is due. */
import { existsSync } from "node:fs";
import { openStore } from "../../../src/adapters/store/open.ts";
import type { Home } from "../../../src/adapters/home/paths.ts";
import { alarmClock } from "../../../src/adapters/works/alarm.ts";
import { openWorks } from "../../../src/adapters/works/open.ts";
import { PACE, supervise } from "../../../src/engine/supervise/supervise.ts";

export async function carryOut(home: Home): Promise<void> {
  const store = openStore(home);
  try {
    const works = openWorks(home, store, { log: () => undefined });
    await supervise(works, {
      pace: { ...PACE, leaseMs: 1 },
      alarm: alarmClock(),
      // A test that was given up takes its folder along.
      isOver: () => !existsSync(home.database),
    });
  } finally {
    await store.close();
  }
}
