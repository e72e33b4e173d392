/** What the later turns of an attempt, and later attempts, are given. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage } from "./stage.ts";

const WORKER = `
turn=$(ls "$LEDGER" | grep -c '^turn-' || true)
cat >"$LEDGER/new" && mv "$LEDGER/new" "$LEDGER/turn-$((turn + 1))"
case $(sed -n 's/^status: *//p' TASK.md) in
planning)
  printf 'APPROACH: one file\\n' | signalbox submit plan -
  signalbox update --status working
  echo one >one.txt
  git add one.txt && git commit -qm One
  printf 'DONE: one file\\n' | signalbox submit handoff -
  signalbox update --status agent-review
  ;;
esac
`;
const REVIEWER = `printf 'Verdict: FAIL\\n\\none.txt:1 is too short.\\n' | signalbox submit review -`;

/** The same program for later turns: whether it remembers is its own affair. */
const REMEMBERS = `, minutes: 60, stall_minutes: 60, again: [sh, -c, 'exec sh "$LEDGER/../agents/worker.sh"']`;

describe.runIf(isPerson).concurrent("the second turn of a worker", () => {
  test.for<[string, string | undefined, boolean]>([
    ["that remembers its conversation: the message alone", REMEMBERS, false],
    ["that does not: the task, and the message below it", undefined, true],
  ])("%s", async ([, limits, hasTask], { expect }) => {
    const scene = {
      agents: { worker: WORKER, reviewer: REVIEWER },
      ...(limits === undefined ? {} : { limits }),
    };
    await onStage(scene, async (stage) => {
      const run = await stage.begin(
        "task",
        "--param",
        "harness=scripted",
        "--param",
        "review_harness=scripted",
      );
      await stage.until(run, () => stage.said("turn-2") !== "");
      const [first, second] = [stage.said("turn-1"), stage.said("turn-2")];
      expect(first).toContain(`# Task ${run}: A life`);
      expect(second).toMatch(/The review of round 1 of 2/);
      expect(second.includes(first)).toBe(hasTask);
      expect(second.indexOf("The review of round 1 of 2")).toBe(
        second.lastIndexOf("The review of round 1 of 2"),
      );
    });
  });
});

/** Its first attempt ends in the middle of a rebase, and its git was killed. */
const INTERRUPTED = `
if [ -s "$LEDGER/first" ]; then
  { cat; git add -A && GIT_EDITOR=true git rebase --continue && echo "it is $(git branch --show-current)"; } >"$LEDGER/new" 2>&1
  mv "$LEDGER/new" "$LEDGER/second"
  exit 0
fi
git switch -q -c other && echo other >same.txt && git add -A && git commit -qm Other
git switch -q - && echo one >same.txt && git add -A && git commit -qm One
git rebase other
touch .git/index.lock
echo died >"$LEDGER/first"
exit 1
`;

describe.runIf(isPerson)("the next attempt of a worker that died", () => {
  test("is told of the rebase in which it left the workspace, and its git works", async ({ expect }) => {
    const agents = { worker: INTERRUPTED, reviewer: "exit 1" };
    await onStage({ agents }, async (stage) => {
      const run = await stage.begin(
        "task",
        "--param",
        "harness=scripted",
        "--param",
        "review_harness=scripted",
      );
      await stage.until(run, ({ isIdle }) => isIdle && stage.said("first") === "died");
      expect((await stage.person("retry", run)).code).toBe(0);
      await stage.until(run, () => stage.said("second") !== "");
      const second = stage.said("second");
      expect(second).toContain("A git process was killed here; its stale lock files were moved away: 1.");
      expect(second).toContain(
        "A git rebase was interrupted in this workspace: finish it or undo it (git rebase --abort) first.",
      );
      expect(second).toContain("it is life");
    });
  });
});
