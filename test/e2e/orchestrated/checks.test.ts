/** Commands that agents have listed are run in processes of their own where a person has approved of just those, and nowhere else. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { inSession, LONG, wayOf } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const OTHERS = JSON.stringify({
  acceptance_criteria: [
    { id: "AC-001", description: "It works", verify: ["cmd: sh check.sh && touch $HOME/../ledger/others"] },
  ],
});

describe.runIf(isPerson && IS_DEEP).concurrent("the acceptance checks", LONG, () => {
  test("are not run in a lean session before a person has seen them, and not where one says no", async ({
    expect,
  }) => {
    await inSession({}, async (on) => {
      const run = await on.run("--lean");
      expect((await on.rested(run)).state).toBe("LEAN_VOUCH_ONLY");
      expect(on.said("checked")).toBe("");
      const now = await on.people(run, "!skip, skip: nothing to check");
      expect(wayOf(now)).toMatch(/LEAN_VOUCH_ONLY LEAN_HANDOVER LEAN_COMMIT DONE$/);
      expect(on.said("checked")).toBe("");
      expect(on.file(run, "report.md")).toContain("nothing to check");
    });
  });

  test("are not run as they are now, where they were others when a person approved of them", async ({
    expect,
  }) => {
    await inSession({ agents: { "Coder.T-001": "BLOCKED" } }, async (on) => {
      const run = await on.run();
      const asked = await on.people(run, "approved, single-final");
      const file = `.agents-work/${String(asked.run.params["session"])}/acceptance.json`;
      on.edit(run, file, OTHERS);
      const now = await on.people(run, "answer: go on");
      expect(now.state).toBe("CHECKS");
      expect(now.attention).toContain("acceptance.json was changed by somebody else");
      expect((await on.type("submit", run, "acceptance")).code).toBe(0);
      expect((await on.type("resume", run)).code).toBe(0);
      // It is a person's by now, and still nobody has said that it may be run.
      expect((await on.rested(run)).state).toBe("VOUCH_ONLY");
      expect([on.said("checked"), on.said("others")]).toEqual(["", ""]);
    });
  });

  test("are run as they are now, once a person has handed them in and approved of them", async ({
    expect,
  }) => {
    await inSession({ agents: { "Coder.T-001": "BLOCKED" } }, async (on) => {
      const run = await on.run();
      const asked = await on.people(run, "approved, single-final");
      on.edit(run, `.agents-work/${String(asked.run.params["session"])}/acceptance.json`, OTHERS);
      expect((await on.type("submit", run, "acceptance")).code).toBe(0);
      expect((await on.people(run, "answer: go on")).state).toBe("VOUCH_ONLY");
      expect((await on.people(run, "run")).state).toBe("DONE");
      expect(on.said("checked")).toBe("check");
      expect(on.now(run).run.waivers).toEqual({});
    });
  });
});
