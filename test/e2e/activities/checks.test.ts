/** Checks are run by the engine: what an agent says about its tests moves nothing, and a green result is about one content. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { processesOf, kill } from "../lives/life.ts";
import { onStage, supervised, type Now, type Stage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

/** Green when work.txt says so. */
const TEST = `echo "testing: $(cat work.txt)"; grep -q good work.txt`;

const CODER = `
echo bad >work.txt
echo "all 12 tests pass" >TESTS.txt
printf '## Tests\\n\\nVerdict: PASS\\n' >NOTES.md
signalbox submit tests; say refusals $?
echo "ok" | signalbox submit tests -; say refusals $?
signalbox move accepting; say refusals $?
printf 'DONE: all tests pass, exit code 0\\n' | signalbox submit handoff -
signalbox move testing
`;

const FIXER = `
cp TESTS.txt "$LEDGER/seen-by-fixer"
echo good >work.txt
printf 'DONE: mended by %s\\n' "$SIGNALBOX_JOB" | signalbox submit handoff -
signalbox move testing
`;

function results({ events }: Now): unknown[] {
  return events.flatMap(({ event }) =>
    event.type === "artifact-read" && event.reading.artifact === "tests"
      ? [{ verdict: event.reading.verdict, ...event.reading.fields }]
      : [],
  );
}

/** Hands in something at once. */
const QUICK = `
echo "of $SIGNALBOX_JOB" >work.txt
printf 'DONE: %s\\n' "$SIGNALBOX_JOB" | signalbox submit handoff -
signalbox move testing
`;

/** Red in a test until that is mended, red in the source where there is any. */
const TWICE = `
[ -e src/a.sh ] && { echo "src/a.sh:1:2: error: no"; exit 1; }
grep -q good unit/a.test.sh || { echo "FAIL unit/a.test.sh"; exit 1; }
echo ok
`;

const CODING = "mkdir unit; echo bad >unit/a.test.sh; echo done >work.md";

/** A check has nothing but its workspace and the state home: the ledger lies beside that. */
const LEDGER = `L="\${SIGNALBOX_HOME%/state}/ledger"; echo $$ >>"$L/checks"; until [ -e "$L/go" ]; do sleep 0.02; done`;

const count = (stage: Stage): number =>
  stage
    .said("checks")
    .split("\n")
    .filter((line) => line !== "").length;

const agents = { coder: QUICK, fixer: "sleep 600" };

