/** Stages that are left out, and stages that a run begins in: it comes to its good end, and nobody is sent to what is not there. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { FINAL, inStaged, LONG, wayOf, type Play, type State } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const NAMES = ["EXPLORE", "PLAN", "IMPLEMENT", "TEST", "FINAL"];
const BROUGHT = ["--plan", "../plan.md"];

const EXPLORE = ["0", "0-each", "0-merge", "EXPLORE-summary"];
const PLAN = ["1.1", "1.2", "1.2-merge", "1.3", "PLAN-summary"];
const IMPLEMENT = ["2.1", "2.2", "2.3", "IMPLEMENT-summary"];
const TEST = ["3.1", "3.2", "3.3", "TEST-summary"];
const UNTESTED = FINAL.filter((state) => state !== "4.2-testing");

type Row = readonly [argv: readonly string[], way: readonly (readonly string[])[], gates: readonly string[]];

const SHORT: Row = [
  ["--no-explore", "--no-plan", "--no-test", "--no-final", ...BROUGHT],
  [IMPLEMENT, ["handover"]],
  ["IMPLEMENT->COMPLETE"],
];
const ROWS: readonly Row[] = [
  [
    ["--no-explore"],
    [PLAN, IMPLEMENT, TEST, FINAL],
    ["PLAN->IMPLEMENT", "IMPLEMENT->TEST", "TEST->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-plan", ...BROUGHT],
    [IMPLEMENT, TEST, FINAL],
    ["EXPLORE->IMPLEMENT", "IMPLEMENT->TEST", "TEST->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-plan", "--with", "1.2=../plan.md"],
    [EXPLORE, IMPLEMENT, TEST, FINAL],
    ["EXPLORE->IMPLEMENT", "IMPLEMENT->TEST", "TEST->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-explore", "--no-plan", ...BROUGHT],
    [IMPLEMENT, TEST, FINAL],
    ["IMPLEMENT->TEST", "TEST->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-implement"],
    [EXPLORE, PLAN, TEST, FINAL],
    ["EXPLORE->PLAN", "PLAN->TEST", "TEST->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-test"],
    [EXPLORE, PLAN, IMPLEMENT, UNTESTED],
    ["EXPLORE->PLAN", "PLAN->IMPLEMENT", "IMPLEMENT->FINAL", "FINAL->COMPLETE"],
  ],
  [
    ["--no-final"],
    [EXPLORE, PLAN, IMPLEMENT, TEST, ["handover"]],
    ["EXPLORE->PLAN", "PLAN->IMPLEMENT", "IMPLEMENT->TEST", "TEST->COMPLETE"],
  ],
  [
    ["--no-test", "--no-final"],
    [EXPLORE, PLAN, IMPLEMENT, ["handover"]],
    ["EXPLORE->PLAN", "PLAN->IMPLEMENT", "IMPLEMENT->COMPLETE"],
  ],
];

describe.runIf(isPerson && IS_DEEP).concurrent("staged", LONG, () => {
  test.for([SHORT, ...ROWS])("%j", async ([argv, way, gates], { expect }) => {
    await inStaged({}, async (on) => {
      const run = await on.run("A goal", ...argv);
      const now = await taken(on, run);
      expect(now.attention).toBe("");
      expect(wayOf(now)).toEqual([...way.flat(), "completed"]);
      const off = argv
        .filter((word) => word.startsWith("--no-"))
        .map((word) => word.slice("--no-".length).toUpperCase());
      const shown = await on.shown(run);
      expect(stagesOf(shown, "skipped", off)).toEqual(off);
      expect(Object.keys(shown.gates)).toEqual(gates);
      expect(on.said("missing")).toBe("");
      expect((await on.type("verify", run)).code).toBe(0);
    });
  });

  test("TEST and FINAL go on with the work of an earlier run", async ({ expect }) => {
    await inStaged({}, async (on) => {
      const first = await on.run("A goal", ...BROUGHT, "--no-test", "--no-final");
      expect((await on.ended(first)).state).toBe("handover");
      const tested = await on.run("A goal", "--stage", "TEST", "--from", first, "--no-final");
      expect(wayOf(await taken(on, tested))).toEqual([...TEST, "handover", "completed"]);
      // What it was given and has not changed is in its workspace, and was never committed.
      const over = await on.run("A goal", "--stage", "FINAL", "--from", tested);
      expect(wayOf(await on.ended(over))).toEqual([...FINAL, "completed"]);
      expect(on.git("diff", "--name-only", `main..signalbox/${over}`)).toBe(
        "README.md\nwork-1.txt\nwork-2.txt",
      );
      expect(on.said("missing")).toBe("");
      // The earlier one is as it was.
      expect((await on.now(first)).state).toBe("handover");
    });
  });
});

/** The work is taken where it waits. */
async function taken(on: Play, run: string) {
  const now = await on.ended(run);
  if (now.state !== "handover") return now;
  const { code } = await on.type("answer", run, "taken");
  if (code !== 0) throw new Error(`not taken: ${code}`);
  return on.until(run, ({ state, isIdle }) => state === "completed" && isIdle);
}

/** Of those that were left out, and all of their phases with them. */
function stagesOf({ stages, schedule }: State, status: string, off: readonly string[]): string[] {
  return NAMES.filter((name) => {
    const digit = String(NAMES.indexOf(name));
    const phases = schedule.filter(({ phase }) => phase.startsWith(digit));
    return (
      off.includes(name) && stages[name]?.status === status && phases.every((each) => each.status === status)
    );
  });
}
