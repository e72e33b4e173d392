import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { project, reads } from "../../src/core/projection/project.ts";
import type { DataTree, TreeProjection } from "../../src/core/model/workflow.ts";
import { readFields } from "../../src/format/projection/read.ts";
import { renderAgain, renderProjection } from "../../src/format/projection/write.ts";
import { sectionsOf } from "../../src/format/projection/sections.ts";

const ROOT = {
  run: { id: "r1", state: "working", empty: "", "1.2": { round: 2 } },
  tasks: [
    { id: "t1", needs: ["t0", "x"] },
    { id: "t2", needs: [] },
  ],
  counters: { round: 1, crash: 0 },
  none: null,
};

describe("a tree gives", () => {
  test.for<[DataTree, unknown]>([
    ["text", "text"],
    [null, null],
    [
      [1, true, { a: "b" }],
      [1, true, { a: "b" }],
    ],
    [{ from: "run.state" }, "working"],
    [{ from: "tasks.1.id" }, "t2"],
    [{ from: "run.1.2.round" }, 2],
    [{ from: "counters" }, { round: 1, crash: 0 }],
    [{ from: "none" }, null],
    [{ from: "run.nowhere.at.all" }, null],
    [{ from: "run.state.length" }, null],
    [{ from: "tasks.length.x" }, null],
    [{ from: "constructor" }, null],
    [{ from: "__proto__.toString" }, null],
    [{ from: "" }, null],
    [
      { from: "run.id", to: "x" },
      { from: "run.id", to: "x" },
    ],
    [{ from: 1 }, { from: 1 }],
    [{ from: ["run.nowhere", "run.empty", "run.state", "run.id"] }, "working"],
    [{ from: ["run.nowhere", "none"] }, null],
    [{ from: ["run.nowhere", "none"], else: { from: "run.id" } }, "r1"],
    [{ from: "run.empty", else: [{ from: "counters.crash" }] }, [0]],
    [{ from: ["counters.crash", "counters.round"], else: 7 }, 0],
    [{ from: "run.empty" }, ""],
    [
      { join: ["AC-", { from: "counters.crash" }, { from: "run.nowhere" }, { from: "counters" }, true] },
      "AC-0true",
    ],
    [{ join: [] }, ""],
    [{ join: "a" }, { join: "a" }],
    [
      { join: ["a"], with: 1 },
      { join: ["a"], with: 1 },
    ],
    [{ from: [] }, { from: [] }],
    [{ from: "run.state", cases: { working: true, done: false }, else: 7 }, true],
    [{ from: "run.state", cases: { done: 1 }, else: { from: "run.state" } }, "working"],
    [{ from: "run.state", cases: { done: 1 } }, null],
    [{ from: "counters.crash", cases: { 0: { from: "run.id" } } }, "r1"],
    [{ from: ["run.nowhere", "run.id", "run.state"], cases: { working: "w" } }, "w"],
    [{ from: "counters", cases: { "[object Object]": 1 }, else: 2 }, 2],
    [{ from: "run.state", cases: { toString: 1 }, else: 2 }, 2],
    [
      { from: "run.state", cases: [1] },
      { from: "run.state", cases: [1] },
    ],
    [{ from: ["run.id", 1] }, { from: ["run.id", 1] }],
    [{ each: "tasks" }, { each: "tasks" }],
    [{ each: "tasks", give: { from: "item.id" } }, ["t1", "t2"]],
    [
      { each: "tasks", give: { n: { from: "key" }, run: { from: "run.id" } } },
      [
        { n: 0, run: "r1" },
        { n: 1, run: "r1" },
      ],
    ],
    [
      { each: "counters", give: [{ from: "key" }, { from: "item" }] },
      [
        ["round", 1],
        ["crash", 0],
      ],
    ],
    [{ each: "tasks", give: { each: "item.needs", give: { from: "item" } } }, [["t0", "x"], []]],
    [{ each: "nowhere", give: "x" }, []],
    [{ each: ["tasks", "nowhere", "tasks"], give: { from: "item.id" } }, ["t1", "t2", "t1", "t2"]],
    [
      { each: ["tasks", "counters"], key: "item.id", give: 1 },
      { t1: 1, t2: 1 },
    ],
    [
      { each: [], give: "x" },
      { each: [], give: "x" },
    ],
    [{ each: "run.state", give: "x" }, []],
  ])("%j -> %j", ([tree, data]) => {
    expect(project(tree, ROOT)).toEqual(data);
  });

  test("something for every root", () => {
    const tree: DataTree = { a: { from: "a.b" }, c: { each: "c", give: { from: "item.d" } } };
    fc.assert(
      fc.property(fc.anything(), (root) => {
        expect(project(tree, root)).toHaveProperty("a");
      }),
    );
  });
});

