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
      if (!isRung) {
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
