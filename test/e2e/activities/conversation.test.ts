/** A program that names its conversations itself goes on with the same one in later turns. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { isBwrapThere } from "../../sandbox/world.ts";
import { onStage } from "./stage.ts";

/** Prints its conversation as codex does, and writes down how it was called and what it was given. */
const worker = (printed: string): string => `
echo "called$(echo "$*" | grep -o " resume [^ ]*")" >>"$LEDGER/called"
cat >"$LEDGER/prompt.$(wc -l <"$LEDGER/called" | tr -d " ")"
${printed}
if grep -q '^status: planning$' TASK.md; then
  printf 'APPROACH: x\\nTOUCHING: x\\n' | signalbox submit plan -
  signalbox update --status working
  echo one >x.txt
else
  echo two >x.txt
fi
echo "DONE: x" | signalbox submit handoff - && signalbox update --status agent-review
`;

const reviewer = `
case $(cat x.txt) in one) verdict=FAIL ;; *) verdict=PASS ;; esac
printf 'Verdict: %s\\n\\n1. [major] x.txt: it is read\\n' $verdict | signalbox submit review -
`;

const NAMED = `echo '{"type":"thread.started","thread_id":"0199-ab"}'`;

describe.runIf(isPerson)("conversations", () => {
  test.for<[what: string, printed: string, second: string, isTaskRepeated: boolean]>([
    ["the name is printed", NAMED, "called resume 0199-ab", false],
    ["no name is printed", "echo hello", "called", true],
    [
      "the name looks like an option",
      `echo '{"type":"thread.started","thread_id":"--last"}'`,
      "called",
      true,
    ],
  ])("%s", async ([, printed, second, isTaskRepeated], { expect }) => {
    const agents = { worker: worker(printed), reviewer };
    await onStage({ agents, driver: "codex" }, async (on) => {
      const run = await on.begin("task", "--param", "harness=scripted", "--param", "review_harness=scripted");
      await on.until(
        run,
        ({ state, attention }) => state === "reviewing" || state === "stuck" || attention !== "",
      );
      expect(
        on
          .said("called")
          .split("\n")
          .map((line) => line.trim()),
      ).toEqual(["called", second]);
      expect(on.said("prompt.2").includes("A life")).toBe(isTaskRepeated);
    });
  });

  test.for([
    ["without a sandbox, continues the conversation, and the next one begins a new one", false],
    ["in a sandbox, begins a new one in a home folder of its own", true],
  ] as const)("an attempt after a crash, %s", async ([, isConfined], { expect, skip }) => {
    if (isConfined && !isBwrapThere()) skip();
    const dies = `
echo "called$(echo "$*" | grep -o " resume [^ ]*")" >>"$LEDGER/called"
echo '{"type":"thread.started","thread_id":"0199-cd"}'
exit 1`;
    await onStage({ agents: { worker: dies, reviewer }, driver: "codex", isConfined }, async (on) => {
      const run = await on.begin("task", "--param", "harness=scripted", "--param", "review_harness=scripted");
      await on.until(run, ({ run: { counters } }) => counters["crash_count"] === 1);
      await on.person("respawn", run);
      await on.until(run, ({ state }) => state === "stuck");
      await on.until(run, () => on.said("called").split("\n").length >= 3);
      const called = on.said("called").split("\n");
      expect(called.slice(0, 3).map((line) => line.trim())).toEqual([
        "called",
        isConfined ? "called" : "called resume 0199-cd",
        "called",
      ]);
    });
  });
});