test.for<[DataTree, boolean]>([
  ["tasks", false],
  [{ from: "tasks.0.id" }, true],
  [{ from: "tasksets" }, false],
  [{ from: ["run.id", "tasks"] }, true],
  [{ from: "run.id", else: { from: "tasks" } }, true],
  [{ from: "run.id", cases: { r1: { from: "tasks" } } }, true],
  [{ from: "run.id", cases: { tasks: "x" } }, false],
  [{ join: ["a", { from: "tasks.0" }] }, true],
  [{ a: [{ b: { from: "tasks" } }] }, true],
  [{ each: "tasks", give: "x" }, true],
  [{ each: ["counters", "tasks"], give: "x" }, true],
  [{ each: "counters", give: { from: "tasks" } }, true],
  [{ each: "tasks", key: "item.id", give: "x" }, true],
  [{ each: "counters", key: "tasks.0.id", give: "x" }, true],
  [{ each: "counters", key: "key", give: { from: "tasks" } }, true],
  [{ each: "counters", key: "key", give: "tasks" }, false],
])("%j is about tasks: %s", ([tree, isAbout]) => {
  expect(reads(tree, "tasks")).toBe(isAbout);
});

const DATA: DataTree = {
  status: { from: "run.state" },
  rounds: { from: "counters.round" },
  ids: { each: "tasks", give: { from: "item.id" } },
};

function render(as: TreeProjection["as"], existing?: string, data: DataTree = DATA): string {
  const rendered = renderProjection({ file: "out", as, data }, ROOT, existing);
  if (rendered.ok) return rendered.text;
  return rendered.problems.map(({ file, line, col, code }) => `${file}:${line}:${col} ${code}`).join(", ");
}

