/** What every store must remember of graphs: their tasks, what became of them, and where they were taken over from. */

import { expect, test } from "vitest";
import type { NewChild } from "../../src/engine/ports/graphs.ts";
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

  test("graphs: a task is named once, ends with what its run said, and can be taken over", () => {
    const [one, other] = open();
    one.putGraph(graph, [child("1"), child("2", { outcome: "done", summary: "did 2", took: "z9" })]);
    // Somebody was killed before it was known to be there.
    one.putGraph(graph, [child("3")]);
    expect(other.children(key)).toEqual([
      { ...key, ...child("1"), run: "", took: "", outcome: "", summary: "", status: "", seq: 0 },
      { ...key, ...child("2"), run: "", took: "z9", outcome: "done", summary: "did 2", status: "", seq: 0 },
    ]);
    expect([one.nameChild(key, "1", "b1"), other.nameChild(key, "1", "c1")]).toEqual(["b1", "b1"]);
    add(one, "b1");
    expect(other.childAs("b1")).toMatchObject({ task: { id: "1" }, status: "running" });
    one.settleChild(key, "1", { outcome: "skipped", summary: "it's '$.x' \u{1F600}" });
    expect(other.childAs("b1")).toMatchObject({
      ...child("1"),
      outcome: "skipped",
      summary: "it's '$.x' \u{1F600}",
    });
    expect(other.childAs("z9")).toBeUndefined();
  });

  test("graphs: what others do to tasks is seen at the next look, and nothing is made anew that is as it was", () => {
    const [one, other] = open();
    one.putGraph(graph, [child("1"), child("2")]);
    const seen = (): unknown[] =>
      other.children(key).map(({ run, outcome, summary, status }) => [run, outcome, summary, status]);
    const [first, second] = other.children(key);
    expect(other.children(key).map((row, at) => row === [first, second][at])).toEqual([true, true]);
    one.nameChild(key, "1", "b1");
    expect(seen()).toEqual([
      ["b1", "", "", ""],
      ["", "", "", ""],
    ]);
    add(one, "b1");
    expect(seen()[0]).toEqual(["b1", "", "", "running"]);
    const before = other.childrenOf("a1")[0]?.seq ?? 0;
    add(one, "b1");
    expect(other.childrenOf("a1")[0]?.seq).toBeGreaterThan(before);
    one.settleChild(key, "1", { outcome: "done", summary: "did 1" });
    expect(seen()[0]).toEqual(["b1", "done", "did 1", "running"]);
    const [, still] = other.children(key);
    expect([still?.params === second?.params, still?.task === second?.task]).toEqual([true, true]);
    one.putGraph({ ...graph, entry: 4 }, [child("3")]);
    expect(other.childrenOf("a1").map(({ task }) => task.id)).toEqual(["1", "2", "3"]);
  });

  test("graphs: how far those are that somebody waits for", () => {
    const [one, other] = open();
    expect(other.tallies()).toEqual([]);
    one.putGraph(graph, [child("1"), child("2", { outcome: "done" }), child("3", { outcome: "skipped" })]);
    one.putGraph({ ...graph, entry: 4 }, [child("1", { outcome: "failed" })]);
    one.putGraph({ ...graph, parent: "b1" }, [child("1")]);
    expect(other.tallies()).toEqual([
      { parent: "a1", done: 2, all: 4, waiting: 0 },
      { parent: "b1", done: 0, all: 1, waiting: 0 },
    ]);
    one.setGraph(key, "closed");
    one.setGraph({ ...key, parent: "b1" }, "told");
    expect(other.tallies()).toEqual([
      { parent: "a1", done: 0, all: 1, waiting: 0 },
      { parent: "b1", done: 0, all: 1, waiting: 0 },
    ]);
  });
}
