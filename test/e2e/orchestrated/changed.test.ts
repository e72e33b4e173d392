/**
 * Work that is changed after it was approved is judged again, once, whoever changed it; then a person is asked. Documents are nobody's approval.
 * Texts that others go by are as they were accepted, or nobody is started.
 */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { processesOf } from "../lives/life.ts";
import { inSession, LONG, wayOf } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const AGAIN = "FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER";
const END = "COMMIT TAG DONE";

describe.runIf(isPerson && IS_DEEP).concurrent("changed after it was approved", LONG, () => {
  test.for<[agents: Record<string, string>, people: string, way: string]>([
    [{ Docs: "OK ~" }, "attested, attested", `${AGAIN} ${AGAIN} ${END}`],
    [{ Integrator: "OK ~" }, "attested, attested", `${AGAIN} ${AGAIN} ${END}`],
    [{ Docs: "OK ~, OK ~" }, "attested, attested", `${AGAIN} ${AGAIN} ASK_CHANGED`],
    [
      { Docs: "OK ~, OK ~" },
      "attested, attested, review, attested",
      `${AGAIN} ${AGAIN} ASK_CHANGED ${AGAIN} ${END}`,
    ],
    [
      { Docs: "OK ~, OK ~" },
      "attested, attested, !accept, accept: it is small, attested",
      `${AGAIN} ${AGAIN} ASK_CHANGED TAKEN HANDOVER ${END}`,
    ],
  ])("%o, then %s", async ([agents, people, way], { expect }) => {
    await inSession({ agents }, async (on) => {
      const run = await on.run();
      const now = await on.people(run, `approved, single-final, ${people}`);
      expect(wayOf(now).replace(/^.* SINGLE_FINAL /, "")).toBe(way);
      expect((await on.file(run, "report.md")).includes("it is small")).toBe(people.includes("it is small"));
    });
  });

  test("by a person, while the session waits", async ({ expect }) => {
    await inSession({}, async (on) => {
      const run = await on.run();
      await on.people(run, "approved, single-final");
      await on.edit(run, "work-1.txt", "by hand\n");
      const now = await on.people(run, "attested, attested");
      expect(wayOf(now).replace(/^.* SINGLE_FINAL /, "")).toBe(`${AGAIN} ${AGAIN} ${END}`);
      expect(on.git("show", `signalbox/${run}:work-1.txt`)).toBe("by hand");
    });
  });

  test("after the last one has judged it, and before the session is told", async ({ expect }) => {
    const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: "registry.before-outcome" };
    await inSession({ env }, async (on) => {
      const run = await on.run("--lean");
      await on.until(run, async () => (await on.children(run)).some(({ status }) => status === "done"));
      await on.until(run, () => processesOf(on).length === 0);
      await on.edit(run, "lean.txt", "by another hand\n");
      const now = await on.people(run, "run");
      expect(wayOf(now).match(/LEAN_REVIEW/g)).toHaveLength(2);
      expect(on.called().filter((name) => name === "Reviewer.lean")).toHaveLength(2);
    });
  });

  test("while a task is judged: its review is the one that is old", async ({ expect }) => {
    await inSession({}, async (on) => {
      on.does("QA.T-001.1", "for file in $HOME/../state/workspaces/*/work-1.txt; do echo more >>$file; done");
      const run = await on.run();
      expect((await on.people(run, "approved, per-batch")).state).toBe("ATTEST");
      const way = wayOf(await on.now(await on.child(run, "T-001"))).replaceAll(/\w+_DUE /g, "");
      expect(way).toBe("CODE REVIEW QA SECURITY JOIN REVIEW QA SECURITY JOIN completed");
    });
  });

  test("by a judge of a task, in its own checkout: that is not the work", async ({ expect }) => {
    await inSession({ agents: { "QA.T-001": "OK ~" } }, async (on) => {
      const run = await on.run();
      expect((await on.people(run, "approved, per-batch")).state).toBe("ATTEST");
      const child = await on.child(run, "T-001");
      const way = wayOf(await on.now(child)).replaceAll(/\w+_DUE /g, "");
      expect(way).toBe("CODE REVIEW QA SECURITY JOIN completed");
      expect((await on.now(child)).notes.map(({ text }) => text)).toContain(
        "QA 1 changed 1 file in its own checkout, which was discarded: work-1.txt",
      );
    });
  });

  // Who is judged would write what it is judged by.
  test.for(["spec.md", "acceptance.json", "architecture.md", "tasks.yaml"])(
    "%s, by a coder: nobody judges by that",
    async (name, { expect }) => {
      await inSession({}, async (on) => {
        on.does("Coder.T-001.1", `cp $folder/${name} $LEDGER/kept; sed -i 's/It/Anything/' $folder/${name}`);
        const run = await on.run();
        await on.people(run, "approved");
        expect((await on.type("answer", run, "per-batch")).code).toBe(0);
        await on.until(run, async () => (await on.children(run)).some(({ status }) => status !== ""));
        const child = await on.child(run, "T-001");
        await on.until(child, ({ attention }) => attention !== "");
        expect((await on.now(child)).attention).toContain(
          `${name} first, which was changed by another author`,
        );
        expect(on.called()).not.toContain("Reviewer.T-001");
        const { actions } = (await on.type("show", child)).document as { actions: { command: string }[] };
        expect(actions.map(({ command }) => command)).toEqual([
          expect.stringMatching(new RegExp(`^less /.*/${name}$`)),
          expect.stringMatching(new RegExp(`^signalbox submit ${run} \\w`)),
          `signalbox resume ${child}`,
          `signalbox cancel ${child}`,
        ]);
        await on.edit(
          run,
          `.agents-work/${String((await on.now(run)).run.params["session"])}/${name}`,
          `${on.said("kept")}\n`,
        );
        expect((await on.type("resume", child)).code).toBe(0);
        expect((await on.rested(run)).state).toBe("ATTEST");
      });
    },
  );
});
