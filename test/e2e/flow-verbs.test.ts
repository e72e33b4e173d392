/** Verbs of people on tasks with agents at work: out of stuck, out of a question, and to the end. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { processesOf } from "./lives/life.ts";
import { clearFlows, makeFlow, type Flow } from "./flow-support.ts";

afterEach(clearFlows);

/** A task that is started with a file of its name for its agents. */
async function begun(flow: Flow, what: "reject" | "ask"): Promise<string> {
  const run = await flow.create(`to ${what}`, "--no-start");
  writeFileSync(join(flow.ledger, `${run}.${what}`), "");
  expect((await flow.say(`accept ${run}`)).code).toBe(0);
  return run;
}

async function quiet(flow: Flow): Promise<void> {
  await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
}

function pageOf(flow: Flow, run: string): string {
  return readFileSync(
    join(
      flow.withStore((store) => store.workspace(run)?.path ?? ""),
      "TASK.md",
    ),
    "utf8",
  );
}

test.runIf(isPerson)(
  "stuck: tried again, sent back, and accepted when a review has passed",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(2);
    const run = await begun(flow, "reject");
    await flow.until(run, ["stuck"]);
    await quiet(flow);
    expect(await flow.say(`retry ${run}`)).toMatchObject({
      code: 0,
      document: { from: "stuck", to: "working" },
    });
    expect(pageOf(flow, run)).toMatch(/^## Fix Instructions\n\n.*\n\nTry again\.\nWhat stopped it: /m);
    await flow.until(run, ["stuck"]);
    await quiet(flow);
    rmSync(join(flow.ledger, `${run}.reject`));
    expect(await flow.say(`send-back ${run} "Add a test"`)).toMatchObject({
      code: 0,
      document: { from: "stuck", to: "working" },
    });
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    expect(await flow.say(`accept ${run} --squash`)).toMatchObject({
      code: 0,
      document: { how: "squash", from: "reviewing", to: "done", into: "main" },
    });
    expect(flow.git("show", `main:work-${run}.txt`)).toBe(run);
    expect((await flow.say(`verify ${run}`)).code).toBe(0);
  },
);

test.runIf(isPerson)(
  "stuck: accepted by a person who answers for it, and a question answered in words",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(2);
    const [failed, asked] = [await begun(flow, "reject"), await begun(flow, "ask")];
    await flow.until(failed, ["stuck"]);
    await flow.until(asked, ["clarification"]);
    expect((await flow.say(`accept ${failed}`)).document["code"]).toBe("needs-text");
    expect(flow.state(failed)).toBe("stuck");
    await quiet(flow);
    expect(await flow.say(`accept ${failed} "The test is wrong"`)).toMatchObject({
      code: 0,
      document: { from: "stuck", to: "done", into: "main" },
    });
    expect(flow.git("show", `main:work-${failed}.txt`)).toBe(failed);
    expect(await flow.say(`answer ${asked} "To everybody"`)).toMatchObject({
      code: 0,
      document: { from: "clarification", to: "planning" },
    });
    await flow.until(asked, ["reviewing"]);
  },
);
