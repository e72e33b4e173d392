/** Runs that nobody can move on: a person is told at once, with the reason and what to type. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { acting } from "../../../src/app/context.ts";
import { follow, type Followed } from "../../../src/app/story/follow.ts";
import { paintOf } from "../../../src/cli/paint.ts";
import { isSupervisorAlive } from "../../../src/adapters/supervisor/lock.ts";
import { isPerson } from "../../support/person.ts";
import { onStage, type Scene, type Stage } from "./stage.ts";

const SCENE: Scene = {
  workflow: "deadlocks",
  agents: {
    triager: `printf '{"severity":"low"}' >triage.json; signalbox move fixing`,
    fixer: `printf '{"severity":"high"}' >triage.json; echo fixed >FIXED.md; signalbox move testing`,
    author: "await never",
    worker: `printf '## Handoff\\n\\nDONE: %s\\n' "$SIGNALBOX_JOB" >NOTES.md; until signalbox move judging; do sleep 0.2; done`,
    reviewer: `printf 'Verdict: FAIL\\n\\nNo tests.\\n' | signalbox submit review -`,
  },
  files: { "test.sh": "true" },
  settings: `notify: [sh, -c, 'echo "$*" >>"$HOME/told"', notify]\n`,
};

async function followed(stage: Stage, run: string): Promise<Followed> {
  const door = { cwd: stage.repo, home: "", env: stage.env, paint: paintOf(false), self: "signalbox" };
  const { signal } = new AbortController();
  return acting(door, (on) => follow(on, { run, from: 0, emit: () => undefined, signal }));
}

type Item = {
  readonly run: string;
  readonly kind: string;
  readonly reason: string;
  readonly actions: readonly { readonly command: string }[];
};

async function inboxOf(stage: Stage, run: string): Promise<Item | undefined> {
  const items = (await stage.person("inbox")).document["items"] as Item[];
  return items.find((item) => item.run === run);
}

/** What every command says of the run, and what the person was notified of. */
async function everywhere(stage: Stage, run: string): Promise<Record<string, unknown>> {
  const list = (await stage.person("list")).document["runs"] as { run: string; attention: string }[];
  const why = (await stage.person("why", run)).document;
  const { document: show } = await stage.person("show", run);
  const resume = await stage.person("resume", run);
  const told = join(stage.root, "person/told");
  return {
    inbox: await inboxOf(stage, run),
    list: list.find((each) => each.run === run)?.attention,
    why: (why["notes"] as string[])[0],
    attention: show["attention"],
    waits: show["waits"],
    resume: [resume.code, resume.document["code"]],
    next: resume.document["next"],
    told: existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : [],
  };
}

describe.runIf(isPerson).concurrent("a run that nobody can move on", () => {
  test("a fixer changed the text that decides; restored, the run goes on", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const run = await stage.begin("deadlocks", "--to", "triaging");
      const end = await followed(stage, run);
      expect(end).toMatchObject({ exit: 3, code: "needs-attention", state: "testing", status: "running" });
      const reason = expect.stringContaining(
        "nothing is running in testing, so it cannot go on by itself; closed: done (triage.severity must be low, but triage is stale: triage.json counts only from triager)",
      ) as string;
      const commands = [`signalbox retry ${run}`, `signalbox cancel ${run}`];
      await stage.until(run, ({ notes }) => notes.some(({ kind }) => kind === "deadlock"));
      const said = await everywhere(stage, run);
      expect(said).toEqual({
        inbox: expect.objectContaining({
          kind: "attention",
          reason,
          actions: commands.map((command) => expect.objectContaining({ command }) as object),
        }) as Item,
        list: reason,
        why: reason,
        attention: reason,
        waits: expect.objectContaining({ kind: "attention", sentence: reason }) as object,
        resume: [3, "needs-attention"],
        next: commands[0],
        told: [expect.stringMatching(`^${run} testing A life: nothing is running in testing`) as string],
      });
      writeFileSync(join((await stage.now(run)).workspace?.path ?? "", "triage.json"), '{"severity":"low"}');
      expect(await stage.person("resume", run)).toMatchObject({
        code: 0,
        document: { state: "done", retried: ["reading its files"] },
      });
      expect(await inboxOf(stage, run)).toBeUndefined();
    });
  });

  test("what decides was waived; no supervisor is needed to see it, and cancel ends it", async ({
    expect,
  }) => {
    await onStage(SCENE, async (stage) => {
      const run = await stage.begin("deadlocks", "--to", "writing");
      await stage.until(run, ({ run: { agents } }) => agents["author"]?.status === "alive");
      expect((await stage.person("waive", run, "case", "--reason", "known")).code).toBe(0);
      expect(await inboxOf(stage, run)).toBeUndefined();
      expect((await stage.person("move", run, "proving")).code).toBe(0);
      expect(await followed(stage, run)).toMatchObject({
        exit: 3,
        code: "needs-attention",
        ways: [`signalbox cancel ${run}`],
      });
      await stage.until(run, ({ isIdle }) => isIdle && !isSupervisorAlive(stage.home));
      expect(await everywhere(stage, run)).toMatchObject({
        inbox: { kind: "attention", actions: [{ command: `signalbox cancel ${run}` }] },
        list: expect.stringContaining("case must be valid, but waived by") as string,
        resume: [3, "needs-attention"],
        told: [expect.stringContaining(`${run} proving`) as string],
      });
      expect((await stage.person("cancel", run)).document).toMatchObject({ to: "dropped" });
      expect(await inboxOf(stage, run)).toBeUndefined();
    });
  });

  test("nobody was started who could be told, although a merge would end it", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const run = await stage.begin("deadlocks", "--to", "judging");
      expect(await followed(stage, run)).toMatchObject({
        exit: 3,
        code: "needs-attention",
        message: expect.stringContaining("judging (no worker is running; handoff is missing") as string,
        next: `signalbox why ${run}`,
      });
      expect(await inboxOf(stage, run)).toMatchObject({ kind: "attention" });
    });
  });

  test("with a worker that goes on it is never shown, up to the round that is the last", async ({
    expect,
  }) => {
    await onStage(SCENE, async (stage) => {
      const run = await stage.begin("deadlocks", "--to", "working");
      const { notes } = await stage.until(run, ({ state }) => state === "stuck");
      expect(notes.filter(({ kind }) => kind === "deadlock")).toEqual([]);
    });
  });

  test("only people have moves in a state that does not say that it waits", async ({ expect }) => {
    await onStage(SCENE, async (stage) => {
      const run = await stage.begin("deadlocks", "--to", "accepting");
      expect(await followed(stage, run)).toMatchObject({
        exit: 3,
        code: "waiting-for-person",
        status: "waiting",
        ways: [`signalbox move ${run} done`, `signalbox cancel ${run}`],
      });
      expect(await inboxOf(stage, run)).toMatchObject({
        kind: "waiting",
        actions: [{ command: `signalbox move ${run} done` }, { command: `signalbox cancel ${run}` }],
      });
      expect((await stage.person("move", run, "done")).code).toBe(0);
    });
  });
});
