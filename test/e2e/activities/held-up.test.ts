/**
 * What follows a turn that failed for a reason which is not the agent's, or that brought nothing: its harness or its agent is parked, or it
 * is reminded once. Nothing of that is a crash, and the same conversation goes on.
 */

import { existsSync } from "node:fs";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { look, type } from "../lives/life.ts";
import { onStage, type Now, type Stage } from "./stage.ts";

/** As codex says it. */
const failed = (message: string): string =>
  `echo '{"type":"thread.started","thread_id":"t-1"}'; echo '{"type":"turn.failed","error":{"message":"${message}"}}'`;

/** As claude says it, with the time at which the quota is renewed. */
const USED_UP = `
until_=$(cat "$LEDGER/renewed" 2>/dev/null || { echo $(($(date +%s) + 10)) >"$LEDGER/renewed"; cat "$LEDGER/renewed"; })
[ "$(date +%s)" -ge "$until_" ] || {
  echo '{"type":"system","subtype":"init","session_id":"s-1"}'
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$until_'}}'
  echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You have hit your 5-hour limit"}'
  exit 1
}`;

const PLAN = `printf 'APPROACH: x\\nTOUCHING: x\\n' | signalbox submit plan -`;
const WORK = `
${PLAN}
signalbox update --status working
echo one >x.txt
echo "DONE: x" | signalbox submit handoff - && signalbox update --status agent-review
`;
const PASS = `printf 'Verdict: PASS\\n\\nGood.\\n' | signalbox submit review -`;
const CALLED = `echo "called$(echo "$*" | grep -o " -*resume [^ ]*")" >>"$LEDGER/called"`;

/** Fails until the test says that the reason is gone. */
const worker = (message: string): string => `
${CALLED}
[ -e "$LEDGER/cured" ] || { ${failed(message)}; exit 1; }
${WORK}`;

const PARAMS = ["--param", "harness=scripted", "--param", "review_harness=scripted"];

async function heldIn({ home }: Stage): Promise<readonly string[]> {
  const store = openStore(home);
  try {
    return (await store.heldTurns()).map(({ run, key }) => `${run} ${key}`);
  } finally {
    await store.close();
  }
}

const crashes = ({ run }: Now): number => run.counters["crash_count"] ?? 0;

