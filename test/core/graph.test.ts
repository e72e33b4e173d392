/** Tasks of a graph: a table of who may start beside whom, and whole lives of random graphs. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  areApart,
  blockedIn,
  outcomeOf,
  startable,
  type GraphTask,
  type TaskStanding,
} from "../../src/core/tasks/graph.ts";

const task = (id: string, more: Partial<GraphTask> = {}): GraphTask => ({
  id,
  dependsOn: [],
  files: [`${id}.ts`],
  ...more,
});
const standings = (of: Readonly<Record<string, TaskStanding>>) => new Map(Object.entries(of));

describe("files", () => {
  test.for<[one: string[], other: string[], apart: boolean]>([
    [["a.ts"], ["b.ts"], true],
    [["a.ts"], ["a.ts"], false],
    [["./src/a.ts"], ["src//a.ts"], false],
    [["src"], ["src/a.ts"], false],
    [["src/a"], ["src/ab"], true],
    [["src/*.ts"], ["src/deep/b.ts"], false],
    [["lib/*.ts"], ["src/b.ts"], true],
    [["SRC/A.ts"], ["src/a.ts"], false],
    [["a.ts", "c.ts"], ["b.ts", "c.ts"], false],
    [[], ["b.ts"], false],
    [["*"], ["b.ts"], false],
  ])("%j beside %j: %s", ([one, other, apart]) => {
    const [a, b] = [task("1", { files: one }), task("2", { files: other })];
    expect([areApart(a, b), areApart(b, a)]).toEqual([apart, apart]);
  });
});

describe("what starts", () => {
  const chain = [
    task("1"),
    task("2", { dependsOn: ["1"] }),
    task("3", { dependsOn: ["2"] }),
    task("4"),
    task("5", { complexity: "hard" }),
  ];
  test.for<[what: string, of: Record<string, TaskStanding>, most: number, starts: string[]]>([
    ["the longest way first", {}, 1, ["1"]],
    ["what is ready, up to the limit", {}, 2, ["1", "5"]],
    ["all of it where there is room", {}, 9, ["1", "5", "4"]],
    ["nothing beyond the limit", { "1": "running", "4": "running" }, 2, []],
    ["what a done task held up", { "1": "done" }, 1, ["2"]],
    ["what a skipped task held up", { "1": "skipped", "5": "done" }, 1, ["2"]],
    ["not what depends on a failed one", { "1": "failed" }, 9, ["5", "4"]],
  ])("%s", ([, of, most, starts]) => {
    expect(startable(chain, standings(of), most)).toEqual(starts);
  });

  const layered = [
    task("1", { layer: 0 }),
    task("2", { layer: 0, dependsOn: ["1"] }),
    task("3", { layer: 1, complexity: "hard" }),
    task("4", { layer: 1, dependsOn: ["3"], complexity: "hard" }),
    task("5", { layer: 2 }),
  ];
  test.for<[what: string, of: Record<string, TaskStanding>, starts: string[]]>([
    ["the first layer first, however long the others take", {}, ["1"]],
    ["nothing of the next one while one is under way", { "1": "done", "2": "running" }, []],
    ["the next one when all of it is past", { "1": "done", "2": "skipped" }, ["3"]],
    [
      "the next one also when one has failed, and what waits for it is blocked",
      { "1": "failed", "2": "blocked" },
      ["3"],
    ],
    ["the last one", { "1": "done", "2": "done", "3": "done", "4": "done" }, ["5"]],
  ])("of layers, %s", ([, of, starts]) => {
    expect(startable(layered, standings(of), 9)).toEqual(starts);
  });

  test("a failed task blocks what comes after it, and nothing else", () => {
    expect(blockedIn(chain, standings({ "1": "failed" }))).toEqual(["2", "3"]);
    expect(blockedIn(chain, standings({ "4": "failed" }))).toEqual([]);
  });

  test("two that name one file take turns", () => {
    const two = [task("1", { files: ["x"] }), task("2", { files: ["x"] })];
    expect(startable(two, new Map(), 9)).toEqual(["1"]);
    expect(startable(two, standings({ "1": "done" }), 9)).toEqual(["2"]);
  });

  test("a chain of 20,000 tasks", () => {
    const long = Array.from({ length: 20_000 }, (_, n) =>
      task(String(n), { dependsOn: n === 0 ? [] : [String(n - 1)] }),
    );
    expect(startable(long, new Map(), 4)).toEqual(["0"]);
    expect(blockedIn(long, standings({ "0": "failed" }))).toHaveLength(19_999);
  });
});

/** Tasks that depend on earlier ones only, and share some files. */
const graphs = fc
  .array(
    fc.record({
      on: fc.array(fc.nat(), { maxLength: 3 }),
      files: fc.array(fc.constantFrom("a", "b", "c", "d/e", "d"), { maxLength: 2 }),
      complexity: fc.constantFrom("easy", "medium", "hard"),
      fails: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((rows) =>
    rows.map(({ on, files, complexity, fails }, n) => ({
      fails: fails && n % 4 === 0,
      task: task(String(n), {
        dependsOn: n === 0 ? [] : on.map((each) => String(each % n)),
        files: files.length > 0 && n % 5 === 0 ? files : [`${n}.ts`, ...files],
        complexity,
      }),
    })),
  );

test("lives of random graphs: nothing too early, nobody in anybody's way, and they end", () => {
  const life = fc.tuple(graphs, fc.integer({ min: 1, max: 5 }), fc.infiniteStream(fc.nat()));
  fc.assert(
    fc.property(life, ([rows, most, lots]) => {
      const tasks = rows.map((row) => row.task);
      const now = new Map<string, TaskStanding>();
      const running = (): GraphTask[] => tasks.filter(({ id }) => now.get(id) === "running");
      for (let steps = 0; outcomeOf(tasks, now) === undefined; steps += 1) {
        expect(steps).toBeLessThan(200);
        for (const id of blockedIn(tasks, now)) now.set(id, "blocked");
        for (const id of startable(tasks, now, most)) {
          const own = tasks.find((each) => each.id === id);
          expect(own?.dependsOn.every((on) => now.get(on) === "done")).toBe(true);
          for (const other of running()) expect(areApart(other, own ?? other)).toBe(true);
          now.set(id, "running");
        }
        const live = running();
        expect(live.length).toBeLessThanOrEqual(most);
        // Whoever can neither start nor end has all behind it.
        expect(live.length > 0 || outcomeOf(tasks, now) !== undefined).toBe(true);
        if (live.length === 0) continue;
        const ended = live[(lots.next().value ?? 0) % live.length];
        const row = rows.find((each) => each.task === ended);
        now.set(ended?.id ?? "", row?.fails === true ? "failed" : "done");
      }
      // Blocked is just what has a failed one before it.
      const isLost = (id: string): boolean =>
        tasks
          .find((each) => each.id === id)
          ?.dependsOn.some((on) => now.get(on) === "failed" || isLost(on)) === true;
      for (const { id } of tasks) expect(now.get(id) === "blocked").toBe(isLost(id));
    }),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 100 : 2000 },
  );
});
