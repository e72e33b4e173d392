import { describe, expect, test } from "vitest";
import { readTasks } from "../../src/format/tasks/read.ts";
import type { TaskStyle } from "../../src/format/tasks/read.ts";
import { read } from "./reading.ts";

/** One line for each task: `id title [files] <dependencies> complexity status layer @line`. */
function show(style: TaskStyle, text: string): string {
  const { tasks, faults } = readTasks(style, "F", text);
  if (faults.length > 0) return faults.map(({ at, reason }) => `${at.line}: ${reason}`).join("\n");
  const shown = tasks.map((task) =>
    [
      `${task.id} ${task.title} [${task.files.join(" ")}] <${task.dependsOn.join(" ")}>`,
      task.complexity,
      task.status,
      task.layer && `(${task.layer})`,
      `@${task.line}`,
    ]
      .filter(Boolean)
      .join(" "),
  );
  return shown.join("\n");
}

const task = (id: string, depends = "none", more = "") =>
  `### Task ${id}: Do ${id}\n\n**Files:** \`src/${id}.ts\`\n**Dependencies:** ${depends}\n${more}\n`;

describe("a plan", () => {
  test("in the ways it is written", () => {
    const text = `# Plan

## Overview

Text.

### Task 1: Add the parser

**Files:** \`src/a.ts\`, \`test/a.test.ts\` (new)
**Dependencies:** none
**Complexity:** easy
**Instructions:** Write it.
Files: are many.

### Task 2: **Use** it

- Files:
  - \`./src/b.ts\` - calls \`parse()\`
  - Create: \`src/c.ts\`
- Dependencies: Task 1 (parser)
- Complexity: Medium
- Instructions: Use it.

### Task 3: Tell

Files: docs/a.md, docs/b.md
Notes: none of these
Depends on: 1 and 2
Complexity: hard (three places)

## Dependency Graph

1 -> 2
`;
    expect(show("markdown", text)).toMatchInlineSnapshot(`
      "1 Add the parser [src/a.ts test/a.test.ts] <> easy @7
      2 Use it [src/b.ts src/c.ts] <1> medium @15
      3 Tell [docs/a.md docs/b.md] <1 2> hard @24"
    `);
  });

  test.for<[string, string, string]>([
    ["no task", "# Plan\n\nText.", "1: the list has no task"],
    ["in a fence", `\`\`\`\n${task("1")}\`\`\``, "1: the list has no task"],
    ["an id twice", task("1") + task("1"), '6: the task "1" appears twice'],
    ["no files", "### Task 1: x\n\nDependencies: none", '1: task "1": names no files (a line `Files: ...`)'],
    ["files to be named", "### Task 1: x\n\nFiles: TBD", '1: task "1": names no files (a line `Files: ...`)'],
    [
      "a file outside",
      "### Task 1: x\n\nFiles: ../a",
      '1: task "1": the file "../a" is not a path inside the workspace',
    ],
    [
      "an absolute file",
      "### Task 1: x\n\nFiles: C:\\a",
      '1: task "1": the file "C:\\a" is not a path inside the workspace',
    ],
    ["an unknown dependency", task("1", "Task 7"), '1: task "1": depends on "7", which is not a task'],
    ["itself", task("1", "1"), "1: tasks depend on each other: 1 -> 1"],
    [
      "a cycle",
      task("1", "3") + task("2", "1") + task("3", "2, 1"),
      "1: tasks depend on each other: 1 -> 3 -> 2 -> 1",
    ],
    [
      "complexity",
      task("1", "none", "**Complexity:** huge"),
      '1: task "1": the complexity "huge" is none of easy, medium, hard',
    ],
    ["no name", "### Task 1\n\nFiles: a", "1: a task's heading must read `### Task 1: name`"],
    [
      "ids that differ in their zeros",
      task("1.1") + task("1.10", "1.1"),
      "1.1 Do 1.1 [src/1.1.ts] <> @1\n1.10 Do 1.10 [src/1.10.ts] <1.1> @6",
    ],
  ])("%s", ([, text, shown]) => {
    expect(show("markdown", text)).toBe(shown);
  });
});

