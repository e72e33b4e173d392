/** What must not move a change, what takes it back, and two of them that want the same spec. */

import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { inChange, LONG, wayOf, type Play } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const STATE = "changes/x/STATE.yaml";

const plan = (on: Play, name = "x"): Promise<string> => on.door("plan", name, `What ${name} wants`);

/** Sets the phase in the file by hand. */
function edit(on: Play, phase: string): void {
  on.write(STATE, on.read(STATE).replace(/^phase: .*$/m, `phase: ${phase}`));
}

describe.runIf(isPerson && IS_DEEP).concurrent("change", LONG, () => {
  test("a phase edited by hand in STATE.yaml moves nothing, is put right, and is told", async ({
    expect,
  }) => {
    await inChange({}, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      for (const [phase, door, answer] of [
        ["complete", "archive", "4 not-ready"],
        ["archived", "archive", "4 not-ready"],
        ["proposed", "plan", "3 challenged"],
        ["nonsense", "plan", "3 challenged"],
      ] as const) {
        edit(on, phase);
        expect([phase, await on.door(door, "x")]).toEqual([phase, answer]);
        expect(on.read(STATE)).toMatch(/^phase: challenged$/m);
      }
      const { state, notes } = await on.now(on.of("x"));
      expect(state).toBe("challenged");
      expect(notes.map(({ text }) => text).join("\n")).toContain(STATE);
      expect(await on.door("impl", "x")).toBe("3 complete");
    });
  });

  test.for(["template", "prose"])(
    "a REVIEW.md of the kind %s counts for nothing",
    async (word, { expect }) => {
      await inChange({ agents: { reviewer: `${word}, ${word}` } }, async (on) => {
        expect(await plan(on)).toBe("3 challenged");
        const { code, document } = await on.type("impl", "x");
        expect([code, document["state"], document["phase"]]).toEqual([3, "halted", "implementing"]);
        expect((await on.now(on.of("x"))).run.held["review"]?.reading).toMatchObject({ found: false });
        expect(await on.door("archive", "x")).toBe("4 not-ready");
        // Called again it shows the question, and implements nothing a second time.
        const calls = on.called().length;
        expect(await on.door("impl", "x")).toBe("3 implementing");
        expect(on.called()).toHaveLength(calls);
        expect((await on.type("answer", on.of("x"), "edited")).code).toBe(0);
        expect((await on.rested("x")).state).toBe("complete");
        expect(on.read("changes/x/REVIEW.md")).toContain("APPROVED");
      });
    },
  );

  test("MAJOR_ISSUES halts it until a person resumes it, red tests are not enough, and an edit takes it back", async ({
    expect,
  }) => {
    await inChange({ agents: { reviewer: "MAJOR_ISSUES HIGH" } }, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      expect(await on.door("impl", "x")).toBe("3 implementing");
      expect(await on.door("impl", "x")).toBe("3 implementing");
      on.say("red");
      expect(await on.door("reopen", "x")).toBe("3 implementing");
      expect((await on.now(on.of("x"))).state).toBe("halted");
      on.unsay("red");
      expect((await on.type("answer", on.of("x"), "edited")).code).toBe(0);
      expect((await on.rested("x")).state).toBe("complete");
      on.write("src/x-1.txt", "something else\n");
      expect(await on.door("archive", "x")).toBe("4 not-ready");
      expect(on.read(STATE)).toMatch(/^phase: implementing$/m);
      expect(await on.door("impl", "x")).toBe("3 complete");
      expect(wayOf(await on.now(on.of("x"))).slice(-5)).toEqual([
        "complete",
        "changed",
        "testing",
        "review",
        "complete",
      ]);
      on.write("README.md", "This is nobody's task.\n");
      expect(await on.door("archive", "x")).toBe("0 archived");
    });
  });

  test("rejected: reopened only when it was edited", async ({ expect }) => {
    await inChange({ agents: { challenger: "REJECTED HIGH" } }, async (on) => {
      expect(await plan(on)).toBe("3 rejected");
      expect(await on.door("plan", "x")).toBe("3 rejected");
      expect(await on.door("impl", "x")).toBe("4 not-ready");
      expect(await on.door("reopen", "x")).toBe("5 gate-not-met");
      expect((await on.now(on.of("x"))).state).toBe("rejected");
      on.write(
        "changes/x/tasks.md",
        `${on.read("changes/x/tasks.md")}\n- [ ] 2.2 More\n  - File: src/x-3.txt (CREATE)\n`,
      );
      expect(await on.door("reopen", "x")).toBe("3 challenged");
      expect(on.called().filter((name) => name === "challenger")).toHaveLength(2);
    });
  });

  test("challenged and edited: it is challenged again, and only then implemented", async ({ expect }) => {
    await inChange({}, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      on.write(
        "changes/x/specs/login.md",
        on.read("changes/x/specs/login.md").replace("It must.", "It must, twice."),
      );
      expect(await on.door("impl", "x")).toBe("4 not-ready");
      expect((await on.now(on.of("x"))).state).toBe("edited");
      expect(await on.door("plan", "x")).toBe("3 challenged");
      expect(await on.door("impl", "x")).toBe("3 complete");
    });
  });

  test("whoever writes over a document does not get it approved: a person takes it, or puts it back", async ({
    expect,
  }) => {
    const agents = { challenger: "tamper tasks.md", "worker.2.1": "tamper proposal.md" };
    await inChange({ agents }, async (on) => {
      const first = await on.type("plan", "x", "What x wants");
      expect([first.code, first.document["state"]]).toEqual([3, "challenge"]);
      expect(String(first.document["message"])).toContain(
        "Challenger was not started: changes/x/tasks.md was changed by another author since it was accepted from task-writer",
      );
      expect(String(first.document["message"])).not.toContain("exit code");
      expect(first.document["ways"]).toEqual([
        "less changes/x/tasks.md",
        `signalbox submit ${on.of("x")} todo`,
        `signalbox resume ${on.of("x")}`,
        `signalbox cancel ${on.of("x")}`,
      ]);
      // Not by calling again.
      expect(await on.door("plan", "x")).toBe("5 stale");
      expect((await on.type("submit", "x", "todo")).code).toBe(0);
      expect(await on.door("plan", "x")).toBe("3 challenged");
      expect(on.called().filter((name) => name === "challenger")).toHaveLength(2);
      const proposal = on.read("changes/x/proposal.md");
      expect(await on.door("impl", "x")).toBe("3 implementing");
      expect(await on.door("impl", "x")).toBe("5 stale");
      on.write("changes/x/proposal.md", proposal);
      expect(await on.door("impl", "x")).toBe("3 complete");
    });
  });

  test("two changes touch one spec: the second is refused at the archive with both sides, and merged again", async ({
    expect,
  }) => {
    await inChange({}, async (on) => {
      for (const name of ["x", "y"]) expect(await plan(on, name)).toBe("3 challenged");
      for (const name of ["x", "y"]) expect(await on.door("impl", name)).toBe("3 complete");
      expect(await on.door("archive", "x")).toBe("0 archived");
      const first = on.read("specs/login.md");
      expect(first).toContain("(x)");
      const { code, document } = await on.type("archive", "y");
      expect([code, document["phase"], document["state"]]).toEqual([3, "complete", "archive-blocked"]);
      expect(on.read("specs/login.md")).toBe(first);
      const told = JSON.stringify((await on.type("show", on.of("y"))).document);
      const { reading } = (await on.now(on.of("y"))).run.held["unarchived"] ?? {};
      const { now = "", ...fields } = reading?.fields ?? {};
      expect(fields).toMatchObject({ file: "specs/session.md", base: "none" });
      expect(readFileSync(String(now), "utf8")).toBe(on.read("specs/session.md"));
      expect(told).toContain(String(now));
      // It is shown again, and nothing is done.
      expect(await on.door("archive", "y")).toBe("3 complete");
      expect((await on.type("answer", on.of("y"), "merge-again")).code).toBe(0);
      expect((await on.rested("y")).state).toBe("archived");
      const both = on.read("specs/login.md");
      expect([both.includes("(y)"), both.includes("(x)")]).toEqual([true, true]);
      expect(on.read("specs/CHANGELOG.md")).toMatch(/says y[^]*says x|says x[^]*says y/);
      expect((await on.type("verify", on.of("y"))).code).toBe(0);
    });
  });

  test("a spec that was edited by hand since is not overwritten either", async ({ expect }) => {
    await inChange({ files: { "specs/login.md": "# Login\n" } }, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      expect(await on.door("impl", "x")).toBe("3 complete");
      on.write("specs/login.md", "# Login\n\nBy hand.\n");
      expect(await on.door("archive", "x")).toBe("3 complete");
      expect(on.read("specs/login.md")).toBe("# Login\n\nBy hand.\n");
      expect(on.read("specs/session.md")).toBe("");
      expect((await on.type("answer", on.of("x"), "later")).code).toBe(0);
      expect((await on.now(on.of("x"))).state).toBe("complete");
    });
  });

  test("what was good is made again word for word, where others were not: it counts", async ({ expect }) => {
    const agents = { "spec-writer.login": "silent, silent", "merge-reviewer": "NEEDS_FIX HIGH" };
    await inChange({ agents }, async (on) => {
      expect(await plan(on)).toBe("3 proposed");
      expect((await on.type("answer", on.of("x"), "retry")).code).toBe(0);
      expect((await on.rested("x")).state).toBe("challenged");
      expect(await on.door("impl", "x")).toBe("3 complete");
      expect(await on.door("archive", "x")).toBe("0 archived");
    });
  });
});