describe.runIf(isPerson).concurrent("checks", () => {
  test("red leads to a fixer, green leads on, and a change makes green stale", async ({ expect }) => {
    await onStage(
      { workflow: "checks", agents: { coder: CODER, fixer: FIXER }, files: { "test.sh": TEST } },
      async (stage) => {
        const run = await stage.begin("checks");
        const green = await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
        expect(stage.said("refusals")).toBe("4\n4\n4");
        // The fixer found what the engine saw, not what the coder had written there.
        expect(stage.said("seen-by-fixer")).toBe("testing: bad");
        const path = green.workspace?.path ?? "";
        expect(readFileSync(join(path, "TESTS.txt"), "utf8")).toBe("testing: good\n");
        const digests = green.events.flatMap(({ event }) =>
          event.type === "artifact-read" && event.reading.artifact === "tests" ? [event.reading.digest] : [],
        );
        for (const digest of digests) expect(digest).toMatch(/^sha256:[0-9a-f]{64}:/);
        const trees = green.events.flatMap(({ event }) => (event.type === "tree-seen" ? [event.tree] : []));
        expect(results(green)).toEqual([
          {
            verdict: "needs_fix",
            exit_code: 1,
            tree: trees.at(-2),
            ended: "exited",
            failing: "unknown",
            rule: "no-path",
          },
          { verdict: "pass", exit_code: 0, tree: trees.at(-1), ended: "exited" },
        ]);

        // Somebody works on after the tests: the gate is shut, and whatever is taken in next leads back to them.
        writeFileSync(join(path, "work.txt"), "bad again\n");
        const refused = await stage.person("move", run, "done");
        expect(refused.code).toBe(5);
        expect(refused.document["message"]).toContain("the work changed after TESTS.txt was made");
        writeFileSync(join(path, "REMARKS.md"), "I changed something.\n");
        expect(await stage.person("submit", run, "remarks")).toMatchObject({
          code: 0,
          document: { from: "accepting", to: "testing" },
        });
        await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
        expect((await stage.person("move", run, "done")).code).toBe(0);
        expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> coding; coder is called, attempt 1",
          "coder: submitted; handoff: read",
          "coder: asked for testing; coding -> testing; coder is stopped",
          "engine: looked at the files; tests: needs_fix (exit code 1); testing -> fixing; fixes is 1; fixer is called, attempt 1",
          "fixer: submitted; handoff: read",
          "fixer: asked for testing; fixing -> testing; fixer is stopped",
          "engine: looked at the files; tests: pass; testing -> accepting",
          "human (signed): submitted; remarks: read; accepting -> testing",
          "engine: looked at the files; tests: needs_fix (exit code 1); testing -> fixing; fixes is 2; fixer is called, attempt 2",
          "fixer: submitted; handoff: read",
          "fixer: asked for testing; fixing -> testing; fixer is stopped",
          "engine: looked at the files; tests: pass; testing -> accepting",
          "human (signed): asked for done; remarks: read; accepting -> done",
        ]
      `);
        expect((await stage.person("verify", run)).code).toBe(0);
      },
    );
  });

  test.for<[string, string, string]>(
    sampled(1, [
      ["hangs and says nothing", "stall_minutes: 0.01", "stalled"],
      ["goes on for ever", "minutes: 0.02", "timed-out"],
    ]),
  )("a check that %s is ended by its limit", async ([what, settings, ended], { expect }) => {
    const body = what.startsWith("goes") ? "while :; do echo on; sleep 0.05; done" : "sleep 600";
    const files = { "test.sh": `(setsid sh -c 'sleep 601' &) ; echo begun; ${body}` };
    await onStage({ workflow: "checks", agents, settings, files }, (stage) =>
      supervised(stage, {}, async () => {
        const run = await stage.begin("checks");
        const now = await stage.until(run, ({ state }) => state === "fixing");
        expect(results(now)).toMatchObject([
          { verdict: "needs_fix", exit_code: -1, ended, failing: "unknown", rule: "cut-short" },
        ]);
        expect((await stage.trace(run)).join("\n")).toContain(`tests: needs_fix (${ended})`);
        await stage.person("cancel", run);
        await stage.until(run, ({ isIdle }) => isIdle);
        expect(processesOf(stage).filter(({ kind }) => kind === "agent" || kind === "shim")).toEqual([]);
      }),
    );
  });

  test.for<[string, string, string]>(
    sampled(1, [
      ["a test", "FAIL $PWD/unit/a.test.sh", "failing: test, rule: named"],
      ["the source", "src/a.sh:1:2: error: no", "failing: source, rule: located"],
      ["what git ignores", "FAIL dist/a.test.sh", ""],
    ]),
  )("a red check tells that it failed in %s", async ([, says, told], { expect }) => {
    const coder = `mkdir -p unit src dist; touch unit/a.test.sh src/a.sh dist/a.test.sh; echo dist >.gitignore\n${QUICK}`;
    const files = { "test.sh": `echo "${says}"; exit 1` };
    await onStage({ workflow: "checks", agents: { ...agents, coder }, files }, async (stage) => {
      const run = await stage.begin("checks");
      await stage.until(run, ({ state }) => state === "fixing");
      const words = told === "" ? "" : `, ${told}`;
      expect((await stage.trace(run)).join("\n")).toContain(`tests: needs_fix (exit code 1${words})`);
      const { document } = await stage.person("show", run);
      expect(JSON.stringify(document["artifacts"])).toContain(`TESTS.txt says needs_fix${words}"`);
    });
  });

  test("a phase that is red is mended, and run again after each fix; its good end is enough, and who fails is tried again", async ({
    expect,
  }) => {
    const mender = `
cat "$SIGNALBOX_PROMPT" >>"$LEDGER/prompt"
cat TESTS.txt >>"$LEDGER/seen"
[ -e "$LEDGER/tried" ] && echo good >unit/a.test.sh
[ -e "$LEDGER/failed" ] || { say failed; exit 3; }
say tried`;
    const scene = { workflow: "mending", agents: { coder: CODING, mender }, files: { "test.sh": TWICE } };
    await onStage(scene, async (stage) => {
      const run = await stage.begin("mending");
      await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      expect(stage.said("seen")).toBe(Array.from({ length: 3 }, () => "FAIL unit/a.test.sh").join("\n"));
      expect(stage.said("prompt")).toContain("## Read these first\n\n- TESTS.txt");
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> work; coder is called, attempt 1",
          "engine: coder ended: exited (exit code 0); work: read; work -> tests",
          "engine: looked at the files; tests: needs_fix (exit code 1, failing: test, rule: named); tests -> tests-fix; tests.fixes is 1; mender is called, attempt 1",
          "engine: mender ended: exited (exit code 3); tests-fix.tries is 1; mender is called, attempt 2",
          "engine: mender ended: exited (exit code 0); tests-fix -> tests",
          "engine: looked at the files; tests: needs_fix (exit code 1, failing: test, rule: named); tests -> tests-fix; tests.fixes is 2; mender is called, attempt 3",
          "engine: mender ended: exited (exit code 0); tests-fix -> tests",
          "engine: looked at the files; tests: pass; tests -> done",
        ]
      `);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("a phase that fails where nobody mends it leads where the file says", async ({ expect }) => {
    const coder = `mkdir src; touch src/a.sh; ${CODING}`;
    const scene = { workflow: "mending", agents: { coder, mender: "" }, files: { "test.sh": TWICE } };
    await onStage(scene, async (stage) => {
      const run = await stage.begin("mending");
      await stage.until(run, ({ state, isIdle }) => state === "BUILD-blocked" && isIdle);
      expect((await stage.trace(run)).at(-1)).toContain("rule: located); tests -> BUILD-blocked");
    });
  });

  test("a check that is lost with its shim is run again, once", async ({ expect }) => {
    await onStage({ workflow: "checks", agents, files: { "test.sh": `${LEDGER}; true` } }, (stage) =>
      supervised(stage, {}, async () => {
        const run = await stage.begin("checks");
        await stage.until(run, () => count(stage) === 1);
        const shim = processesOf(stage).find(({ kind }) => kind === "shim");
        kill(shim?.pid ?? Number.NaN);
        await stage.until(run, () => count(stage) === 2);
        // The first one is gone, though only its shim was killed.
        expect(processesOf(stage).filter(({ kind }) => kind === "shim")).toHaveLength(1);
        stage.say("go");
        const now = await stage.until(run, ({ state, isIdle }) => state === "accepting" && isIdle);
        expect(results(now)).toMatchObject([{ verdict: "pass", exit_code: 0 }]);
        expect(count(stage)).toBe(2);
      }),
    );
  });

  test("the result of a check counts only while the run waits for it", async ({ expect }) => {
    const waiting = { coder: `[ -e "$LEDGER/again" ] && await second\n${QUICK}`, fixer: "sleep 600" };
    await onStage(
      { workflow: "checks", agents: waiting, files: { "test.sh": `${LEDGER}; true` } },
      async (stage) => {
        const run = await stage.begin("checks");
        await stage.until(run, () => count(stage) === 1);
        stage.say("again");
        expect((await stage.person("move", run, "coding")).code).toBe(0);
        stage.say("go");
        const now = await stage.until(run, ({ notes }) => notes.some(({ kind }) => kind === "late"));
        expect(results(now)).toEqual([]);
        expect(now.state).toBe("coding");
        const { document } = await stage.person("show", run);
        expect(JSON.stringify(document["notes"])).toContain(
          "came after the run had gone on; it does not count",
        );
        stage.say("second");
        await stage.until(run, ({ state }) => state === "accepting");
      },
    );
  });

  test("what was edited while it was checked is checked again", async ({ expect }) => {
    const files = { "test.sh": `cp work.txt "\${SIGNALBOX_HOME%/state}/ledger/tested"; ${LEDGER}; true` };
    await onStage({ workflow: "checks", agents, files }, async (stage) => {
      const run = await stage.begin("checks");
      const { workspace } = await stage.until(run, () => count(stage) === 1);
      writeFileSync(join(workspace?.path ?? "", "work.txt"), "edited meanwhile\n");
      stage.say("go");
      const now = await stage.until(run, ({ state }) => state === "accepting");
      expect(stage.said("tested")).toBe("edited meanwhile");
      expect(count(stage)).toBe(2);
      expect(results(now)).toMatchObject([{ verdict: "pass", tree: now.run.tree }]);
    });
  });

  test("a run that is cancelled leaves no check behind", async ({ expect }) => {
    await onStage({ workflow: "checks", agents, files: { "test.sh": `${LEDGER}; true` } }, async (stage) => {
      const run = await stage.begin("checks");
      await stage.until(run, () => count(stage) === 1);
      expect((await stage.person("cancel", run)).code).toBe(0);
      await stage.until(run, ({ isIdle }) => isIdle);
      expect(processesOf(stage).filter(({ kind }) => kind === "agent" || kind === "shim")).toEqual([]);
      expect((await stage.now(run)).attention).toBe("");
    });
  });

  test("a check that leaves the work another one each time does not pass, and says what to do", async ({
    expect,
  }) => {
    const files = { "test.sh": `${LEDGER.replace("; until", " #")}\necho again >>leavings.txt; true` };
    await onStage({ workflow: "checks", agents, files }, async (stage) => {
      const run = await stage.begin("checks");
      const now = await stage.until(run, ({ state }) => state === "fixing");
      expect(count(stage)).toBe(3);
      expect(results(now)).toMatchObject([{ verdict: "needs_fix", exit_code: 0, ended: "in doubt" }]);
      const output = readFileSync(join(now.workspace?.path ?? "", "TESTS.txt"), "utf8");
      expect(output).toContain("git ignores what it writes");
      expect(now.notes.map(({ kind }) => kind)).toContain("check");
      expect((await stage.trace(run)).at(-1)).toContain("tests: needs_fix (in doubt); testing -> fixing");
    });
  });
});