describe("the files of a task", () => {
  test.for<[line: string, files: readonly string[]]>([
    ["src/one.ts, `src/two.ts`", ["src/one.ts", "src/two.ts"]],
    ["`src/one.ts`, src/two.ts (new)", ["src/one.ts", "src/two.ts"]],
    ["app/(auth)/page.tsx", ["app/(auth)/page.tsx"]],
    ["`app/(auth)/page.tsx`, (auth)/b.ts (new, big)", ["app/(auth)/page.tsx", "(auth)/b.ts"]],
    ["\"a b.sh\", 'c, d.sh' (new)", ["a b.sh", "c, d.sh"]],
    ["`a, (b) - c.ts` - calls `d`, e", ["a, (b) - c.ts"]],
    ["`a.ts` (uses `b`) and `c.ts` (new).", ["a.ts", "c.ts"]],
    ["a.ts - first, b.ts - second", ["a.ts", "b.ts"]],
    ["it's.ts, **b.ts** (moved)", ["it's.ts", "b.ts"]],
    ['\n- app/[id]/a.ts\n- `./b.ts` (new)\n- "c d.ts"', ["app/[id]/a.ts", "b.ts", "c d.ts"]],
  ])("%s", ([line, files]) => {
    expect(readTasks("markdown", "F", `### Task 1: x\n\nFiles: ${line}`).tasks[0]?.files).toEqual(files);
  });
});

describe("what the list says about a task", () => {
  const long = "x".repeat(3000);
  test.for<[what: string, style: TaskStyle, text: string, told: string | undefined]>([
    [
      "behind its label",
      "markdown",
      task("1", "none", "**Instructions:** Write it.\n\n```ts\nlet a;\n```"),
      "Write it.\n\n```ts\nlet a;\n```",
    ],
    [
      "as an item",
      "markdown",
      "### Task 1: x\n\n- Files: a\n- Instructions: Use it.\n  Twice.",
      "Use it.\n  Twice.",
    ],
    [
      "with what stands below it",
      "markdown",
      `${task("1", "none", "Instructions: All\n\n#### How\n\nSo.")}### Task 2: y\n\nFiles: b`,
      "All\n\n#### How\n\nSo.",
    ],
    [
      "all of it without a label",
      "markdown",
      "### Task 1: x\n\nFiles: a\n\nWrite it.",
      "Files: a\n\nWrite it.",
    ],
    ["not without end", "markdown", `### Task 1: x\n\nFiles: a\nInstructions: ${long}`, long.slice(0, 2000)],
    ["in YAML", "yaml", "tasks:\n  - { id: a, title: A, instructions: Do it }", "Do it"],
    ["in YAML, by another name", "yaml", "tasks:\n  - { id: a, title: A, description: Do it }", "Do it"],
    ["nothing", "yaml", "tasks:\n  - { id: a, title: A }", undefined],
    ["below a box", "checkbox", "- [ ] 1.1 Do\n  - File: a.ts\n  - Instructions: So", "So"],
  ])("%s", ([, style, text, told]) => {
    expect(readTasks(style, "F", text).tasks[0]?.text).toBe(told);
  });
});

