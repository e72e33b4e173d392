/** What every store must remember of the world: agents, jobs, workspaces, files and repositories. */

import { claim, newFence, settle } from "../support/effects.ts";
import { expect, test } from "vitest";
import type { AgentRow, JobRow, WorkspaceRow } from "../../src/engine/ports/registry.ts";
import type { Open } from "./store-contract.ts";
import { add, AT, BIRTH, HASH, START, TELL } from "./store-entries.ts";

export function registryContract(open: Open): void {
  const agent: AgentRow = {
    run: "a1",
    role: "worker",
    slot: "",
    attempt: 1,
    token: "hash",
    dir: "/dir",
    turn: 1,
    status: "running",
    entry: 1,
    startedAt: 5,
  };

  const job: JobRow = {
    id: "a1-worker-1-1",
    run: "a1",
    kind: "turn",
    role: "worker",
    slot: "",
    attempt: 1,
    artifact: "",
    tree: "t",
    dir: "/dir",
    startedAt: 1_700_000_000_000,
    endsBy: 0,
    stallMs: 600_000,
    killed: "",
    status: "live",
    seat: "",
  };

  test("agents are found by name, token and status; idle ones whose run moved on are told", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    await one.commit([{ type: "put-agent", agent }]);
    // What keeps somebody busy is its process, which is a job.
    expect(await one.isBusy()).toBe(false);
    expect(await other.agent(agent)).toEqual(agent);
    expect(await other.byToken("hash")).toEqual(agent);
    expect([
      await other.byToken(""),
      await other.byToken("other"),
      await other.agent({ ...agent, attempt: 2 }),
    ]).toEqual([undefined, undefined, undefined]);
    await one.commit([{ type: "put-agent", agent: { ...agent, status: "idle" } }]);
    expect([
      await other.isBusy(),
      await other.idleMoved(),
      await other.agents({ status: "running" }),
    ]).toEqual([false, [], []]);
    await one.commit([{ type: "put-agent", agent: { ...agent, status: "idle", entry: 0 } }]);
    expect(await other.idleMoved()).toMatchObject([{ run: "a1", status: "idle" }]);
    expect(await other.isBusy()).toBe(true);
    await one.commit([{ type: "halt", run: "a1", halted: true }]);
    expect([await other.idleMoved(), await other.isBusy()]).toEqual([[], false]);
    await one.commit([{ type: "put-agent", agent: { ...agent, attempt: 2, token: "", status: "ended" } }]);
    expect(await other.agents({ run: "a1" })).toHaveLength(2);
    expect(await other.agents({ run: "a1", status: "ended" })).toMatchObject([{ attempt: 2 }]);
    expect(await other.agents({ run: "b1" })).toEqual([]);
  });

  test("a place is one run's at a time, from the write that moves it", async () => {
    const [one, other] = await open();
    await add(one, "a1", { place: "/repo" });
    expect(await other.workspace("a1")).toMatchObject({
      path: "/repo",
      repo: "/repo",
      branch: "",
      status: "reserved",
    });
    await add(other, "a2");
    const said = { key: "k1", answer: "said", place: "/repo" };
    expect(await add(other, "a2", said)).toEqual({ type: "taken", by: "a1" });
    expect([
      await other.answerTo("a2", "k1"),
      (await other.load("a2"))?.row.seq,
      await other.workspace("a2"),
    ]).toEqual([undefined, 2, undefined]);
    expect([
      await one.placeHolder("/repo", "a2"),
      await one.placeHolder("/repo", "a1"),
      await one.placeHolder("/other", "a2"),
    ]).toEqual(["a1", "", ""]);
    expect([
      await one.commit([{ type: "take-place", run: "a2", repo: "/repo" }]),
      await one.commit([{ type: "take-place", run: "a1", repo: "/repo" }]),
      await one.commit([{ type: "take-place", run: "a2", repo: "/other" }]),
    ]).toEqual([{ type: "taken", by: "a1" }, { type: "written" }, { type: "written" }]);
    // It is only reserved: who gives back what is bound does not mean it.
    await one.commit([{ type: "leave-place", run: "a1", of: "bound" }]);
    expect(await one.placeHolder("/repo", "a2")).toBe("a1");
    await one.commit([{ type: "leave-place", run: "a1", of: "any" }]);
    expect([await one.placeHolder("/repo", "a2"), (await one.workspace("a1"))?.status]).toEqual([
      "",
      "released",
    ]);
    expect([(await add(other, "a2", said)).type, (await add(other, "a2", said)).type]).toEqual([
      "written",
      "repeated",
    ]);
    expect(await one.placeHolder("/repo", "a1")).toBe("a2");
  });

  test("a place that is about to be given back and is asked for again stays", async () => {
    const [one] = await open();
    const bound = { path: "/repo", repo: "/repo", branch: "", base: "b1", salvage: "", kept: "" };
    await add(one, "a1", { place: "/repo" });
    await one.commit([{ type: "put-workspace", workspace: { ...bound, run: "a1", status: "bound" } }]);
    await add(one, "a1", { place: "/repo" });
    expect(await one.workspace("a1")).toMatchObject({ status: "bound", base: "b1" });
    await add(one, "a1", { deeds: [{ type: "release-resource", resource: "place" }] });
    await add(one, "a1", { place: "/repo" });
    expect(await one.workspace("a1")).toMatchObject({ status: "reserved", base: "b1" });
    await one.commit([{ type: "leave-place", run: "a1", of: "bound" }]);
    expect(await one.placeHolder("/repo", "a2")).toBe("a1");
    // A run that the journal does not know has nothing, and a checkout stands for no run.
    await one.commit([
      {
        type: "put-workspace",
        workspace: { ...bound, run: "gone", path: "/lost", repo: "/lost", status: "bound" },
      },
    ]);
    expect([await one.placeHolder("/lost", "a2"), await one.workspaceAt("/lost/x")]).toEqual(["", undefined]);
  });

  test("jobs and workspaces are kept as they are", async () => {
    const [one, other] = await open();
    await one.commit([{ type: "put-job", job }]);
    expect([await other.job(job.id), await other.job("none"), await other.isBusy()]).toEqual([
      job,
      undefined,
      true,
    ]);
    await one.commit([{ type: "put-job", job: { ...job, status: "over", killed: "stalled" } }]);
    expect(await other.jobs({ run: "a1" })).toMatchObject([{ status: "over", killed: "stalled" }]);
    expect([await other.jobs({ status: "live" }), await other.isBusy()]).toEqual([[], false]);
    const bound: WorkspaceRow = {
      run: "a1",
      repo: "/repo",
      path: "/home/worktrees/a1",
      branch: "signalbox/a1",
      base: "abc",
      status: "bound",
      salvage: "",
      kept: "",
    };
    await one.commit([{ type: "put-workspace", workspace: bound }]);
    expect(await other.workspace("a1")).toEqual(bound);
    expect(await other.workspaceAt("/home/worktrees/a1/src/deep")).toEqual(bound);
    expect(await other.workspaceAt("/home/worktrees/a1")).toEqual(bound);
    expect([
      await other.workspaceAt("/home/worktrees/a11"),
      await other.workspaceAt("/"),
      await other.workspace("b"),
    ]).toEqual([undefined, undefined, undefined]);
    await one.commit([{ type: "put-workspace", workspace: { ...bound, status: "released" } }]);
    expect(await other.workspaceAt("/home/worktrees/a1")).toBeUndefined();
  });

  test("workspaces that are not released are listed, without checkouts", async () => {
    const [one, other] = await open();
    const row = { repo: "/repo", branch: "b", base: "x", salvage: "", kept: "" };
    await one.commit([
      { type: "put-workspace", workspace: { ...row, run: "b1", path: "/w/b1", status: "reserved" } },
    ]);
    await one.commit([
      { type: "put-workspace", workspace: { ...row, run: "a1", path: "/w/a1", status: "bound" } },
    ]);
    await one.commit([
      { type: "put-workspace", workspace: { ...row, run: "c1", path: "/w/c1", status: "released" } },
    ]);
    await one.commit([
      { type: "put-workspace", workspace: { ...row, run: "d1", path: "/repo", status: "bound" } },
    ]);
    expect((await other.workspaces()).map(({ run, status }) => [run, status])).toEqual([
      ["a1", "bound"],
      ["b1", "reserved"],
    ]);
  });

  test("live turns are those of the repository, with where their runs are; coming ones have yet to begin", async () => {
    const [one, other] = await open();
    await add(one, "a1", { deeds: [TELL] });
    await add(one, "b1", { deeds: [START] });
    await add(one, "c1");
    await add(one, "d1", { birth: { ...BIRTH, repo: "/other" }, deeds: [START] });
    const turn = { ...job, id: "a1.worker.1.1", run: "a1", kind: "turn", role: "worker" } as const;
    await one.commit([{ type: "put-job", job: { ...turn, seat: "resident" } }]);
    await one.commit([{ type: "put-job", job: { ...turn, id: "c1.tests.1", run: "c1", kind: "check" } }]);
    await one.commit([{ type: "put-agent", agent: { ...agent, run: "c1", status: "idle", entry: 0 } }]);
    const live = { run: "a1", role: "worker", seat: "resident", definition: HASH, state: "working" };
    expect(await other.liveTurns("/repo")).toMatchObject([{ ...live, isQueued: false }]);
    expect(await other.liveTurns("/other")).toEqual([]);
    const coming = async (): Promise<string[]> => (await other.comingTurns("/repo")).map(({ run }) => run);
    expect(await coming()).toEqual(["a1", "b1", "c1"]);
    const fence = await newFence(one);
    await claim(one, "a1:2:0", { fence, leaseUntil: 1e15 });
    await settle(one, "a1:2:0", { fence, outcome: { type: "queued", note: "" } });
    expect(await other.liveTurns("/repo")).toMatchObject([{ ...live, isQueued: true }]);
    await one.commit([{ type: "halt", run: "b1", halted: true }]);
    expect(await coming()).toEqual(["a1", "c1"]);
  });

  test("readings, projections and trust are remembered", async () => {
    const [one, other] = await open();
    const reading = {
      artifact: "plan",
      slot: "",
      found: true,
      digest: "d",
      faults: [],
      fields: {},
      lists: {},
    };
    await one.commit([
      { type: "put-readings", definition: HASH, file: "TASK.md", digest: "d", readings: [reading] },
    ]);
    expect(await other.readings({ definition: HASH, file: "TASK.md", digest: "d" })).toEqual([reading]);
    expect(await other.readings({ definition: HASH, file: "TASK.md", digest: "e" })).toBeUndefined();
    await one.commit([
      { type: "put-projection", run: "a1", file: "TASK.md", fields: '{"status":"working"}' },
    ]);
    await one.commit([{ type: "put-projection", run: "a1", file: "TASK.md", fields: '{"status":"done"}' }]);
    expect(await other.projection("a1", "TASK.md")).toBe('{"status":"done"}');
    await one.commit([{ type: "put-projection", run: "a1", file: "TASK%", fields: "x" }]);
    expect(await other.projectionsLike("a1", "TASK%")).toEqual(new Map([["TASK%", "x"]]));
    expect(await other.projectionsLike("a2", "TASK")).toEqual(new Map());
    expect([await other.projection("a1", "x"), await other.trusted("/repo")]).toEqual([undefined, undefined]);
    await one.commit([{ type: "trust", repo: "/repo", trust: { digest: "d1", at: AT, signature: "s1" } }]);
    await one.commit([{ type: "trust", repo: "/repo", trust: { digest: "d2", at: AT, signature: "s2" } }]);
    expect(await other.trusted("/repo")).toEqual({ digest: "d2", at: AT, signature: "s2" });
    expect(await other.humanKeys()).toEqual([]);
    await one.commit([{ type: "put-human-key", key: { fingerprint: "k1", at: AT, how: "first" } }]);
    await one.commit([{ type: "put-human-key", key: { fingerprint: "k2", at: AT, how: "lost" } }]);
    expect((await other.humanKeys()).map(({ fingerprint, how }) => [fingerprint, how])).toEqual([
      ["k1", "first"],
      ["k2", "lost"],
    ]);
  });
}
