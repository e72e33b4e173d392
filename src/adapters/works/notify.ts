/** Tells a person that something waits, by a command of their own settings. Without one, the inbox is where it shows. */

import { spawn } from "node:child_process";
import type { Notifier } from "../../engine/ports/settings.ts";
import { failpoint } from "../failpoint.ts";

type Variables = Readonly<Record<string, string>>;

/** Run, question id and question follow the command as arguments of their own. */
export function notifierOf(env: Variables): Notifier {
  return {
    async ask({ command, run, id, question }) {
      const [program, ...fixed] = command;
      if (program === undefined) return;
      failpoint("notify.before-ask");
      await new Promise<void>((resolve, reject) => {
        const child = spawn(program, [...fixed, run, id, question], { env, stdio: "ignore" });
        child.once("error", reject);
        child.once("exit", () => resolve());
      });
      failpoint("notify.after-ask");
    },
  };
}