describe("tasks in YAML", () => {
  const tasks = (...lines: readonly string[]) =>
    ["project: {name: x}", "tasks:", ...lines.map((line) => `  - ${line}`)].join("\n");

  test.for<[string, string, string]>([
    [
      "all keys",
      tasks(
        "{id: T-001, status: not-started, title: A, files_expected: [a.ts], acceptance_checks: ['cmd: x']}",
        "{id: T-002, goal: B, depends_on: [T-001], complexity: hard}",
      ),
      "T-001 A [a.ts] <> not-started @3\nT-002 B [] <T-001> hard @4",
    ],
    [
      "numbers that stay as written",
      tasks("{id: 1, title: a}", "{id: 1.5, title: b, depends_on: [1]}"),
      "1 a [] <> @3\n1.5 b [] <1> @4",
    ],
    [
      "numbers that do not",
      tasks("{id: 1.1, title: a}", "{id: 1.10, title: b}"),
      "4: the id 1.10 is read as 1.1: put it in quotes",
    ],
    ["octal looks", tasks("{id: 010, title: a}"), "3: the id 010 is read as 10: put it in quotes"],
    [
      "quoted ids",
      tasks('{id: "1.10", title: a}', '{id: "1.1", title: b, depends_on: ["1.10"]}'),
      "1.10 a [] <> @3\n1.1 b [] <1.10> @4",
    ],
    [
      "a mangled dependency",
      tasks('{id: "1.10", title: a, depends_on: [1.10]}'),
      "3: the id 1.10 is read as 1.1: put it in quotes",
    ],
    ["no id", tasks("{title: a}"), "3: a task needs an id, as a text"],
    ["an id that is not a text", tasks("{id: true, title: a}"), "3: a task needs an id, as a text"],
    ["no title", tasks("{id: a}"), "3: a task needs a title or a goal"],
    [
      "an unknown status",
      tasks("{id: a, title: b, status: done}"),
      '3: task "a": the status "done" is unknown',
    ],
    ["no tasks", "tasks: []", "1: the list has no task"],
    ["no list", "tasks: x", "1: the file must have a list `tasks`"],
    ["a task that is no map", tasks("x"), "3: a task must be a map with an id"],
    [
      "a cycle",
      tasks("{id: a, title: a, depends_on: [b]}", "{id: b, title: b, depends_on: [a]}"),
      "3: tasks depend on each other: a -> b -> a",
    ],
    ["a very long line", `tasks: [${"1,".repeat(3000)}]`, "1: the line has more than 4000 characters"],
  ])("%s", ([, text, shown]) => {
    expect(show("yaml", text)).toBe(shown);
  });
});

