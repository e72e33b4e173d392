/** Each program as worker and as reviewer of the workflow `task`, by its built-in harness. */

import { describe, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { onMachine } from "./machine.ts";
import { COMMITTED, FIXED, taskConduct, UNCOMMITTED } from "./model/conduct.ts";
import type { Model } from "./model/server.ts";
import { have, type Program } from "./programs.ts";

/** Whether the worker learned of the failed review in the conversation in which it had done the work. */
function remembersItsWork({ asked }: Model): boolean {
  return asked.some(({ turns }) => {
    const message = turns.findIndex(({ by, text }) => by === "user" && text.includes("did not pass"));
    return turns.slice(0, Math.max(0, message)).some(({ by }) => by === "tool");
  });
}

describe.runIf(isPerson)("task", () => {
  for (const program of ["claude", "codex", "gemini", "opencode"] satisfies Program[])
    test.runIf(have(program))(
      `${program}: a review fails, the next one passes, the work is merged`,
      async ({ expect }) => {
        await onMachine({ programs: [program], conduct: taskConduct }, async (on) => {
          const params = [`harness=${program}`, `review_harness=${program}`].flatMap((each) => [
            "--param",
            each,
          ]);
          const { document } = await on.person("run", "task", "Write two files", ...params, "--detach");
          const run = String(document["run"]);
          await on.until(run, ["reviewing"]);
          const { document: history } = await on.person("history", run, "--limit", "1000");
          expect(JSON.stringify(history).match(/review: \w+/g)).toEqual([
            "review: needs_fix",
            "review: pass",
          ]);
          expect(remembersItsWork(on.model)).toBe(true);
          await on.person("task", "merge", run);
          await on.until(run, ["done"]);
          expect(on.git("show", `main:${UNCOMMITTED}`)).toBe(`written\n${FIXED}`);
          expect(on.git("show", `main:${COMMITTED}`)).toBe("written");
          expect(on.git("log", "--format=%s by %an", "main", "--", COMMITTED)).toBe("Write one file by Ada");
        });
      },
    );
});
