/** Limits end an agent with everything it started; a lost machine is nobody's crash; logs do not grow for ever. */

import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { jobFolder, onStage, supervised, type Scene, type Stage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

const scene = (coder: string, more: Partial<Scene> = {}): Scene => ({
  workflow: "checks",
  agents: { coder, fixer: "true" },
  files: { "test.sh": "true" },
  ...more,
});

/** One child in the group, one that left it, one that was given to another parent, one with an empty environment. */
const FAMILY = `
say coder
sleep 611 &
setsid sleep 612 &
(setsid sleep 613 &)
env -i sleep 615 &
`;

/** Whoever is in a workspace, with or without an environment that says so. */
function workers({ root }: Stage): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(root)
        ? [readFileSync(`/proc/${pid}/cmdline`, "latin1")]
        : [];
    } catch {
      // No process, or it has ended.
      return [];
    }
  });
}

describe.runIf(isPerson).concurrent("limits", () => {
  test.for<[string, string, string, string]>(
    sampled(1, [
      ["says nothing for too long", "minutes: 60, stall_minutes: 0.012", "sleep 614", "stalled"],
      [
        "takes too long",
        "minutes: 0.02, stall_minutes: 60",
        "while :; do echo on; sleep 0.05; done",
        "timed-out",
      ],
    ]),
  )(
    "an agent that %s is ended with all that it started, and that is counted",
    async ([, limits, work, cause], { expect }) => {
      await onStage(scene(`${FAMILY}\n${work}`, { limits: `, ${limits}` }), (stage) =>
        supervised(stage, {}, async () => {
          const run = await stage.begin("checks");
          const now = await stage.until(run, ({ state, isIdle }) => state === "stuck" && isIdle);
          expect(now.run.counters["crashes"]).toBe(0);
          const told = (await stage.trace(run)).map((line) => line.replace(/ \(exit code \d+\)/, ""));
          expect(told).toEqual([
            "human (signed): started the run; start -> coding; coder is called, attempt 1",
            `engine: coder ended: ${cause}; crashes is 1; coder is called, attempt 2`,
            `engine: coder ended: ${cause}; crashes is 2; coding -> stuck`,
          ]);
          expect(processesOf(stage)).toEqual([]);
          expect(workers(stage)).toEqual([]);
        }),
      );
    },
  );

  test("what was lost with the machine is started again, and is no crash", async ({ expect }) => {
    const coder = `say coder; [ -e "$LEDGER/again" ] || sleep 600; printf 'DONE: yes\\n' | signalbox submit handoff -`;
    await onStage(scene(coder), (stage) =>
      supervised(stage, {}, async () => {
        const run = await stage.begin("checks");
        await stage.until(run, ({ run: { agents } }) => agents["coder"]?.status === "alive");
        stage.say("again");
        // As if the shim had been started by another boot of the machine: its number says nothing any more.
        const file = join(await jobFolder(stage, run, "coder.1.1"), "pid");
        const [pid, start] = readFileSync(file, "utf8").split("\n");
        kill(Number(pid));
        writeFileSync(file, `${pid}\n${start}\n00000000-0000-0000-0000-000000000000\n`);
        await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
        expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> coding; coder is called, attempt 1",
          "engine: coder ended: infrastructure; lost with machine or terminal, 1 so far; coder is called, attempt 2",
          "coder: submitted; handoff: read",
          "engine: coder ended: exited (exit code 0); coding -> testing",
          "engine: looked at the files; tests: pass; testing -> accepting",
        ]
      `);
      }),
    );
  });

  test("the log of an agent that talks without end is cut, and its last words are there", async ({
    expect,
  }) => {
    const coder = `i=0; until [ -e "$LEDGER/enough" ]; do i=$((i + 1)); echo "line $i, with some more words"; done; echo the end`;
    await onStage(scene(coder), (stage) =>
      supervised(stage, { logBytesMax: 4096 }, async () => {
        const run = await stage.begin("checks");
        await stage.until(run, async () => (await jobFolder(stage, run, "coder.1.1")) !== "");
        const log = join(await jobFolder(stage, run, "coder.1.1"), "out.log");
        await stage.until(run, () => (statSync(`${log}.1`, { throwIfNoEntry: false })?.size ?? 0) > 0);
        stage.say("enough");
        await stage.until(run, ({ run: { agents } }) => (agents["coder"]?.attempt ?? 1) > 1);
        // It may have been cut right after them.
        const kept = `${readFileSync(`${log}.1`, "utf8")}${readFileSync(log, "utf8")}`;
        expect(kept.trim().split("\n").at(-1)).toBe("the end");
        expect(kept.length).toBeGreaterThan(4000);
        await stage.person("cancel", run);
      }),
    );
  });
});
