/** What every store must remember of the world: agents, jobs, workspaces, files and repositories. */

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

  test("agents are found by name, token and status; idle ones whose run moved on are told", () => {
    const [one, other] = open();
    add(one, "a1");
    one.putAgent(agent);
    // What keeps somebody busy is its process, which is a job.
    expect(one.isBusy(0)).toBe(false);
    expect(other.agent(agent)).toEqual(agent);
    expect(other.byToken("hash")).toEqual(agent);
    expect([other.byToken(""), other.byToken("other"), other.agent({ ...agent, attempt: 2 })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    one.putAgent({ ...agent, status: "idle" });
    expect([other.isBusy(0), other.idleMoved(), other.agents({ status: "running" })]).toEqual([
      false,
      [],
      [],
    ]);
    one.putAgent({ ...agent, status: "idle", entry: 0 });
    expect(other.idleMoved()).toMatchObject([{ run: "a1", status: "idle" }]);
    expect(other.isBusy(0)).toBe(true);
    one.halt("a1", true);
    expect([other.idleMoved(), other.isBusy(0)]).toEqual([[], false]);
    one.putAgent({ ...agent, attempt: 2, token: "", status: "ended" });
    expect(other.agents({ run: "a1" })).toHaveLength(2);
    expect(other.agents({ run: "a1", status: "ended" })).toMatchObject([{ attempt: 2 }]);
    expect(other.agents({ run: "b1" })).toEqual([]);
  });

  test("a place is one run's at a time, from the write that moves it", () => {
    const [one, other] = open();
    add(one, "a1", { place: "/repo" });
    expect(other.workspace("a1")).toMatchObject({
      path: "/repo",
      repo: "/repo",
      branch: "",
      status: "reserved",
    });
    add(other, "a2");
    const said = { key: "k1", answer: "said", place: "/repo" };
    expect(add(other, "a2", said)).toEqual({ type: "taken" });
    expect([other.answerTo("a2", "k1"), other.load("a2")?.row.seq, other.workspace("a2")]).toEqual([
      undefined,
      2,
      undefined,
    ]);
    expect([
      one.placeHolder("/repo", "a2"),
      one.placeHolder("/repo", "a1"),
      one.placeHolder("/other", "a2"),
    ]).toEqual(["a1", "", ""]);
    expect([
      one.takePlace("a2", "/repo"),
      one.takePlace("a1", "/repo"),
      one.takePlace("a2", "/other"),
    ]).toEqual(["a1", "", ""]);
    // It is only reserved: who gives back what is bound does not mean it.
    one.leavePlace("a1", "bound");
    expect(one.placeHolder("/repo", "a2")).toBe("a1");
    one.leavePlace("a1", "any");
    expect([one.placeHolder("/repo", "a2"), one.workspace("a1")?.status]).toEqual(["", "released"]);
    expect([add(other, "a2", said).type, add(other, "a2", said).type]).toEqual(["written", "repeated"]);
    expect(one.placeHolder("/repo", "a1")).toBe("a2");
  });

  test("a place that is about to be given back and is asked for again stays", () => {
    const [one] = open();
    const bound = { path: "/repo", repo: "/repo", branch: "", base: "b1", salvage: "", kept: "" };
    add(one, "a1", { place: "/repo" });
    one.putWorkspace({ ...bound, run: "a1", status: "bound" });
    add(one, "a1", { place: "/repo" });
    expect(one.workspace("a1")).toMatchObject({ status: "bound", base: "b1" });
    add(one, "a1", { deeds: [{ type: "release-resource", resource: "place" }] });
    add(one, "a1", { place: "/repo" });
    expect(one.workspace("a1")).toMatchObject({ status: "reserved", base: "b1" });
    one.leavePlace("a1", "bound");
    expect(one.placeHolder("/repo", "a2")).toBe("a1");
    // A run that the journal does not know has nothing, and a checkout stands for no run.
    one.putWorkspace({ ...bound, run: "gone", path: "/lost", repo: "/lost", status: "bound" });
    expect([one.placeHolder("/lost", "a2"), one.workspaceAt("/lost/x")]).toEqual(["", undefined]);
  });

  test("jobs and workspaces are kept as they are", () => {
    const [one, other] = open();
    one.putJob(job);
    expect([other.job(job.id), other.job("none"), other.isBusy(0)]).toEqual([job, undefined, true]);
    one.putJob({ ...job, status: "over", killed: "stalled" });
    expect(other.jobs({ run: "a1" })).toMatchObject([{ status: "over", killed: "stalled" }]);
    expect([other.jobs({ status: "live" }), other.isBusy(0)]).toEqual([[], false]);
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
    one.putWorkspace(bound);
    expect(other.workspace("a1")).toEqual(bound);
    expect(other.workspaceAt("/home/worktrees/a1/src/deep")).toEqual(bound);
    expect(other.workspaceAt("/home/worktrees/a1")).toEqual(bound);
    expect([other.workspaceAt("/home/worktrees/a11"), other.workspaceAt("/"), other.workspace("b")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    one.putWorkspace({ ...bound, status: "released" });
    expect(other.workspaceAt("/home/worktrees/a1")).toBeUndefined();
  });

  test("workspaces that are not released are listed, without checkouts", () => {
    const [one, other] = open();
    const row = { repo: "/repo", branch: "b", base: "x", salvage: "", kept: "" };
    one.putWorkspace({ ...row, run: "b1", path: "/w/b1", status: "reserved" });
    one.putWorkspace({ ...row, run: "a1", path: "/w/a1", status: "bound" });
    one.putWorkspace({ ...row, run: "c1", path: "/w/c1", status: "released" });
    one.putWorkspace({ ...row, run: "d1", path: "/repo", status: "bound" });
    expect(other.workspaces().map(({ run, status }) => [run, status])).toEqual([
      ["a1", "bound"],
      ["b1", "reserved"],
    ]);
  });

  test("live turns are those of the repository, with where their runs are; coming ones have yet to begin", () => {
    const [one, other] = open();
    add(one, "a1", { deeds: [TELL] });
    add(one, "b1", { deeds: [START] });
    add(one, "c1");
    add(one, "d1", { birth: { ...BIRTH, repo: "/other" }, deeds: [START] });
    const turn = { ...job, id: "a1.worker.1.1", run: "a1", kind: "turn", role: "worker" } as const;
    one.putJob({ ...turn, seat: "resident" });
    one.putJob({ ...turn, id: "c1.tests.1", run: "c1", kind: "check" });
    one.putAgent({ ...agent, run: "c1", status: "idle", entry: 0 });
    const live = { run: "a1", role: "worker", seat: "resident", definition: HASH, state: "working" };
    expect(other.liveTurns("/repo")).toMatchObject([{ ...live, isQueued: false }]);
    expect(other.liveTurns("/other")).toEqual([]);
    const coming = (): string[] => other.comingTurns("/repo").map(({ run }) => run);
    expect(coming()).toEqual(["a1", "b1", "c1"]);
    const fence = one.fence();
    one.claim("a1:2:0", fence, 1e15);
    one.settle("a1:2:0", fence, { type: "queued", note: "" });
    expect(other.liveTurns("/repo")).toMatchObject([{ ...live, isQueued: true }]);
    one.halt("b1", true);
    expect(coming()).toEqual(["a1", "c1"]);
  });

  test("readings, projections and trust are remembered", () => {
    const [one, other] = open();
    const reading = {
      artifact: "plan",
      slot: "",
      found: true,
      digest: "d",
      faults: [],
      fields: {},
      lists: {},
    };
    one.keepReadings(HASH, "TASK.md", "d", [reading]);
    expect(other.readings(HASH, "TASK.md", "d")).toEqual([reading]);
    expect(other.readings(HASH, "TASK.md", "e")).toBeUndefined();
    one.keepProjection("a1", "TASK.md", '{"status":"working"}');
    one.keepProjection("a1", "TASK.md", '{"status":"done"}');
    expect(other.projection("a1", "TASK.md")).toBe('{"status":"done"}');
    expect([other.projection("a1", "x"), other.trusted("/repo")]).toEqual([undefined, undefined]);
    one.trust("/repo", { digest: "d1", at: AT, signature: "s1" });
    one.trust("/repo", { digest: "d2", at: AT, signature: "s2" });
    expect(other.trusted("/repo")).toEqual({ digest: "d2", at: AT, signature: "s2" });
    expect(other.humanKeys()).toEqual([]);
    one.keepHumanKey({ fingerprint: "k1", at: AT, how: "first" });
    one.keepHumanKey({ fingerprint: "k2", at: AT, how: "lost" });
    expect(other.humanKeys().map(({ fingerprint, how }) => [fingerprint, how])).toEqual([
      ["k1", "first"],
      ["k2", "lost"],
    ]);
  });
}
