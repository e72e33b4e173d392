/** Verbs of people on tasks with agents at work: out of stuck, out of a question, and to the end. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
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

async function pageOf(flow: Flow, run: string): Promise<string> {
  return readFileSync(
    join(await flow.withStore(async (store) => (await store.workspace(run))?.path ?? ""), "TASK.md"),
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
    expect(await pageOf(flow, run)).toMatch(/^## Fix Instructions\n\n.*\n\nTry again\.\nWhat stopped it: /m);
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
    expect(await flow.state(failed)).toBe("stuck");
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

/** A `git` that fails at this subcommand, for a process that finds it first. */
function failingGit(flow: Flow, at: string): Record<string, string> {
  const bin = join(flow.root, "failing-bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase " $* " in *" ${at} "*) echo "error: Entry 'x' not uptodate." >&2; exit 128;; esac\nPATH=\${PATH#*:} exec git "$@"\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  return { PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
}

test.runIf(isPerson)(
  "stuck: a merge that fails leaves the run where it is",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await begun(flow, "reject");
    await flow.until(run, ["stuck"]);
    await quiet(flow);
    const refused = async (more?: Record<string, string>) => {
      const { document } = await flow.say(`accept ${run} "It is right"`, more);
      const { code, message, next } = document as Record<string, string>;
      return { code, message, next, state: await flow.state(run) };
    };
    const again = `signalbox accept ${run} "TEXT"`;
    writeFileSync(join(flow.repo, "README.md"), "mine\n");
    expect(await refused()).toMatchObject({
      code: "checkout-dirty",
      next: expect.stringContaining(`stash push -- README.md, then: ${again}, then: `) as unknown,
      state: "stuck",
    });
    flow.git("checkout", "-q", "README.md");
    writeFileSync(join(flow.repo, `work-${run}.txt`), "mine\n");
    expect(await refused()).toMatchObject({
      code: "checkout-dirty",
      message: expect.stringContaining(`work-${run}.txt is in the way`) as unknown,
      next: expect.stringContaining(again) as unknown,
      state: "stuck",
    });
    flow.git("add", "-A");
    flow.git("commit", "-q", "-m", "the same file");
    expect(await refused()).toMatchObject({
      code: "merge-conflict",
      next: expect.stringContaining(`signalbox send-back ${run} "1. `) as unknown,
      state: "stuck",
    });
    flow.git("reset", "-q", "--hard", "HEAD~");
    // Also where only the merge itself finds out.
    expect(await refused(failingGit(flow, "read-tree -n"))).toMatchObject({
      code: "checkout-dirty",
      next: expect.stringContaining(again) as unknown,
      state: "stuck",
    });
    expect(await flow.say(`accept ${run} "It is fine"`)).toMatchObject({ code: 0, document: { to: "done" } });
  },
);

test.runIf(isPerson)(
  "stuck: a person accepts what the branch shows, not what changed since",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await begun(flow, "reject");
    await flow.until(run, ["stuck"]);
    await quiet(flow);
    const workspace = await flow.withStore((store) => store.workspace(run));
    writeFileSync(join(workspace?.path ?? "", "backdoor.sh"), "exit\n");
    const refused = await flow.say(`accept ${run} "I looked at the diff"`);
    expect(refused).toMatchObject({ code: 5, document: { code: "stale" } });
    expect(refused.document["message"]).toContain("backdoor.sh");
    expect(await flow.state(run)).toBe("stuck");
    expect(() => flow.git("show", "main:backdoor.sh")).toThrow("backdoor.sh");
    // The branch has it now: who has looked may accept it.
    expect(flow.git("show", `${workspace?.branch}:backdoor.sh`)).toBe("exit");
    expect((await flow.say(`accept ${run} "Now I have seen it"`)).code).toBe(0);
    expect(flow.git("show", "main:backdoor.sh")).toBe("exit");
    expect((await flow.say(`verify ${run}`)).code).toBe(0);
  },
);

test.runIf(isPerson)(
  "reviewing: of accepting and sending back at the same moment one happens",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(2);
    const runs = [await flow.create("one"), await flow.create("two")];
    for (const run of runs) await flow.until(run, ["reviewing"]);
    await quiet(flow);
    for (const run of runs) {
      const [accepted, sent] = await Promise.all([
        flow.say(`accept ${run}`),
        flow.say(`send-back ${run} "change it"`),
      ]);
      const isMerged = flow.git("log", "--format=%s", "main").includes(run);
      expect([accepted?.code === 0, sent?.code === 0].filter(Boolean)).toHaveLength(1);
      expect(isMerged).toBe(accepted?.code === 0);
    }
  },
);