describe.runIf(isPerson)("an agent that is held up", () => {
  test("quota: two runs of a harness are parked until its time, and go on by themselves", async ({
    expect,
  }) => {
    const scene = {
      agents: { worker: `${CALLED}${USED_UP}${WORK}`, reviewer: PASS },
      driver: "claude",
    };
    await onStage(scene, async (stage) => {
      const one = await stage.begin("task", ...PARAMS);
      await stage.until(one, async () => (await heldIn(stage)).length === 1);
      const other = await stage.begin("task", ...PARAMS);
      await stage.until(other, async () => (await heldIn(stage)).length === 2);
      const { document: inbox } = await stage.person("inbox");
      expect(inbox["items"]).toEqual([]);
      expect(inbox["parks"]).toMatchObject([
        { class: "quota", harness: "scripted", runs: [one, other].toSorted().map((run) => ({ run })) },
      ]);
      const { document: shown } = await stage.person("show", one);
      expect(shown["waits"]).toMatchObject({
        kind: "parked",
        sentence: expect.stringMatching(
          /^Parked until [\d: -]+: You have hit your 5-hour limit\.$/,
        ) as string,
      });
      // The second one was not started at all.
      expect(stage.said("called").split("\n")).toHaveLength(1);
      const [first, second] = [
        await stage.until(one, ({ state }) => state === "reviewing"),
        await stage.until(other, ({ state }) => state === "reviewing"),
      ];
      expect([crashes(first), crashes(second), first.run.attempts["worker"]]).toEqual([0, 0, 1]);
      expect(stage.said("called").split("\n").toSorted()).toEqual([
        "called",
        "called",
        "called --resume s-1",
      ]);
      const { document: history } = await stage.person("history", one);
      expect(JSON.stringify(history)).toContain(
        "the worker cannot go on: You have hit your 5-hour limit; parked",
      );
    });
  });

  test.for(["registry.before-park", "registry.after-park"])(
    "quota: the supervisor is killed at %s",
    async (point, { expect }) => {
      const scene = {
        agents: { worker: `${CALLED}${USED_UP.replace("+ 10", "+ 4")}${WORK}`, reviewer: PASS },
        driver: "claude",
      };
      await onStage(scene, async (stage) => {
        const deaths = `${stage.root}/deaths`;
        const killed = { SIGNALBOX_SUPERVISOR_FAILPOINT: point, SIGNALBOX_FAILPOINT_LOG: deaths };
        const { document } = await type(stage, ["run", "task", "A life", "--detach", ...PARAMS], killed);
        const run = String(document["run"]);
        await stage.until(run, () => existsSync(deaths));
        // The next command starts another supervisor.
        await stage.person("resume", run);
        const now = await stage.until(run, ({ state }) => state === "reviewing");
        expect([crashes(now), now.run.attempts["worker"]]).toEqual([0, 1]);
        expect(stage.said("called").split("\n")).toEqual(["called", "called --resume s-1"]);
      });
    },
  );

  test("login: one decision for all runs of the harness", async ({ expect }) => {
    const scene = { agents: { worker: worker("401 Unauthorized: log in"), reviewer: PASS }, driver: "codex" };
    await onStage(scene, async (stage) => {
      const one = await stage.begin("task", ...PARAMS);
      await stage.until(one, async ({ isIdle }) => isIdle && (await heldIn(stage)).length === 1);
      const other = await stage.begin("task", ...PARAMS);
      await stage.until(other, async ({ isIdle }) => isIdle && (await heldIn(stage)).length === 2);
      const { document: inbox } = await stage.person("inbox");
      expect(inbox["parks"]).toMatchObject([
        {
          class: "login",
          next: "codex login",
          until: "",
          runs: [one, other].toSorted().map((run) => ({ run })),
        },
      ]);
      const { document: list } = await stage.person("list");
      expect(list["runs"]).toMatchObject([
        { waits: { kind: "attention" } },
        { waits: { kind: "attention" } },
      ]);
      stage.say("cured");
      // Either run will do.
      expect((await stage.person("retry", other)).code).toBe(0);
      await stage.until(one, ({ state }) => state === "reviewing");
      expect(crashes(await stage.until(other, ({ state }) => state === "reviewing"))).toBe(0);
    });
  });

  test("configuration: the run needs attention at once, and goes on with retry", async ({ expect }) => {
    const message = "The model x is not supported";
    await onStage({ agents: { worker: worker(message), reviewer: PASS }, driver: "codex" }, async (stage) => {
      const run = await stage.begin("task", ...PARAMS);
      const held = await stage.until(run, ({ attention, isIdle }) => attention !== "" && isIdle);
      const said = `the worker cannot go on: ${message}; correct the settings, then: signalbox retry ${run}`;
      expect([held.attention, crashes(held)]).toEqual([said, 0]);
      stage.say("cured");
      await stage.person("retry", run);
      await stage.until(run, ({ state }) => state === "reviewing");
      expect(stage.said("called").split("\n").slice(-1)).toEqual(["called resume t-1"]);
    });
  });

  test("provider: only this agent waits; another run of the harness is not parked", async ({ expect }) => {
    const failing = `mkdir "$LEDGER/failed" 2>/dev/null && { ${failed("503 the service is overloaded")}; exit 1; }`;
    await onStage(
      { agents: { worker: `${failing}\n${WORK}`, reviewer: PASS }, driver: "codex" },
      async (stage) => {
        const one = await stage.begin("task", ...PARAMS);
        await stage.until(one, async () => (await heldIn(stage)).length === 1);
        expect(await heldIn(stage)).toEqual([`${one} agent:${one}.worker.1`]);
        const other = await stage.begin("task", ...PARAMS);
        await stage.until(other, ({ state }) => state === "reviewing");
        expect((await stage.now(one)).state).toBe("planning");
        // The minute need not be waited for.
        await stage.person("retry", one);
        expect(crashes(await stage.until(one, ({ state }) => state === "reviewing"))).toBe(0);
      },
    );
  });

  test("an agent that stops without its plan is reminded once, in the same conversation", async ({
    expect,
  }) => {
    const stops = `${CALLED}\ncp "$SIGNALBOX_PROMPT" "$LEDGER/prompt"\necho '{"type":"thread.started","thread_id":"t-1"}'`;
    const lazy = `${stops}\necho "$*" | grep -q resume || exit 0\n[ ! -e "$LEDGER/idle" ] || exit 0\n${WORK}`;
    await onStage({ agents: { worker: lazy, reviewer: PASS }, driver: "codex" }, async (stage) => {
      const run = await stage.begin("task", ...PARAMS);
      const now = await stage.until(run, ({ state }) => state === "reviewing");
      expect([crashes(now), now.run.attempts["worker"]]).toEqual([0, 1]);
      expect(stage.said("called").split("\n")).toEqual(["called", "called resume t-1"]);
      expect(stage.said("prompt")).toContain("`signalbox submit plan -`");
      expect(now.notes.map(({ text }) => text)).toContain(
        "the worker ended turn 1 without plan, and was asked for it once",
      );
      stage.say("idle");
      const idle = await stage.begin("task", ...PARAMS);
      const crashed = await stage.until(idle, (seen) => crashes(seen) === 1);
      expect(crashed.run.attempts["worker"]).toBe(1);
    });
  });

  test("cancelled meanwhile, it is over, and nothing is parked", async ({ expect }) => {
    const scene = { agents: { worker: worker("not logged in"), reviewer: PASS }, driver: "codex" };
    await onStage(scene, async (stage) => {
      const run = await stage.begin("task", ...PARAMS);
      await stage.until(run, async () => (await heldIn(stage)).length === 1);
      expect((await stage.person("cancel", run)).code).toBe(0);
      const now = await stage.until(run, ({ state, isIdle }) => state === "cancelled" && isIdle);
      expect(now.events.some(({ event }) => event.type === "agent-crashed")).toBe(false);
      expect(await heldIn(stage)).toEqual([]);
      expect((await look(stage, run)).attention).toBe("");
    });
  });
});