describe("tasks with boxes", () => {
  const block = (id: string, more: string) =>
    `### Task ${id}: Do ${id}\n\n\`\`\`yaml\nid: ${id}\n${more}\n\`\`\`\n\nText.\n\n`;

  test.for<[string, string, string]>([
    [
      "blocks under layers",
      `---\nid: x\n---\n\n<tasks>\n## 1. Data Layer\n\n${block("1.1", "action: CREATE\nstatus: pending\nfile: a.rs")}---\n\n## 2. Testing Layer\n\n${block("2.1", "file: b.rs\ndepends_on: [1.1]")}</tasks>\n`,
      "1.1 Do 1.1 [a.rs] <> pending (data) @8\n2.1 Do 2.1 [b.rs] <1.1> (testing) @23",
    ],
    [
      "lines",
      "## Data\n\n- [ ] 1.1 Make it\n  - File: `a.rs` (CREATE)\n  - Spec: s.md\n- [x] 1.2 Use it\n  File: b.rs (MODIFY)\n  Depends: 1.1\n",
      "1.1 Make it [a.rs] <> pending (data) @3\n1.2 Use it [b.rs] <1.1> completed (data) @6",
    ],
    ["no headings", "- [ ] 1.1 Make it", "1.1 Make it [] <> pending @1"],
    ["bold ids", "- [ ] **1.1** Make it", "1.1 Make it [] <> pending @1"],
    ["a mangled id", block("1.10", "file: a"), "4: the id 1.10 is read as 1.1: put it in quotes"],
    [
      "two ids",
      "### Task 1.1: x\n\n```yaml\nid: 1.2\n```",
      '1: the heading says task "1.1", its block says "1.2"',
    ],
    ["no block", "### Task 1.1: x\n\nText.", '1: task "1.1": has no YAML block'],
    ["a broken block", "### Task 1.1: x\n\n```yaml\nid: 1.1\nid: 1.2\n```", '5: The key "id" appears twice.'],
    ["no id", "- [ ] Make it", "1: a task must read `- [ ] 1.1 title`"],
    ["another box", "- [?] 1.1 Make it", "1: the box must be [ ] or [x], not [?]"],
    ["inside another", "- [ ] 1 Make it\n  - [ ] 1.1 And this", "2: a task must not be inside another task"],
    ["an id twice", "- [ ] 1.1 a\n- [ ] 1.1 b", '2: the task "1.1" appears twice'],
    [
      "an unknown dependency",
      "- [ ] 1.1 a\n  - Depends: 9.9",
      '1: task "1.1": depends on "9.9", which is not a task',
    ],
    ["no boxes", "- a\n- b", "1: the list has no task"],
    [
      "a file that is renamed",
      block("1.1", "action: RENAME\nfile: a.rs -> b.rs"),
      "1.1 Do 1.1 [a.rs b.rs] <> @1",
    ],
    [
      "an action that is none",
      block("1.1", "action: INSERT\nfile: a.rs"),
      '1: task "1.1": the action "INSERT" is none of CREATE, MODIFY, DELETE, RENAME',
    ],
    [
      "an action that is none, in a line",
      "- [ ] 1.1 Do\n  - File: `a.rs` (NEW)",
      '1: task "1.1": the action "NEW" is none of CREATE, MODIFY, DELETE, RENAME',
    ],
    ["a remark is no action", "- [ ] 1.1 Do\n  - File: `a.rs` (new)", "1.1 Do [a.rs] <> pending @1"],
    ["no title", "### Task 1.1\n\nText.", "1: a task's heading must read `### Task 1.1: title`"],
    [
      "both styles",
      `${block("1.1", "file: a")}- [ ] step one\n\n## More\n\n- [ ] 1.2 Lost\n`,
      "14: tasks are headings with a YAML block here, so that this line would be lost",
    ],
    ["front matter in the body", "- [ ] 1.1 Do\n\n---\nchange_id: [\n---\n", "1.1 Do [] <> pending @1"],
    [
      "broken front matter",
      "---\nid: [\n---\n\n- [ ] 1.1 Do",
      "3: Flow sequence in block collection must be sufficiently indented and end with a ].",
    ],
    [
      "front matter without an end",
      "---\nid: x\n\n- [ ] 1.1 Do",
      "1: the front matter that begins here has no closing --- line",
    ],
  ])("%s", ([, text, shown]) => {
    expect(show("checkbox", text)).toBe(shown);
  });
});

