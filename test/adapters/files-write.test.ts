import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { DataTree } from "../../src/core/model/workflow.ts";
import { artifact, benchAt, folder, frontMatter, listOf, section, tidy, whole } from "./files-support.ts";

afterAll(tidy);

describe("the archive", () => {
  const of = { artifacts: { plan: section("Plan"), review: section("Review"), notes: whole("a/notes.md") } };
  const all = ["plan", "review", "notes"];

  test("takes sections and files, and leaves the rest", async () => {
    const bench = benchAt(folder(), of);
    const into = join(folder(), "attempt-1");
    bench.write("TASK.md", "---\nx: 1\n---\n# T\n\n## Plan\n\np\n\n## Review\n\nr\n\n## Mine\n\nm\n");
    bench.write("a/notes.md", "n");
    expect(await bench.artifacts.archive(bench.place, { artifacts: all, into })).toEqual([]);
    expect(bench.text("TASK.md")).toBe("---\nx: 1\n---\n# T\n\n## Mine\n\nm\n");
    expect(bench.list()).toEqual(["TASK.md"]);
    expect(listOf(into)).toEqual(["TASK.md.Plan.md", "TASK.md.Review.md", "a/notes.md"]);
    expect(readFileSync(join(into, "TASK.md.Plan.md"), "utf8")).toBe("## Plan\n\np\n\n");
    // A second time there is nothing to do.
    expect(await bench.artifacts.archive(bench.place, { artifacts: all, into })).toEqual([]);
    expect(listOf(into)).toHaveLength(3);
  });

  test("never writes over what it has", async () => {
    const bench = benchAt(folder(), of);
    const into = folder();
    for (const text of ["one", "two", "two", "three"]) {
      bench.write("TASK.md", `## Plan\n\n${text}\n`);
      bench.write("a/notes.md", text);
      await bench.artifacts.archive(bench.place, { artifacts: all, into });
    }
    expect(listOf(into)).toEqual([
      "TASK.md.Plan.1.md",
      "TASK.md.Plan.2.md",
      "TASK.md.Plan.md",
      "a/notes.1.md",
      "a/notes.2.md",
      "a/notes.md",
    ]);
    expect(readFileSync(join(into, "a/notes.2.md"), "utf8")).toBe("three");
  });

  test("leaves and tells what it cannot part", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", Buffer.of(0xff));
    const told = await bench.artifacts.archive(bench.place, { artifacts: all, into: folder() });
    expect(told).toEqual([
      "TASK.md: is not valid UTF-8, so that it is not archived",
      "TASK.md: is not valid UTF-8, so that it is not archived",
    ]);
    expect(readFileSync(join(bench.root, "TASK.md"))).toEqual(Buffer.of(0xff));
  });
});

test("a link in the place of the workspace is not followed: its target is somebody else's", async () => {
  const theirs = folder();
  writeFileSync(join(theirs, "TASK.md"), "## Plan\n\ntheirs\n");
  const root = join(folder(), "workspace");
  symlinkSync(theirs, root);
  const bench = benchAt(root, {
    artifacts: { plan: section("Plan") },
    projections: [frontMatter({ status: { from: "status" } })],
  });
  const outside = "stands in a folder outside of the workspace";
  await expect(bench.show("plan", "mine")).rejects.toThrow(outside);
  expect(await bench.project({ status: "working" })).toEqual([
    `TASK.md: ${outside}, so that it is not brought up to date`,
  ]);
  expect(await bench.artifacts.carry(bench.place, folder())).toEqual([
    `TASK.md: ${outside}, so that it stays where it is`,
  ]);
  expect(await bench.artifacts.archive(bench.place, { artifacts: ["plan"], into: folder() })).toEqual([
    `TASK.md: ${outside}, so that it is not archived`,
  ]);
  const [reading] = await bench.artifacts.read(bench.place);
  expect(reading).toMatchObject({ found: false, faults: [{ reason: `the file ${outside}` }] });
  expect([listOf(theirs), readFileSync(join(theirs, "TASK.md"), "utf8")]).toEqual([
    ["TASK.md"],
    "## Plan\n\ntheirs\n",
  ]);
});

