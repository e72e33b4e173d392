/** A run keeps the settings that it began with: changed ones stop it before its next process, until a person has looked at them. */

import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage, type Stage } from "./stage.ts";

const WORKER = `
printf 'APPROACH: x\\nTOUCHING: x\\n' | signalbox submit plan -
signalbox update --status working
await "$SIGNALBOX_RUN"
echo one >x.txt
echo "DONE: x" | signalbox submit handoff - && signalbox update --status agent-review
`;
const REVIEWER = `echo "extra: $EXTRA, probe: $(command -v probe)" >>"$LEDGER/reviewed"; printf 'Verdict: PASS\\n\\nGood.\\n' | signalbox submit review -`;
const SCENE = { agents: { worker: WORKER, reviewer: REVIEWER } };
const PARAMS = ["--param", "harness=scripted", "--param", "review_harness=scripted"];

const configOf = (stage: Stage): string => join(stage.root, "config/signalbox/config.yaml");

async function begun(stage: Stage): Promise<string> {
  const run = await stage.begin("task", ...PARAMS);
  await stage.until(run, ({ state }) => state === "working");
  return run;
}

describe.runIf(isPerson)("settings that a run began with", () => {
  test("two runs stop before their next agents, and one trust resumes both", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const runs = [await begun(stage), await begun(stage)];
      const before = readFileSync(configOf(stage), "utf8");
      writeFileSync(configOf(stage), before.replace("set: { ", "set: { EXTRA: changed, "));
      appendFileSync(configOf(stage), "minutes: 99\n");
      for (const run of runs) stage.say(run);
      const why =
        "settings have changed since the run began: harnesses.scripted.set.EXTRA in your config.yaml: nothing -> changed; minutes in your config.yaml: nothing -> 99";
      for (const run of runs) {
        const held = await stage.until(run, ({ attention }) => attention !== "");
        expect(held.attention).toBe(`${why}; try again: signalbox trust`);
        expect(JSON.stringify((await stage.person("show", run)).document)).toContain("nothing -> changed");
      }
      expect(stage.said("reviewed")).toBe("");
      expect(JSON.stringify((await stage.person("inbox")).document)).toContain("nothing -> changed");
      const shown = await stage.person("trust", "--show");
      expect(shown.code).toBe(7);
      expect(shown.document["changes"]).toMatchObject([
        {
          key: "harnesses.scripted.set.EXTRA",
          before: null,
          after: "changed",
        },
        { key: "minutes", after: "99" },
      ]);
      const trusted = await stage.person("trust");
      expect(trusted.code).toBe(0);
      for (const run of runs) {
        const now = await stage.until(run, ({ state }) => state === "reviewing");
        expect(now.notes.map(({ text }) => text)).toEqual(
          expect.arrayContaining([
            expect.stringContaining("trusts changed settings: harnesses.scripted.set.EXTRA"),
          ]),
        );
        expect(now.run.counters["crash_count"] ?? 0).toBe(0);
      }
      expect(
        stage
          .said("reviewed")
          .split("\n")
          .map((line) => line.trim()),
      ).toEqual(["extra: changed, probe:", "extra: changed, probe:"]);
      expect((await stage.person("trust", "--show")).document["changes"]).toEqual([]);
    });
  });

  test("put back as they were, the run goes on with a retry", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const run = await begun(stage);
      const before = readFileSync(configOf(stage), "utf8");
      appendFileSync(configOf(stage), "env: [SECRET]\n");
      stage.say(run);
      await stage.until(run, ({ attention }) => attention !== "");
      writeFileSync(configOf(stage), before);
      expect((await stage.person("retry", run)).code).toBe(0);
      await stage.until(run, ({ state }) => state === "reviewing");
    });
  });

  test("the PATH of the beginning stays, whatever a later command was typed with", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const bin = join(stage.root, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, "probe"), "#!/bin/sh\n");
      chmodSync(join(bin, "probe"), 0o755);
      const run = await begun(stage);
      const other = { ...stage, env: { ...stage.env, PATH: `${bin}:${stage.env["PATH"] ?? ""}` } };
      const { type } = await import("../lives/life.ts");
      expect((await type(other, ["list"])).code).toBe(0);
      const second = String((await type(other, ["run", "task", "B", "--detach", ...PARAMS])).document["run"]);
      stage.say(run);
      await stage.until(run, ({ state }) => state === "reviewing");
      stage.say(second);
      await stage.until(second, ({ state }) => state === "reviewing");
      expect(
        stage
          .said("reviewed")
          .split("\n")
          .map((line) => line.trim()),
      ).toEqual(["extra: , probe:", `extra: , probe: ${join(bin, "probe")}`]);
    });
  });

  test.for<[pin: string, outcome: string]>([
    ["note", "the program of scripted was updated: 1.0 -> 2.0"],
    [
      "strict",
      "the program of scripted was replaced since the run began (1.0 -> 2.0); try again: signalbox trust",
    ],
  ])("pin: %s, and the program was updated: %s", async ([pin, outcome], { expect }) => {
    await onStage({ ...SCENE, settings: `pin: ${pin}\n` }, async (stage) => {
      const codex = join(stage.root, "codex");
      const install = (version: string): void => {
        const role = `role=$(echo "$SIGNALBOX_JOB" | cut -d. -f2)`;
        const text = `#!/bin/sh\n[ "$1" != --version ] || { echo "codex-cli ${version}"; exit; }\n${role}\nexec sh "${stage.root}/agents/$role.sh"\n`;
        // Another file in its place, as an installer does it.
        writeFileSync(`${codex}.new`, text, { mode: 0o755 });
        renameSync(`${codex}.new`, codex);
      };
      install("1.0");
      const own = readFileSync(configOf(stage), "utf8");
      const program = own.replace(/command: \[[^\]]*\]/, `driver: codex, program: ["${codex}"]`);
      writeFileSync(configOf(stage), program);
      const run = await begun(stage);
      install("2.0");
      stage.say(run);
      const isStrict = pin === "strict";
      const told = await stage.until(run, ({ state, attention }) =>
        isStrict ? attention !== "" : state === "reviewing",
      );
      if (isStrict) expect(told.attention).toBe(outcome);
      else expect(told.notes.map(({ text }) => text)).toContain(outcome);
      if (isStrict) expect((await stage.person("trust")).code).toBe(0);
      await stage.until(run, ({ state }) => state === "reviewing");
    });
  });
});