describe("layers", () => {
  const box = (id: string, depends = "") =>
    `- [ ] ${id} Do${depends === "" ? "" : `\n  - Depends: ${depends}`}\n`;
  const ids = (text: string): string => {
    const { tasks, faults } = readTasks("checkbox", "F", text);
    if (faults.length > 0) return faults.map(({ at, reason }) => `${at.line}:${at.col} ${reason}`).join("; ");
    return tasks.map(({ id, layer }) => `${id}${layer === undefined ? "" : ` ${layer}`}`).join(", ");
  };
  const counts = (...lines: readonly string[]) =>
    `---\nlayers:\n${lines.map((line) => `  ${line}\n`).join("")}---\n\n`;

  test.for<[what: string, text: string, shown: string]>([
    [
      "a heading's name decides",
      `## 1. Data Layer\n\n${box("1.1")}\n## 2. Testing Layer\n\n${box("2.1")}`,
      "1.1 data, 2.1 testing",
    ],
    [
      "its number is only the order",
      `## 2. Testing\n\n${box("2.1")}\n## 1. Data\n\n${box("1.1")}`,
      "1.1 data, 2.1 testing",
    ],
    [
      "without numbers they come as they stand",
      `## Testing Layer\n\n${box("a1")}\n## Data layer (tables)\n\n${box("a2")}`,
      "a1 testing, a2 data",
    ],
    ["at another level", `# 1. Data\n\n${box("1.1")}\n# 2. Logic\n\n${box("2.1")}`, "1.1 data, 2.1 logic"],
    ["other headings below one", `## Data\n\n### Tables\n\n${box("1.1")}`, "1.1 data"],
    ["none at all", `## Phase one\n\n${box("1.1", "1.2")}${box("1.2")}`, "1.2, 1.1"],
    [
      "first the layer, then what depends",
      `## 1. Data\n\n${box("1.1", "1.3")}${box("1.2")}${box("1.3")}\n## 2. Logic\n\n${box("2.1", "2.2, 1.1")}${box("2.2")}`,
      "1.2 data, 1.3 data, 1.1 data, 2.2 logic, 2.1 logic",
    ],
    [
      "what depends on a later one",
      `## 1. Data\n\n${box("1.1", "2.1")}\n## 2. Logic\n\n${box("2.1")}`,
      '3:3 task "1.1": depends on "2.1", which is of a later layer (logic)',
    ],
    [
      "one twice",
      `## Data\n\n${box("1.1")}\n## 2. Data Layer\n\n${box("2.1")}`,
      "5:1 the layer data appears twice",
    ],
    [
      "a number twice",
      `## 1. Data\n\n${box("1.1")}\n## 1. Logic\n\n${box("2.1")}`,
      "5:1 two layers have the number 1, so their order is not clear",
    ],
    [
      "a task under none",
      `## Data\n\n${box("1.1")}\n## Notes\n\n${box("2.1")}`,
      '7:3 task "2.1": is not below a layer, and others are (a heading like `## 1. Data Layer`)',
    ],
    [
      "a rule that makes a heading",
      `## Data\n\n${box("1.1")}\nThat is all.\n---\n\n${box("1.2")}`,
      '8:3 task "1.2": is not below a layer, and others are (the text on line 5 is underlined, which makes it a heading: put an empty line below it)',
    ],
    [
      "a rule that makes none",
      `## Data\n\n${box("1.1")}\nThat is all.\n\n---\n\n${box("1.2")}`,
      "1.1 data, 1.2 data",
    ],
    [
      "front matter that agrees",
      `${counts("data: { task_count: 1 }", "logic: { task_count: 0 }")}## Data\n\n${box("1.1")}`,
      "1.1 data",
    ],
    [
      "front matter without counts",
      `${counts("data: {}")}## Data\n\n${box("1.1")}\n## Logic\n\n${box("2.1")}`,
      "1.1 data, 2.1 logic",
    ],
    [
      "another number of tasks",
      `${counts("data: { task_count: 2 }")}## Data\n\n${box("1.1")}`,
      "3:23 the layer data has 2 tasks in the front matter, and 1 under its heading",
    ],
    [
      "no heading",
      `${counts("data: { task_count: 1 }", "logic: { task_count: 1 }")}## 1. Data\n\n${box("1.1")}\n`,
      "4:10 the layer logic is in the front matter, and no heading names it",
    ],
    [
      "no such layer",
      `${counts("ui: {}")}${box("1.1")}`,
      '3:7 unknown layer "ui": use one of data, logic, integration, testing',
    ],
    ["no map", `---\nlayers: 3\n---\n\n${box("1.1")}`, '2:9 "layers" must be a map of layers'],
  ])("%s", ([, text, shown]) => {
    expect(ids(text)).toBe(shown);
  });
});

test("a reading has the number of tasks and their ids", () => {
  const reading = read({ type: "tasks", style: "markdown" }, task("1") + task("2", "1"));
  expect([reading.fields, reading.lists, reading.faults]).toEqual([{ tasks: 2 }, { tasks: ["1", "2"] }, []]);
});

test("a long chain of tasks is no cycle", () => {
  const lines = Array.from(
    { length: 2000 },
    (_, i) => `- [ ] T${i} x${i > 0 ? `\n  Depends: T${i - 1}` : ""}`,
  );
  expect(readTasks("checkbox", "F", lines.join("\n")).faults).toEqual([]);
});