describe("files are carried along", () => {
  const of = {
    artifacts: {
      plan: section("Plan"),
      notes: whole("a/notes.md"),
      log: artifact("log", { type: "check", command: "x" }),
    },
    projections: [frontMatter({}, "TASK.md"), frontMatter({}, "only-shown.md")],
  };

  test("also while another process replaces one of them", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "## Plan\n\np\n");
    const at = (entry: string): string => join(bench.root, entry);
    const script = `cd "$0" && mv TASK.md .signalbox-old-$$.0a-TASK.md && echo; sleep 0.05; mv .signalbox-old-$$.0a-TASK.md TASK.md`;
    const other = spawn("sh", ["-c", script, bench.root]);
    await once(other.stdout, "data");
    expect(existsSync(at("TASK.md"))).toBe(false);
    const to = folder();
    expect(await bench.artifacts.carry(bench.place, to)).toEqual([]);
    expect([listOf(to), existsSync(at("TASK.md"))]).toEqual([["TASK.md"], false]);
  });

  test("to a new root and back", async () => {
    const bench = benchAt(folder(), of);
    const to = join(folder(), "worktree");
    for (const file of ["TASK.md", "a/notes.md", "log", "only-shown.md", "mine.md"]) bench.write(file, file);
    const before = bench.list();
    expect(await bench.artifacts.carry(bench.place, to)).toEqual([]);
    expect(bench.list()).toEqual(["mine.md"]);
    expect(listOf(to)).toEqual(["TASK.md", "a/notes.md", "log", "only-shown.md"]);
    expect(await bench.artifacts.carry({ ...bench.place, root: to }, bench.root)).toEqual([]);
    expect(bench.list()).toEqual(before);
    expect(bench.text("a/notes.md")).toBe("a/notes.md");
  });

  test("a file that is there, such as one that the repository tracks, is kept beside it", async () => {
    const bench = benchAt(folder(), of);
    const to = folder();
    bench.write("TASK.md", "ours");
    bench.write("log", "same");
    writeFileSync(join(to, "TASK.md"), "theirs");
    writeFileSync(join(to, "log"), "same");
    const kept = join(to, ".signalbox-kept-1-TASK.md");
    expect(await bench.artifacts.carry(bench.place, to)).toEqual([
      `TASK.md: another file was there; what it said is kept in ${kept}`,
    ]);
    expect(readFileSync(join(to, "TASK.md"), "utf8")).toBe("ours");
    expect(readFileSync(kept, "utf8")).toBe("theirs");
    expect(bench.list()).toEqual([]);
  });

  test("to where they are already: nothing happens", async () => {
    const bench = benchAt(folder(), of);
    bench.write("TASK.md", "x");
    expect(await bench.artifacts.carry(bench.place, join(bench.root, "."))).toEqual([]);
    expect(bench.list()).toEqual(["TASK.md"]);
  });
});

