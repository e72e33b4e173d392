/** What every store must remember of the world: agents, jobs, workspaces, files and repositories. */

import { expect, test } from "vitest";
import type { AgentRow, JobRow, WorkspaceRow } from "../../src/engine/ports/registry.ts";
import type { Open } from "./store-contract.ts";
import { add, AT, HASH } from "./store-entries.ts";

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
    expect(add(other, "a2", said)).toEqual({ type: "exhausted" });
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

  test("a worktree leaves the pool only while those have it that are meant", () => {
    const [one, other] = open();
    one.putProject({ repo: "/pool", name: "pool", defaultBranch: "main", poolSize: 2, remote: "" });
    const { name = "" } = one.addToPool("/pool") ?? {};
    expect([other.dropFromPool({ name, run: "a1" }), other.pool("/pool").length]).toEqual([false, 1]);
    expect([other.dropFromPool({ name, run: "" }), other.pool("/pool").length]).toEqual([false, 1]);
    expect([other.retire(name), one.retire(name), one.retire("another")]).toEqual([true, true, false]);
    expect([other.dropFromPool({ name, run: "" }), one.pool("/pool").length]).toEqual([true, 0]);
    expect(one.dropFromPool({ name, run: "" })).toBe(false);
  });

  test("a worktree that is being removed is nobody's, and takes no room", () => {
    const [one, other] = open();
    one.putProject({ repo: "/going", name: "going", defaultBranch: "main", poolSize: 1, remote: "" });
    const { name = "" } = one.addToPool("/going") ?? {};
    expect([one.retire(name), other.hasRoom("/going"), other.addToPool("/going")?.n]).toEqual([
      true,
      true,
      2,
    ]);
    expect(one.pool("/going").map(({ run, isRetired }) => [run, isRetired])).toEqual([
      ["", true],
      ["", false],
    ]);
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
