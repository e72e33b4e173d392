/** What every store must remember of graphs: their tasks, what became of them, and where they were taken over from. */

import { expect, test } from "vitest";
import type { BatchAnswer } from "../../src/engine/ports/commit.ts";
import type { NewChild } from "../../src/engine/ports/graphs.ts";
import type { WorkspaceRow } from "../../src/engine/ports/registry.ts";
import type { Open } from "./store-contract.ts";
import { add } from "./store-entries.ts";

export function graphsContract(open: Open): void {
  const key = { parent: "a1", artifact: "work", entry: 2 };
  const graph = { ...key, definition: "hash", most: 4 };
  const child = (id: string, more: Partial<NewChild> = {}): NewChild => ({
    task: { id, title: `Part ${id}`, files: [], dependsOn: [], text: 'Do "it"\n' },
    params: { harness: "x" },
    ...more,
  });

  test("graphs: a task is named once, ends with what its run said, and can be taken over", async () => {
    const [one, other] = await open();
    await one.commit([
      {
        type: "put-graph",
        graph,
        children: [child("1"), child("2", { outcome: "done", summary: "did 2", took: "z9" })],
      },
    ]);
    // Somebody was killed before it was known to be there.
    await one.commit([{ type: "put-graph", graph, children: [child("3")] }]);
    expect(await other.children(key)).toEqual([
      { ...key, ...child("1"), run: "", took: "", outcome: "", summary: "", status: "", seq: 0 },
      { ...key, ...child("2"), run: "", took: "z9", outcome: "done", summary: "did 2", status: "", seq: 0 },
    ]);
    expect([
      await one.commit([{ type: "name-child", graph: key, task: "1", run: "b1" }]),
      await one.commit([{ type: "name-child", graph: key, task: "1", run: "b1" }]),
      await other.commit([{ type: "name-child", graph: key, task: "1", run: "c1" }]),
    ]).toEqual([{ type: "written" }, { type: "written" }, { type: "taken", by: "b1" }]);
    await add(one, "b1");
    expect(await other.childAs("b1")).toMatchObject({ task: { id: "1" }, status: "running" });
    await one.commit([
      {
        type: "settle-child",
        graph: key,
        task: "1",
        end: { outcome: "skipped", summary: "it's '$.x' \u{1F600}" },
      },
    ]);
    expect(await other.childAs("b1")).toMatchObject({
      ...child("1"),
      outcome: "skipped",
      summary: "it's '$.x' \u{1F600}",
    });
    expect(await other.childAs("z9")).toBeUndefined();
  });

  test("a run works in its own workspace, or in that of the run that it was made for", async () => {
    const [one, other] = await open();
    for (const run of ["a1", "b1", "c1"]) await add(one, run);
    for (const [parent, run] of [
      ["a1", "b1"],
      ["b1", "c1"],
    ] as const)
      await one.commit([
        { type: "put-graph", graph: { ...graph, parent }, children: [child("1")] },
        { type: "name-child", graph: { ...key, parent }, task: "1", run },
      ]);
    const place = { repo: "/repo", path: "/w", branch: "b", base: "main", salvage: "", kept: "" };
    const put = (run: string, status: WorkspaceRow["status"]): Promise<BatchAnswer> =>
      one.commit([{ type: "put-workspace", workspace: { ...place, run, status } }]);
    const bound = (): Promise<(string | undefined)[]> =>
      Promise.all(
        ["a1", "b1", "c1"].map(async (run) => {
          const workspace = await other.boundWorkspace(run);
          expect((await other.load(run))?.workspace).toEqual(workspace);
          return workspace?.run;
        }),
      );
    expect(await bound()).toEqual([undefined, undefined, undefined]);
    await put("a1", "bound");
    expect(await bound()).toEqual(["a1", "a1", "a1"]);
    await put("b1", "reserved");
    expect(await bound()).toEqual(["a1", undefined, undefined]);
    await put("b1", "bound");
    expect(await bound()).toEqual(["a1", "b1", "b1"]);
    await put("b1", "released");
    expect(await bound()).toEqual(["a1", undefined, undefined]);
    expect(await other.boundWorkspace("nobody")).toBeUndefined();
  });

  test("graphs: what others do to tasks is seen at the next look, and nothing is made anew that is as it was", async () => {
    const [one, other] = await open();
    await one.commit([{ type: "put-graph", graph, children: [child("1"), child("2")] }]);
    const seen = async (): Promise<unknown[]> =>
      (await other.children(key)).map(({ run, outcome, summary, status }) => [run, outcome, summary, status]);
    const [first, second] = await other.children(key);
    expect((await other.children(key)).map((row, at) => row === [first, second][at])).toEqual([true, true]);
    await one.commit([{ type: "name-child", graph: key, task: "1", run: "b1" }]);
    expect(await seen()).toEqual([
      ["b1", "", "", ""],
      ["", "", "", ""],
    ]);
    await add(one, "b1");
    expect((await seen())[0]).toEqual(["b1", "", "", "running"]);
    const before = (await other.childrenOf("a1"))[0]?.seq ?? 0;
    await add(one, "b1");
    expect((await other.childrenOf("a1"))[0]?.seq).toBeGreaterThan(before);
    await one.commit([
      { type: "settle-child", graph: key, task: "1", end: { outcome: "done", summary: "did 1" } },
    ]);
    expect((await seen())[0]).toEqual(["b1", "done", "did 1", "running"]);
    const [, still] = await other.children(key);
    expect([still?.params === second?.params, still?.task === second?.task]).toEqual([true, true]);
    await one.commit([{ type: "put-graph", graph: { ...graph, entry: 4 }, children: [child("3")] }]);
    expect((await other.childrenOf("a1")).map(({ task }) => task.id)).toEqual(["1", "2", "3"]);
  });

  test("graphs: how far those are that somebody waits for", async () => {
    const [one, other] = await open();
    expect(await other.tallies()).toEqual([]);
    await one.commit([
      {
        type: "put-graph",
        graph,
        children: [child("1"), child("2", { outcome: "done" }), child("3", { outcome: "skipped" })],
      },
    ]);
    await one.commit([
      { type: "put-graph", graph: { ...graph, entry: 4 }, children: [child("1", { outcome: "failed" })] },
    ]);
    await one.commit([{ type: "put-graph", graph: { ...graph, parent: "b1" }, children: [child("1")] }]);
    expect(await other.tallies()).toEqual([
      { parent: "a1", done: 2, all: 4, waiting: 0 },
      { parent: "b1", done: 0, all: 1, waiting: 0 },
    ]);
    await one.commit([{ type: "set-graph", graph: key, status: "closed" }]);
    await one.commit([{ type: "set-graph", graph: { ...key, parent: "b1" }, status: "told" }]);
    expect(await other.tallies()).toEqual([
      { parent: "a1", done: 0, all: 1, waiting: 0 },
      { parent: "b1", done: 0, all: 1, waiting: 0 },
    ]);
  });
}
