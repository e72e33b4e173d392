/** Waits for a poke, or for time to pass. */

import type { Alarm } from "../../engine/supervise/supervise.ts";

export function alarmClock(): Alarm {
  let isRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      isRung = true;
      wake?.();
    },
    async wait(ms) {
      if (isRung) {
        // Timers, signals and the ends of processes must get through, also if the work of each round ends without waiting.
        await new Promise<void>((resolve) => void setImmediate(resolve));
      } else {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      isRung = false;
      wake = undefined;
    },
  };
}