describe("a projection", () => {
  const of = { projections: [frontMatter({ status: { from: "status" }, round: { from: "round" } })] };

  test("not replaced where only the time would change: an agent that begins may be reading it", async () => {
    const times = {
      projections: [frontMatter({ status: { from: "status" }, at: { from: "run.updatedAt" } })],
    };
    const bench = benchAt(folder(), times);
    const inode = (): number => statSync(join(bench.root, "TASK.md")).ino;
    const at = (time: string): object => ({ run: { updatedAt: time } });
    await bench.project({ status: "working", ...at("T1") });
    const first = inode();
    await bench.project({ status: "working", ...at("T2") });
    expect([inode(), bench.text("TASK.md")]).toEqual([first, "---\nstatus: working\nat: T1\n---\n"]);
    await bench.project({ status: "done", ...at("T3") });
    expect(bench.text("TASK.md")).toBe("---\nstatus: done\nat: T3\n---\n");
    bench.write("TASK.md", "---\nstatus: mine\nat: T3\n---\n");
    await bench.project({ status: "done", ...at("T4") });
    expect(bench.text("TASK.md")).toBe("---\nstatus: done\nat: T4\n---\n");
  });

  test("is written only when it differs, and leaves what is not its own", async () => {
    const bench = benchAt(folder(), of);
    const text =
      "\uFEFF---\r\n# mine\r\nowner: me # not yours\r\nround: 1 # r\r\nstatus:   working\r\n---\r\n# T  \r\nno end";
    bench.write("TASK.md", text);
    expect(await bench.project({ status: "working", round: 1 })).toEqual([]);
    expect(bench.text("TASK.md")).toBe(text);
    const { ino } = statSync(join(bench.root, "TASK.md"));
    expect(await bench.project({ status: "working", round: 1 })).toEqual([]);
    expect(statSync(join(bench.root, "TASK.md")).ino).toBe(ino);
    expect(await bench.project({ status: "done", round: 1 })).toEqual([]);
    expect(bench.text("TASK.md")).toBe(text.replace("status:   working", "status: done"));
    expect(bench.list()).toEqual(["TASK.md"]);
  });

  test("is put in its place only while the run is still there", async () => {
    const bench = benchAt(folder(), of);
    await bench.project({ status: "working", round: 1 });
    const text = bench.text("TASK.md");
    const project = (status: string, isCurrent: boolean) =>
      bench.artifacts.project(bench.place, {
        root: { status, round: 1 },
        projections: bench.place.workflow.definition.projections,
        isCurrent: () => Promise.resolve(isCurrent),
      });
    expect(await project("late", false)).toEqual({ told: [], isWhole: false });
    expect([bench.text("TASK.md"), bench.list()]).toEqual([text, ["TASK.md"]]);
    expect(await project("done", true)).toEqual({ told: [], isWhole: true });
    expect(bench.text("TASK.md")).toBe(text.replace("working", "done"));
  });

  test("does not wait for what we wrote ourselves", async () => {
    const bench = benchAt(folder(), { ...of, artifacts: { plan: section("Plan") } });
    await bench.project({ status: "working", round: 1 });
    await bench.show("plan", "First.\n");
    await bench.project({ status: "done", round: 1 });
    await bench.show("plan", "Second.\n");
    // Whatever was not known to be ours is kept for a moment beside the file, for a late writer.
    expect(readdirSync(bench.root)).toEqual(["TASK.md"]);
    expect(bench.text("TASK.md")).toBe("---\nstatus: done\nround: 1\n---\n\n## Plan\n\nSecond.\n");
  });

  test("tells an edit of its fields once, and takes it back", async () => {
    const bench = benchAt(folder(), of);
    await bench.project({ status: "working", round: 1 });
    const text = bench.text("TASK.md");
    const edited = text.replace("working", "done").replace("round: 1\n", "");
    for (const again of [1, 2]) {
      bench.write("TASK.md", `${edited}by hand ${again}`);
      expect(await bench.project({ status: "working", round: 1 })).toEqual([
        "TASK.md: status was changed by hand from working to done; that moves nothing, and it says working again",
        "TASK.md: round (1) was removed by hand; that moves nothing, and it says 1 again",
      ]);
      expect(await bench.project({ status: "working", round: 1 })).toEqual([]);
      expect(bench.text("TASK.md")).toContain("status: working");
      expect(bench.text("TASK.md")).toContain(`by hand ${again}`);
    }
    // Exactly the same edit once more is an edit once more.
    bench.write("TASK.md", `${edited}by hand 2`);
    expect(await bench.project({ status: "working", round: 1 })).toHaveLength(2);
    // And so it is when the run has moved on in between.
    bench.write("TASK.md", bench.text("TASK.md").replace("working", "done"));
    expect(await bench.project({ status: "review", round: 2 })).toEqual([
      "TASK.md: status was changed by hand from working to done; that moves nothing, and it says review again",
    ]);
  });

  test("does not take for an edit what a death has kept it from writing, also where a section came in between", async () => {
    const bench = benchAt(folder(), { ...of, artifacts: { plan: section("Plan") } });
    await bench.project({ status: "pending", round: 1 });
    const projections = bench.place.workflow.definition.projections;
    // What is to be said is remembered; then it dies, and the file says what it said before.
    await bench.artifacts.project(bench.place, {
      root: { status: "working", round: 2 },
      projections,
      isCurrent: () => Promise.resolve(false),
    });
    expect(bench.text("TASK.md")).toContain("status: pending\nround: 1");
    await bench.show("plan", "First.\n");
    bench.write("TASK.md", bench.text("TASK.md").replace("round: 1", "round: 7"));
    expect(await bench.project({ status: "working", round: 2 })).toEqual([
      "TASK.md: round was changed by hand from 2 to 7; that moves nothing, and it says 2 again",
    ]);
    expect(bench.text("TASK.md")).toContain("status: working\nround: 2");
  });

  test("tells in one line that a file was written anew without them", async () => {
    const bench = benchAt(folder(), of);
    await bench.project({ status: "working", round: 1 });
    bench.write("TASK.md", "# Mine\n");
    expect(await bench.project({ status: "done", round: 2 })).toEqual([
      "TASK.md: status, round were removed by hand; that moves nothing, and they are there again",
    ]);
    expect(bench.text("TASK.md")).toBe("---\nstatus: done\nround: 2\n---\n# Mine\n");
  });

  test("leaves a file alone whose front matter is broken, and says where, once", async () => {
    const bench = benchAt(folder(), of);
    await bench.project({ status: "working", round: 1 });
    bench.write("TASK.md", "---\nstatus: working\nround: [1\n---\n# T\n");
    const told = await bench.project({ status: "done", round: 1 });
    expect(told.join()).toMatch(/^TASK\.md:\d+:\d+: .+; the file is left as it is$/);
    expect(await bench.project({ status: "done", round: 2 })).toEqual([]);
    expect(bench.text("TASK.md")).toBe("---\nstatus: working\nround: [1\n---\n# T\n");
    bench.write("TASK.md", "---\nstatus: working\nround: 1\n---\n# T\n");
    expect(await bench.project({ status: "done", round: 2 })).toEqual([]);
    expect(bench.text("TASK.md")).toBe("---\nstatus: done\nround: 2\n---\n# T\n");
  });

  test.for([
    ["no YAML", "state: done\n\tround: [1\n"],
    ["no text", Buffer.from([0x73, 0xff, 0x0a])],
  ] as const)("as YAML is put right where it is %s, and what was there is kept", async ([, broken]) => {
    const bench = benchAt(folder(), {
      projections: [{ file: "STATE.yaml", as: "yaml", data: { state: { from: "status" } } }],
    });
    await bench.project({ status: "working" });
    bench.write("STATE.yaml", broken);
    const told = await bench.project({ status: "working" });
    expect(told.join()).toMatch(
      /STATE\.yaml: cannot be read, and is written anew; .* kept in .*-STATE\.yaml/,
    );
    expect(bench.text("STATE.yaml")).toBe("state: working\n");
    expect(await bench.project({ status: "review" })).toEqual([]);
    expect(bench.text("STATE.yaml")).toBe("state: review\n");
  });

  test("as JSON is the engine's, and what somebody else wrote there is kept", async () => {
    const bench = benchAt(folder(), {
      projections: [{ file: "s/{run}.json", as: "json", data: { state: { from: "status" } } }],
    });
    bench.write("s/r1.json", "mine");
    const kept = (number: number) => join(bench.root, `s/.signalbox-kept-${number}-r1.json`);
    expect(await bench.project({ status: "a" })).toEqual([
      `r1.json: was changed by hand, and is written by the run alone; what it said is kept in ${kept(1)}`,
    ]);
    expect(readFileSync(kept(1), "utf8")).toBe("mine");
    expect(bench.text("s/r1.json")).toBe('{\n  "state": "a"\n}\n');
    bench.write("s/r1.json", '{ "state": "z" }');
    expect(await bench.project({ status: "b" })).toEqual([
      `r1.json: was changed by hand, and is written by the run alone; what it said is kept in ${kept(2)}`,
      "s/r1.json: state was changed by hand from a to z; that moves nothing, and it says b again",
    ]);
    expect(await bench.project({ status: "c" })).toEqual([]);
    expect(bench.text("s/r1.json")).toContain('"c"');
  });

  test("as the status of tasks changes that alone, in a list that is there", async () => {
    const data: DataTree = { each: "tasks", key: "item.id", give: { from: "item.status" } };
    const bench = benchAt(folder(), { projections: [{ file: "tasks.yaml", as: "task-status", data }] });
    const say = (status: string) => bench.project({ tasks: [{ id: "T-1", status }] });
    const list = (status: string) => `tasks:\n  - id: T-1 # first\n${status}    title: One\n`;
    expect(await say("running")).toEqual([]);
    expect(existsSync(join(bench.root, "tasks.yaml"))).toBe(false);
    bench.write("tasks.yaml", list(""));
    expect(await bench.project({ tasks: [] })).toEqual([]);
    expect(bench.text("tasks.yaml")).toBe(list(""));
    expect(await say("running")).toEqual([]);
    expect(bench.text("tasks.yaml")).toBe(list("    status: in-progress\n"));
    // Written anew by its author, without it.
    bench.write("tasks.yaml", list(""));
    expect(await say("running")).toEqual([]);
    bench.write("tasks.yaml", list("    status: completed\n"));
    expect(await say("waiting")).toEqual([
      "tasks.yaml: T-1 was changed by hand from in-progress to completed; that moves nothing, and it says in-progress again",
    ]);
    expect(bench.text("tasks.yaml")).toBe(list("    status: in-progress\n"));
    bench.write("tasks.yaml", "tasks: [\n");
    expect((await say("completed")).join()).toContain("the file is left as it is");
    expect(bench.text("tasks.yaml")).toBe("tasks: [\n");
  });

  test("makes its file, private where the folder is", async () => {
    const root = folder();
    chmodSync(root, 0o700);
    const bench = benchAt(root, of);
    await bench.project({ status: "a", round: 0 });
    expect(bench.text("TASK.md")).toBe("---\nstatus: a\nround: 0\n---\n");
    expect(statSync(join(root, "TASK.md")).mode & 0o777).toBe(0o600);
  });
});
