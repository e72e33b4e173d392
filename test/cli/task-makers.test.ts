/** Who may make tasks: people, and coding agents outside of runs in their name. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeHomes } from "../support/home.ts";
import { procsOf } from "../support/procs.ts";
import { document, LONE_FILES, outcome, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene({});
});
afterAll(removeHomes);

describe("who makes tasks", () => {
  const claude = procsOf([{ pid: 60, name: "claude", environment: "CLAUDECODE=1\0" }]);

  test("an agent that belongs to no run, in a person's name, and said so", async () => {
    const env = { ...on.env, CLAUDECODE: "1" };
    const printed = await on.say(["task", "create", "made", "By an agent", "--json"], { env, procs: claude });
    expect(document(printed)).toMatchObject({ ok: true, state: "pending" });
    const id = String(document(printed)["run"]);
    const [first] = await on.withStore((store) => store.events(id));
    expect(first?.by).toMatchObject({
      type: "human",
      name: expect.stringContaining("through Claude Code") as string,
    });
    expect((await on.withStore((store) => store.queued())).map(({ run }) => run)).toContain(id);
    expect((await on.say(["verify", id])).code).toBe(0);
    for (const words of [
      ["task", "start", id],
      ["task", "cancel", id],
      ["task", "update", id, "--status", "planning"],
    ])
      expect(await outcome(on.say([...words, "--json"], { env, procs: claude }))).toBe("4 not-a-person");
    for (const words of [["x", "y", "--status", "reviewing"], []])
      expect(await outcome(on.say(["task", "create", ...words, "--json"], { env, procs: claude }))).toBe(
        "4 not-a-person",
      );
  });

  test("no agent without a queue: no command that begins one is advised", async () => {
    const own = await taskScene({ ...LONE_FILES, ".signalbox/config.yaml": "workflow: lone\n" }, 1);
    const at = { env: { ...own.env, CLAUDECODE: "1" }, procs: claude };
    expect(document(await own.say(["create", "x", "y", "--json"], at))).toMatchObject({
      code: "not-a-person",
      next: 'ask a person to create it, or name a workflow with a queue: signalbox create --workflow NAME BRANCH "what is to be done"',
    });
  });

  test("no agent by the key of a person: it makes its own, and moves no other", async () => {
    const env = { ...on.env, CLAUDECODE: "1" };
    const words = ["task", "create", "Left for later", "--key", "later", "--json"];
    const id = String(document(await on.say([...words, "--no-start"]))["run"]);
    for (const more of [[], ["--no-start"], ["--depends-on", id]])
      expect(await outcome(on.say([...words, ...more], { env, procs: claude }))).toBe("4 not-a-person");
    const queued = await on.withStore((store) => store.queued());
    expect(queued.map(({ run }) => run)).not.toContain(id);
    const own = ["task", "create", "Its own", "--key", "own", "--json"];
    const [made, again] = [
      await on.say(own, { env, procs: claude }),
      await on.say(own, { env, procs: claude }),
    ];
    expect([made.code, document(again)["run"]]).toEqual([0, document(made)["run"]]);
  });

  test("no agent of a run", async () => {
    const id = await on.taskIn("planning");
    const words = ["task", "create", "of-a-run", "x", "--json"];
    expect(await outcome((await on.as(id, "worker"))(words))).toBe("4 not-a-person");
    const stripped = procsOf([
      { pid: 60, name: "claude", environment: "CLAUDECODE=1\0" },
      { pid: 61, name: "sh", environment: `SIGNALBOX_JOB=${id}.worker.1.1\0` },
    ]);
    expect(await outcome(on.say(words, { procs: stripped }))).toBe("4 not-a-person");
    expect(await outcome(on.say(words, { env: { ...on.env, SIGNALBOX_JOB: "x" } }))).toBe("4 not-a-person");
  });

  test.for([
    ["project", "add"],
    ["project", "update", "--agents", "3"],
    ["project", "remove"],
  ])("%j takes a person", async (words) => {
    const env = { ...on.env, CLAUDECODE: "1" };
    expect(await outcome(on.say([...words, "--json"], { env }))).toBe("4 not-a-person");
  });
});
