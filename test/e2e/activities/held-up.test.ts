/** A program that ends because of its quota, its login or its settings has not crashed: the run says so, and goes on when a person has it. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage } from "./stage.ts";

const failed = (message: string): string =>
  `echo '{"type":"thread.started","thread_id":"t-1"}'; echo '{"type":"turn.failed","error":{"message":"${message}"}}'`;

/** Fails until the test says that the reason is gone. */
const worker = (message: string): string => `
echo "called$(echo "$*" | grep -o " resume [^ ]*")" >>"$LEDGER/called"
[ -e "$LEDGER/cured" ] || { ${failed(message)}; exit 1; }
printf 'APPROACH: x\\nTOUCHING: x\\n' | signalbox submit plan -
signalbox update --status working
echo one >x.txt
echo "DONE: x" | signalbox submit handoff - && signalbox update --status agent-review
`;
const PASS = `printf 'Verdict: PASS\\n\\nGood.\\n' | signalbox submit review -`;
const SLOW = `[ -e "$LEDGER/cured" ] || { ${failed("Quota exceeded. Check your plan.")}; exit 1; }`;

const PARAMS = ["--param", "harness=scripted", "--param", "review_harness=scripted"];

describe.runIf(isPerson)("an agent that is held up", () => {
  test.for<[what: string, message: string, remedy: string]>([
    ["quota", "You have hit your usage limit. Try again at 7pm.", "wait until it is renewed"],
    ["login", "401 Unauthorized: log in", "log in again"],
    ["configuration", "The model x is not supported", "correct the settings"],
  ])(
    "%s: attention with the program's words, no crash, and the same conversation goes on",
    async (row, { expect }) => {
      const [, message, remedy] = row;
      await onStage(
        { agents: { worker: worker(message), reviewer: PASS }, driver: "codex" },
        async (stage) => {
          const run = await stage.begin("task", ...PARAMS);
          const held = await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
          expect(held.attention).toBe(
            `the worker cannot go on: ${message}; ${remedy}, then: signalbox retry ${run}`,
          );
          expect([held.state, held.run.counters["crash_count"] ?? 0]).toEqual(["planning", 0]);
          const { document: inbox } = await stage.person("inbox");
          expect(JSON.stringify(inbox)).toContain(message);
          const { document: history } = await stage.person("history", run);
          expect(JSON.stringify(history)).toContain(`the worker cannot go on: ${message}`);
          // Tried too early, it is held up again, and nothing is counted.
          await stage.person("retry", run);
          await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
          stage.say("cured");
          expect((await stage.person("retry", run)).code).toBe(0);
          const now = await stage.until(run, ({ state }) => state === "reviewing");
          expect(now.run.attempts["worker"]).toBe(1);
          expect(stage.said("called").split("\n").slice(-1)).toEqual(["called resume t-1"]);
        },
      );
    },
  );

  test("a judge is asked again, in the same attempt", async ({ expect }) => {
    const agents = {
      worker: `touch "$LEDGER/worked"; ${worker("").split("\n").slice(3).join("\n")}`,
      reviewer: `${SLOW}\n${PASS}`,
    };
    await onStage({ agents, driver: "codex" }, async (stage) => {
      const run = await stage.begin("task", ...PARAMS);
      const held = await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
      expect([held.state, held.attention]).toEqual([
        "agent-review",
        expect.stringContaining("the reviewer cannot go on: Quota exceeded. Check your plan.;"),
      ]);
      stage.say("cured");
      await stage.person("retry", run);
      const now = await stage.until(run, ({ state }) => state === "reviewing");
      expect([now.run.attempts["reviewer"], now.run.counters["crash_count"] ?? 0]).toEqual([1, 0]);
    });
  });

  test("cancelled meanwhile, it is over", async ({ expect }) => {
    await onStage(
      { agents: { worker: worker("Quota exceeded"), reviewer: PASS }, driver: "codex" },
      async (stage) => {
        const run = await stage.begin("task", ...PARAMS);
        await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
        expect((await stage.person("cancel", run)).code).toBe(0);
        const now = await stage.until(run, ({ state, isIdle }) => state === "cancelled" && isIdle);
        expect(now.events.some(({ event }) => event.type === "agent-crashed")).toBe(false);
      },
    );
  });
});
