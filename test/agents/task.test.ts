/** Each program as worker and as reviewer of the workflow `task`, by its built-in harness. */

import { describe, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { onMachine } from "./machine.ts";
import { COMMITTED, FIXED, taskConduct, UNCOMMITTED } from "./model/conduct.ts";
import type { Model } from "./model/server.ts";
import type { Conduct, Refusal } from "./model/dialect.ts";
import { look } from "../e2e/lives/life.ts";
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

  test.runIf(have("codex"))(
    "codex: a used up quota is no crash; when it is renewed, the run goes on",
    async ({ expect }) => {
      let isRenewed = false;
      const conduct: Conduct = (turns) => (isRenewed ? taskConduct(turns) : USED_UP);
      await onMachine({ programs: ["codex"], conduct }, async (on) => {
        const params = ["--param", "harness=codex", "--param", "review_harness=codex"];
        const { document } = await on.person("run", "task", "Write two files", ...params, "--detach");
        const run = String(document["run"]);
        await expect
          .poll(() => look(on, run), { timeout: 120_000, interval: 500 })
          .toMatchObject({
            state: "planning",
            isCrashed: false,
            attention: expect.stringMatching(
              /^the worker cannot go on: You’ve hit your usage limit\..*; wait until it is renewed/,
            ) as string,
          });
        isRenewed = true;
        await on.person("retry", run);
        await on.until(run, ["reviewing"]);
      });
    },
  );
});

/** As the provider of codex answers. */
const USED_UP: Refusal = {
  type: "refuse",
  status: 429,
  body: {
    error: { type: "usage_limit_reached", message: "The usage limit has been reached", plan_type: "plus" },
  },
};
