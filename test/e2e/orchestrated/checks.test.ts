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

const BY_HAND = JSON.stringify({
  acceptance_criteria: [{ id: "AC-001", description: "It works", verify: ["manual: it looks well"] }],
});

/** Settings with this as the command of all sessions. */
function withCi(command: string): string {
  return `workflows: { orchestrated: { commands: { ci: "${command}" } } }\n`;
}

const SAYS = (word: string): string => `echo ${word} >>$HOME/../ledger/ran`;

describe.runIf(isPerson && IS_DEEP).concurrent("the command of the settings", LONG, () => {
  test.for<[whose: string, mine: string, projects: string, ran: string, way: string]>([
    ["a person's", SAYS("mine"), "", "mine", "LEAN_ATTEST"],
    ["the project's", "", SAYS("projects"), "projects", "LEAN_ATTEST"],
    ["the project's before a person's", SAYS("mine"), SAYS("projects"), "projects", "LEAN_ATTEST"],
    ["one that is red", `${SAYS("mine")}; exit 3`, "", "mine\nmine", "LEAN_FIX LEAN_CHECKS ASK_BUILD"],
    // Nothing to run is for a person to say.
    ["none", "", "", "", "LEAN_VOUCH"],
  ])(
    "%s is run by the engine, and nobody is asked before",
    async ([, mine, projects, ran, way], { expect }) => {
      const settings = mine === "" ? {} : { settings: withCi(mine) };
      const files = projects === "" ? {} : { files: { ".signalbox/config.yaml": withCi(projects) } };
      await inSession({ ...settings, ...files, instead: { "acceptance.json": BY_HAND } }, async (on) => {
        expect((await on.type("trust")).code).toBe(0);
        const run = await on.run("--lean", "--param", "attempts=1");
        expect(wayOf(await on.rested(run))).toBe(`INTAKE_LEAN LEAN_CODE LEAN_REVIEW LEAN_CHECKS ${way}`);
        expect(on.said("ran")).toBe(ran);
      });
    },
  );

  test("is run before what criteria and tasks list, which a person has seen", async ({ expect }) => {
    await inSession({ settings: withCi(SAYS("ci")) }, async (on) => {
      const run = await on.run();
      const now = await on.people(run, "approved, single-final");
      expect(now.state).toBe("ATTEST");
      expect([on.said("ran"), on.said("checked")]).toEqual(["ci", "check"]);
      expect(now.run.held["ci"]?.reading.lists["commands"]).toEqual([
        SAYS("ci"),
        "sh check.sh",
        "test -e work-1.txt",
        "test -e work-2.txt",
      ]);
    });
  });

  test("of a project that nobody trusts is not used", async ({ expect }) => {
    const files = { ".signalbox/config.yaml": withCi(SAYS("projects")) };
    await inSession({ files }, async (on) => {
      const { code, document } = await on.type("run", "orchestrated", "A goal", "--lean", "--detach");
      expect([code, document["code"]]).toEqual([7, "untrusted"]);
    });
  });
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
      expect(wayOf(now)).toMatch(/LEAN_VOUCH_ONLY LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE$/);
      expect(on.said("checked")).toBe("");
      expect(await on.file(run, "report.md")).toContain("nothing to check");
    });
  });

  test("are not run as they are now, where they were others when a person approved of them", async ({
    expect,
  }) => {
    await inSession({ agents: { "Coder.T-001": "BLOCKED" } }, async (on) => {
      const run = await on.run();
      const asked = await on.people(run, "approved, single-final");
      const file = `.agents-work/${String(asked.run.params["session"])}/acceptance.json`;
      await on.edit(run, file, OTHERS);
      const child = await on.child(run, "T-001");
      expect((await on.type("answer", child, "answer", "--text", "go on")).code).toBe(0);
      // Nobody goes on with a text that is nobody's.
      await on.until(child, ({ attention }) => attention !== "");
      expect((await on.now(child)).attention).toContain(
        "acceptance.json first, which was changed by another author",
      );
      expect((await on.type("submit", run, "acceptance")).code).toBe(0);
      expect((await on.type("resume", child)).code).toBe(0);
      // It is a person's by now, and still nobody has said that it may be run.
      expect((await on.rested(run)).state).toBe("VOUCH_ONLY");
      expect([on.said("checked"), on.said("others")]).toEqual(["", ""]);
    });
  });

  test.for<[what: string, isHandedIn: boolean, way: string]>([
    ["handed in by a person: asked about", true, "CHECKS VOUCH_ONLY"],
    ["and put back: what was run counts", false, "CHECKS ATTEST"],
  ])("changed while they are run, %s", async ([, isHandedIn, way], { expect }) => {
    await inSession({}, async (on) => {
      const held = on.hold("check");
      const run = await on.run();
      await on.people(run, "approved");
      expect((await on.type("answer", run, "single-final")).code).toBe(0);
      await held();
      const file = `.agents-work/${String((await on.now(run)).run.params["session"])}/acceptance.json`;
      const before = await on.file(run, "acceptance.json");
      await on.edit(run, file, OTHERS);
      on.letGo("check");
      await expect
        .poll(async () => (await on.now(run)).attention, { timeout: LONG.timeout })
        .toContain("acceptance.json was changed by another author");
      const { actions, next, waits } = (await on.type("show", run)).document;
      const look = `less ${(await on.now(run)).workspace?.path ?? ""}/${file}`;
      expect(actions).toMatchObject([
        { command: look },
        { command: `signalbox submit ${run} acceptance` },
        { command: `signalbox resume ${run}` },
        { command: `signalbox cancel ${run}` },
      ]);
      expect(next).toBe(look);
      expect(waits).toMatchObject({
        kind: "attention",
        sentence: `Needs attention: ${file} was changed by another author.`,
      });
      if (isHandedIn) await on.type("submit", run, "acceptance");
      else await on.edit(run, file, before);
      await on.type("resume", run);
      const now = await on.rested(run);
      expect(wayOf(now)).toMatch(new RegExp(`INTEGRATE ${way}$`));
      expect([on.said("checked"), on.said("others"), now.attention]).toEqual(["check", "", ""]);
    });
  });

  test("are run as they are now, once a person has handed them in and approved of them", async ({
    expect,
  }) => {
    await inSession({ agents: { "Coder.T-001": "BLOCKED" } }, async (on) => {
      const run = await on.run();
      const asked = await on.people(run, "approved, single-final");
      await on.edit(run, `.agents-work/${String(asked.run.params["session"])}/acceptance.json`, OTHERS);
      expect((await on.type("submit", run, "acceptance")).code).toBe(0);
      expect((await on.people(run, "answer: go on")).state).toBe("VOUCH_ONLY");
      expect((await on.people(run, "run")).state).toBe("DONE");
      expect(on.said("checked")).toBe("check");
      expect((await on.now(run)).run.waivers).toEqual({});
    });
  });

  test.for<[mode: string, people: string, way: string]>([
    ["--lean", "", "LEAN_VOUCH_ONLY LEAN_CHECKS LEAN_VOUCH LEAN_ATTEST LEAN_HANDOVER"],
    ["--full", "approved, single-final, answer: go on", "VOUCH_ONLY CHECKS VOUCH ATTEST RELEASE"],
  ])(
    "%s: what only a person can see is asked, though it came to the criteria with the question",
    async ([mode, people, way], { expect }) => {
      await inSession({ agents: { "Coder.T-001": "BLOCKED" } }, async (on) => {
        const run = await on.run(mode);
        const file = `.agents-work/${String((await on.now(run)).run.params["session"])}/acceptance.json`;
        const handIn = async (text: string): Promise<void> => {
          await on.edit(run, file, text);
          expect((await on.type("submit", run, "acceptance")).code).toBe(0);
        };
        if (people !== "") {
          await on.people(run, "approved, single-final");
          await handIn(OTHERS);
          await on.people(run, "answer: go on");
        }
        expect((await on.rested(run)).state).toMatch(/VOUCH_ONLY$/);
        await handIn(OTHERS.replace(/"verify":\s*\[/, '$&"manual: it looks well",'));
        expect((await on.people(run, "skip: nothing to run")).state).toMatch(/ATTEST$/);
        // What was asked of the others was asked for nothing.
        expect((await on.status(run)).user_decisions.map(({ status }) => status)).toContain("skipped");
        expect(wayOf(await on.people(run, "attested"))).toContain(way);
        expect((await on.now(run)).state).toBe("DONE");
      });
    },
  );

  test("of a person's own criteria are run or attested, whatever an agent makes of them", async ({
    expect,
  }) => {
    await inSession({}, async (on) => {
      const own = "It is there\ncmd: echo own >>$HOME/../ledger/own";
      const run = await on.run("--lean", "--param", `criteria=${own}`);
      expect((await on.rested(run)).state).toBe("LEAN_VOUCH");
      expect(on.said("own")).toBe("");
      expect((await on.people(run, "run")).state).toBe("LEAN_ATTEST");
      expect((await on.people(run, "attested")).state).toBe("DONE");
      expect([on.said("own"), on.said("checked")]).toEqual(["own", "check"]);
    });
  });
});
