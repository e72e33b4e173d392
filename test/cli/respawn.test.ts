/** An agent that was not started since somebody else had changed what it is about: looked at again when a person has it started. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import type { Reading } from "../../src/core/model/event.ts";
import { sha256 } from "../../src/format/sha256.ts";
import { reading, verdict } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";
import { AT, machine } from "./reading-support.ts";

const judged = fromText(`$schema: ../../schema/workflow-1.schema.json
name: judged
title: A plan, and a verdict about it
artifacts:
  plan: { in: plan.md, file: true, by: [worker, human] }
  judge:
    in: judge.json
    by: critic
    bind: plan
    json: { object: { status: [approved, changes] } }
    review: { verdict: status, values: { approved: pass, changes: needs_fix } }
counters: { deaths: { max: 3, per: run } }
roles: { worker: {}, critic: { access: read, prompt: worker } }
states:
  writing: { enter: [start worker] }
  judging: { enter: [start critic] }
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: judging, by: worker, need: plan, do: [stop worker] }
  - { from: judging, to: done, by: engine, when: { judge: [pass, needs_fix] }, do: [stop critic] }
  - { from: [writing, judging], to: dropped, by: human, do: [stop all] }
ends:
  - { role: critic, in: judging, else: { count: deaths, do: [start critic] } }
`);

const PLAN = "A plan.\n";

const on = await machine(judged);
afterAll(() => on.store.close());

/** The critic has ended, left this, and is not started again: the plan is another one. */
async function strand(id: string, ...left: Reading[]): Promise<(text: string) => void> {
  const plan = (text: string): Reading => reading("plan", { digest: `sha256:${sha256(Buffer.from(text))}` });
  const worker = { type: "agent", role: "worker", slot: "", attempt: 1 } as const;
  await on.begin(id);
  await on.happen(id, {
    type: "move-asked",
    by: worker,
    at: AT,
    to: "judging",
    readings: [plan(PLAN)],
    tree: "t",
  });
  const readings = [plan("Another one.\n"), ...left];
  const ended = {
    type: "agent-ended",
    at: AT,
    role: "critic",
    slot: "",
    attempt: 1,
    cause: "exited",
  } as const;
  await on.happen(id, { ...ended, readings });
  const folder = runFolders(on.home, id).files;
  mkdirSync(folder, { recursive: true });
  return (text) => writeFileSync(join(folder, "plan.md"), text);
}

test("it is started when that was put back, and not before", async () => {
  const write = await strand("r1");
  write("Another one.\n");
  const { code, stderr } = await on.call("task respawn r1");
  expect([code, stderr]).toEqual([5, expect.stringContaining("was changed by another author") as string]);
  write(PLAN);
  expect(await on.data("task respawn r1")).toMatchObject({ ok: true, from: "judging", to: "judging" });
  expect((await on.store.load("r1"))?.run.agents["critic"]).toMatchObject({ status: "called", attempt: 2 });
});

test("where that was all that was missing, the run goes on without it", async () => {
  (await strand("r2", verdict("judge", "pass")))(PLAN);
  const { code, stdout } = await on.call("task respawn r2 critic");
  expect([code, stdout]).toEqual([0, expect.stringContaining("r2 goes from judging to done") as string]);
});

const dying = fromText(`$schema: ../../schema/workflow-1.schema.json
name: dying
title: A note, and a report about it
artifacts:
  note: { in: note.md, file: true, by: worker }
  report: { in: report.md, file: true, by: worker }
counters: { deaths: { max: 2, per: run } }
roles: { worker: {} }
states:
  writing: { enter: [start worker] }
  stuck: { waits: true }
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: done, by: worker, need: [note, report], do: [stop worker] }
  - { from: writing, to: stuck, by: engine, when: { deaths: spent } }
  - { from: stuck, to: writing, by: human, verb: retry }
  - { from: [writing, stuck], to: dropped, by: human, verb: cancel, do: [stop all] }
ends:
  - { role: worker, in: writing, else: { count: deaths, do: [start worker] } }
`);

test("after the last death: what the agent owes, and where its output is", async () => {
  const of = await machine(dying);
  await of.begin("r1");
  const died = { type: "agent-ended", at: AT, role: "worker", slot: "", cause: "exited", code: 1 } as const;
  await of.happen("r1", { ...died, attempt: 1, readings: [reading("note")] });
  await of.happen("r1", { ...died, attempt: 2, readings: [reading("note")] });
  const shown = await of.say("show r1");
  expect(shown).toContain("the worker stopped too often without submitting report (exit code 1)");
  const [retry, logs, cancel] = ["retry", "logs", "cancel"].map((verb) =>
    shown.indexOf(`signalbox ${verb} r1`),
  );
  expect([retry, logs, cancel].every((at) => (at ?? -1) > 0)).toBe(true);
  expect([retry, logs, cancel]).toEqual([retry, logs, cancel].toSorted((a = 0, b = 0) => a - b));
  await of.store.close();
});
