/** Each program as worker and as reviewer of the workflow `task`, by its built-in harness. */

import { describe, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { onMachine, type Machine } from "./machine.ts";
import { COMMITTED, FIXED, taskConduct, UNCOMMITTED } from "./model/conduct.ts";
import type { Model } from "./model/server.ts";
import type { Conduct, Refusal, Turn as ModelTurn } from "./model/dialect.ts";
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
          const { document: cost } = await on.person("cost", run);
          expect(cost["total"]).toMatchObject({ input: expect.any(Number) as number });
          expect(cost["rows"]).toContainEqual(
            expect.objectContaining({
              turn: expect.objectContaining({ role: "worker", turn: 2 }) as unknown,
            }),
          );
          expect(on.git("show", `main:${UNCOMMITTED}`)).toBe(`written\n${FIXED}`);
          expect(on.git("show", `main:${COMMITTED}`)).toBe("written");
          expect(on.git("log", "--format=%s by %an", "main", "--", COMMITTED)).toBe("Write one file by Ada");
        });
      },
    );

  test.runIf(have("codex"))(
    "codex: a quota that is used up for 20 seconds is no crash, and the run goes on by itself",
    async ({ expect }) => {
      let renewedAt = 0;
      const conduct: Conduct = (turns) => {
        renewedAt ||= Date.now() + 20_000;
        return Date.now() < renewedAt ? usedUpUntil(renewedAt) : taskConduct(turns);
      };
      await onMachine({ programs: ["codex"], conduct }, async (on) => {
        const run = await taskOf(on);
        await expect
          .poll(async () => (await on.person("show", run)).document, { timeout: 120_000, interval: 500 })
          .toMatchObject({
            state: "planning",
            waits: {
              kind: "parked",
              sentence: expect.stringMatching(
                /^Parked until [\d: -]+: You’ve hit your usage limit/,
              ) as string,
            },
            parked: { class: "quota", harness: "codex" },
          });
        await on.until(run, ["reviewing"]);
        expect(JSON.stringify((await on.person("history", run, "--limit", "1000")).document)).not.toContain(
          "crash",
        );
      });
    },
  );

  test.runIf(have("codex"))("codex: an agent that stops without its plan is reminded", async ({ expect }) => {
    const isTold = (turns: readonly ModelTurn[], text: string): boolean =>
      turns.some((turn) => turn.by === "user" && turn.text.includes(text));
    const conduct: Conduct = (turns) =>
      isTold(turns, "# Review of task") || isTold(turns, "You ended your turn")
        ? taskConduct(turns)
        : { type: "say", text: "I am done." };
    await onMachine({ programs: ["codex"], conduct }, async (on) => {
      const run = await taskOf(on);
      await on.until(run, ["reviewing"]);
      const { document } = await on.person("history", run, "--limit", "1000");
      expect(JSON.stringify(document)).toContain(
        "the worker ended turn 1 without plan, and was asked for it once",
      );
      expect(JSON.stringify(document)).not.toContain("crash");
    });
  });
});

async function taskOf(on: Machine): Promise<string> {
  const params = ["--param", "harness=codex", "--param", "review_harness=codex"];
  const { document } = await on.person("run", "task", "Write two files", ...params, "--detach");
  return String(document["run"]);
}

/** As the provider of codex answers. */
function usedUpUntil(time: number): Refusal {
  const error = {
    type: "usage_limit_reached",
    message: "The usage limit has been reached",
    plan_type: "plus",
    resets_at: Math.ceil(time / 1000),
  };
  return { type: "refuse", status: 429, body: { error } };
}