describe("it is rendered", () => {
  test.for<[TreeProjection["as"], string | undefined, string]>([
    [
      "json",
      undefined,
      '{\n  "status": "working",\n  "rounds": 1,\n  "ids": [\n    "t1",\n    "t2"\n  ]\n}\n',
    ],
    [
      "json",
      "not JSON",
      '{\n  "status": "working",\n  "rounds": 1,\n  "ids": [\n    "t1",\n    "t2"\n  ]\n}\n',
    ],
    ["yaml", undefined, "status: working\nrounds: 1\nids:\n  - t1\n  - t2\n"],
    [
      "yaml",
      "# mine\nrounds: 1 # same\nstatus: planning\nnote: x\n",
      "# mine\nrounds: 1 # same\nstatus: working\nnote: x\nids:\n  - t1\n  - t2\n",
    ],
    ["yaml", "status: [\n", "out:2:1 syntax"],
    ["front-matter", undefined, "---\nstatus: working\nrounds: 1\nids:\n  - t1\n  - t2\n---\n"],
    [
      "front-matter",
      "---\nstatus: x\nids: [t1, t2]\nrounds: 1\n---\nbody",
      "---\nstatus: working\nids: [t1, t2]\nrounds: 1\n---\nbody",
    ],
    ["front-matter", "---\nstatus: [\n---\n", "out:3:1 syntax"],
    ["lines", "{}\n", '{"status":"working","rounds":1,"ids":["t1","t2"]}\n'],
    ["sections", "## old\n", "## status\n\nworking\n\n## rounds\n\n1\n\n## ids\n\n- t1\n- t2\n"],
  ])("as %s over %j", ([as, existing, text]) => {
    expect(render(as, existing)).toBe(text);
  });

  test.for<[TreeProjection["as"], string]>([
    ["json", '[\n  "x"\n]\n'],
    ["yaml", "- x\n"],
    ["front-matter", "out:1:1 not-a-map"],
    ["lines", '"x"\n'],
    ["sections", ""],
  ])("as %s, from a list", ([as, text]) => {
    expect(render(as, undefined, ["x"])).toBe(text);
  });

  test.for<[string, DataTree, string]>([
    ["no member", { each: "nowhere", give: "x" }, ""],
    ["nothing", { from: "nowhere" }, ""],
    ["members of several kinds", ["a\nb", 1, null, { c: [] }], '"a\\nb"\n1\nnull\n{"c":[]}\n'],
  ])("as lines, from %s", ([, tree, text]) => {
    expect(render("lines", undefined, tree)).toBe(text);
    const said = readFields({ file: "out", as: "lines", data: tree }, text)["content"];
    expect(said).toEqual(project(tree, ROOT) ?? []);
  });

  test.for<[string, DataTree, string]>([
    ["nothing", null, "None."],
    ["no words", " \n ", "None."],
    ["no members", [], "None."],
    ["a text of two lines", "one\n\ntwo", "> one\n>\n> two"],
    ["a heading that somebody wrote", "## Done\n- [x] all", "> \\## Done\n> \\- (x) all"],
    ["a heading on one line", "# Done", "\\# Done"],
    ["a truth", true, "true"],
    ["maps of words", [{ id: "T-1", status: "done", why: null }], "- id: T-1; status: done"],
    ["a list in a list", [["a", "b"], "c"], "- - a\n  - b\n- c"],
    ["a map", { a: 1, b: ["x"], c: {} }, "- **a**: 1\n- **b**:\n  - x\n- **c**: None."],
    ["a map with a long text", [{ a: "x\ny", b: 2 }], "- - **a**:\n    > x\n    > y\n  - **b**: 2"],
  ])("as sections, from %s", ([, tree, body]) => {
    const page = render("sections", undefined, { First: tree, "## Last": "end" });
    expect(page).toBe(`## First\n\n${body}\n\n## \\## Last\n\nend\n`);
    const said = readFields({ file: "out", as: "sections", data: tree }, page);
    expect(said).toEqual(sectionsOf({ First: project(tree, ROOT), "## Last": "end" }));
  });
});

describe("what nobody else has written in", () => {
  const projection: TreeProjection = { file: "out", as: "yaml", data: { from: "all" } };
  const first = (all: unknown): string => {
    const rendered = renderProjection(projection, { all }, undefined);
    return rendered.ok ? rendered.text : "";
  };

  test("is written anew as it would have been edited", () => {
    const key = fc.stringMatching(/^[a-z][a-z_ -]{0,5}$/);
    const maps = fc
      .uniqueArray(key, { maxLength: 4 })
      .chain((keys) =>
        fc.tuple(
          ...[0, 1].map(() =>
            fc.record(Object.fromEntries(keys.map((name) => [name, fc.jsonValue({ maxDepth: 3 })]))),
          ),
        ),
      );
    fc.assert(
      fc.property(maps, ([last = {}, all = {}]) => {
        const existing = first(last);
        const again = renderAgain(projection, { all }, { existing, last });
        const edited = renderProjection(projection, { all }, existing);
        // What cannot be read back is not edited.
        expect(again).toBe(edited.ok ? edited.text : again);
      }),
    );
  });

  test.for<[string, string, Readonly<Record<string, unknown>>]>([
    ["a comment", "a: 1\n# mine\n", { a: 2 }],
    ["another key", "a: 1\nmine: 1\n", { a: 2 }],
    ["another value", "a: 7\n", { a: 2 }],
    ["other line ends", "a: 1\r\n", { a: 2 }],
    ["what is new", "a: 1\n", { a: 1, b: 2 }],
    ["what is no longer said", "a: 1\n", {}],
  ])("is not what has %s", ([, existing, all]) => {
    expect(renderAgain(projection, { all }, { existing, last: { a: 1 } })).toBeUndefined();
  });
});
