/** Programs that speak ACP, as worker and as reviewer of the workflow `task`: they ask a person, and are in a sandbox or not. */

import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "vitest";
import { look, processesOf } from "../e2e/lives/life.ts";
import { isPerson } from "../support/person.ts";
import { onMachine, type Machine } from "./machine.ts";
import { COMMITTED, FIXED, taskConduct, UNCOMMITTED } from "./model/conduct.ts";
import { have } from "./programs.ts";

const HARNESSES = {
  gemini:
    "{ driver: acp, program: [gemini, --acp], env: [GEMINI_API_KEY, GOOGLE_GEMINI_BASE_URL], set: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }",
  // It asks for nothing unless its own settings say so.
  opencode: `{ driver: acp, program: [opencode, acp], set: { OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask"}}' } }`,
};

describe.runIf(isPerson)("task by ACP", () => {
  for (const program of ["gemini", "opencode"] as const)
    for (const sandbox of ["off", "required"])
      test.runIf(have(program))(
        `${program}, sandbox ${sandbox}: a person allows what it asks for, a review fails, the next one passes, the work is merged`,
        async ({ expect }) => {
          const config = `sandbox: ${sandbox}\nharnesses:\n  asking: ${HARNESSES[program]}\n`;
          await onMachine({ programs: [program], conduct: taskConduct, config }, async (on) => {
            const params = ["--param", "harness=asking", "--param", "review_harness=asking"];
            const { document } = await on.person("run", "task", "Write two files", ...params, "--detach");
            const run = String(document["run"]);
            const asked = await allowed(on, run);
            expect(asked[0]).toContain("cat /etc/hosts");
            // What is allowed for the run is allowed in later turns, too.
            expect(asked.length).toBeLessThan(4);
            const { document: history } = await on.person("history", run, "--limit", "1000");
            expect(JSON.stringify(history).match(/review: \w+/g)).toEqual([
              "review: needs_fix",
              "review: pass",
            ]);
            await on.person("task", "merge", run);
            await on.until(run, ["done"]);
            expect(on.git("show", `main:${UNCOMMITTED}`)).toBe(`written\n${FIXED}`);
            expect(on.git("show", `main:${COMMITTED}`)).toBe("written");
            await expect
              .poll(() => processesOf(on).filter(({ kind }) => kind !== "supervisor"), { timeout: 10_000 })
              .toEqual([]);
          });
        },
      );
});

/** What the person finds in the inbox until the work is reviewed: allowed once, and the rest always. */
async function allowed(on: Machine, run: string): Promise<readonly string[]> {
  const asked: string[] = [];
  for (const giveUpAt = performance.now() + 240_000; ; await pause(200)) {
    const { state, attention } = await look(on, run);
    if (state === "reviewing") return asked;
    if (attention !== "" || performance.now() > giveUpAt) throw new Error(await on.report(run));
    const inbox = JSON.stringify((await on.person("inbox")).document);
    if (!inbox.includes(`signalbox answer ${run}/p-`)) continue;
    asked.push(inbox);
    await on.person("answer", run, asked.length === 1 ? "allow" : "always");
  }
}
