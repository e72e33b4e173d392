/** `signalbox check`: what it says, to people and to programs, about good, bad and impossible input. */
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInWorkflows } from "../../src/adapters/library/find.ts";
import { paintOf } from "../../src/cli/paint.ts";
import { sayWorst } from "../../src/cli/worst.ts";
import { call, document, folderWith, say, tiny } from "./calling.ts";

const LOOP = `$schema: ../../schema/workflow-1.schema.json
name: loop
title: Two states that hand over to each other for ever
artifacts:
  note: { in: note.md, file: true, by: writer, fresh: entry }
roles:
  writer: { prompt: writer }
states:
  one: { enter: [start writer] }
  two: { enter: [start writer] }
  closed: { final: done }
moves:
  - { from: start, to: one, by: human }
  - { from: one, to: two, by: engine, need: note, do: [stop writer] }
  - { from: two, to: one, by: engine, need: note, do: [stop writer] }
  - { from: [one, two], to: closed, by: human, do: [stop all] }
ends:
  - { role: writer, in: [one, two], else: { do: [mark writer] } }
`;

const files = {
  "tiny/workflow.yaml": tiny("tiny"),
  "other.yaml": tiny("quite-another-name"),
  "empty.yaml": "",
  "comment.yaml": "# nothing\n",
  "binary.yaml": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3]),
  "latin.yaml": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
  "list.yaml": "- a\n",
  "newer.yaml": tiny("newer").replace("workflow-1", "workflow-2"),
  "unnamed.yaml": "name: x\n",
  "big.yaml": `# ${"x".repeat(262_144)}\n`,
  "typo.yaml": tiny("typo").replace("to: open", "to: opne").replace("waits", "wiats"),
  "loop/workflow.yaml": LOOP,
  "loop/prompts/writer.md": "Write a note.\n",
  "bigprompt/workflow.yaml": tiny("bigprompt"),
  "bigprompt/prompts/a.md": "x".repeat(262_145),
  "latinprompt/workflow.yaml": tiny("latinprompt"),
  "latinprompt/prompts/a.md": new Uint8Array([0xff]),
  "laterprompt/workflow.yaml": tiny("laterprompt"),
  "laterprompt/prompts/a.md": new Uint8Array([97, 10, 0xc3, 0xa4, 98, 0xff]),
  "flat/workflow.yaml": tiny("flat"),
  "flat/prompts": "no folder",
  "leak/workflow.yaml": tiny("leak"),
  "leak/prompts/a.md": "a",
  "secret.md": "secret",
  "bare/readme.md": "",
  "dirs/workflow.yaml/readme.md": "",
  ".signalbox/workflows/renamed/workflow.yaml": tiny("original"),
  "sub/deep/readme.md": "",
};
const cwd = folderWith(files);
symlinkSync(join(cwd, "secret.md"), join(cwd, "leak/prompts/b.md"));
symlinkSync("round.yaml", join(cwd, "round.yaml"));
symlinkSync("tiny", join(cwd, "alias"));

describe("input that is wrong", () => {
  test.for<[wanted: string, said: string]>([
    ["missing.yaml", "2\nsignalbox: there is no file or folder missing.yaml\n  next: signalbox workflows\n"],
    ["bare", "2\nsignalbox: the folder bare has no workflow.yaml\n  next: signalbox workflows\n"],
    [
      "dirs",
      "2\nsignalbox: dirs/workflow.yaml cannot be read: it is a folder\n  next: signalbox workflows\n",
    ],
    [
      "taks",
      `2\nsignalbox: there is no workflow "taks"; did you mean "task"?\n  next: signalbox workflows\n`,
    ],
    [
      "/dev/zero",
      "2\nsignalbox: /dev/zero cannot be read: it is no regular file\n  next: signalbox workflows\n",
    ],
    [
      "round.yaml",
      "2\nsignalbox: round.yaml cannot be read: its symbolic links lead in a circle\n  next: signalbox workflows\n",
    ],
    [
      "leak",
      `2\nsignalbox: leak/prompts/b.md is a link that leads out of its folder, to secret.md\n  next: ls -l leak/prompts/b.md\n`,
    ],
    ["flat", "2\nsignalbox: flat/prompts cannot be read: it is no folder\n  next: signalbox workflows\n"],
    ["empty.yaml", "5\nempty.yaml:1:1: The file is empty: a map (key: value) is expected.\n"],
    ["comment.yaml", "5\ncomment.yaml:1:1: The file is empty: a map (key: value) is expected.\n"],
    ["binary.yaml", "5\nbinary.yaml:1:1: The control character U+007F is not allowed.\n"],
    ["latin.yaml", "5\nlatin.yaml:1:4: The byte 0xe9 is not valid UTF-8.\n"],
    ["list.yaml", "5\nlist.yaml:1:1: The top level must be a map (key: value), not a list.\n"],
    [
      "newer.yaml",
      "5\nnewer.yaml:1:10: this signalbox knows schema version 1; this file needs 2: install a newer signalbox\n",
    ],
    [
      "unnamed.yaml",
      "5\nunnamed.yaml:1:1: the file must say which schema it follows: $schema: ../../schema/workflow-1.schema.json\n",
    ],
    ["big.yaml", "5\nbig.yaml:1:1: it has more than 262144 bytes\n"],
    ["bigprompt", "5\nbigprompt/prompts/a.md:1:1: it has more than 262144 bytes\n"],
    ["latinprompt", "5\nlatinprompt/prompts/a.md:1:1: it is not valid UTF-8\n"],
    ["laterprompt", "5\nlaterprompt/prompts/a.md:2:3: it is not valid UTF-8\n"],
    [
      "typo.yaml",
      `5\ntypo.yaml:5:11: unknown key "wiats" (did you mean "waits"?)\ntypo.yaml:8:24: unknown state "opne" (did you mean "open"?)\n`,
    ],
    [
      "renamed",
      `5\n.signalbox/workflows/renamed/workflow.yaml:2:1: the workflow in the folder "renamed" calls itself "original": change one of the two\n`,
    ],
  ])("%s", async ([wanted, said]) => {
    const all = await say(["check", wanted], cwd);
    expect(all.startsWith(said)).toBe(true);
    expect(all).not.toContain("    at ");
    expect(all).toContain("  next: ");
  });

  test.skipIf(!existsSync("/proc/self/mem"))("a file that gives errors instead of bytes", async () => {
    expect(await say("check /proc/self/mem", cwd)).toMatch(
      /^2\nsignalbox: \/proc\/\d+\/mem cannot be read: reading it fails \(input\/output error\)\n {2}next: /,
    );
  });

  test("the name in a file that is given by its path may be any", async () => {
    expect(await say("check other.yaml alias .signalbox/workflows/renamed -q", cwd)).toMatch(
      /^0\nquite-another-name: it ends\..*\n(.*\n)*tiny: it ends\..*\n(.*\n)*original: it ends\./,
    );
  });

  test("a name that is wrong stops everything before it begins", async () => {
    expect(await say("check tiny zzzz", cwd)).toMatch(
      /^2\nsignalbox: there is no workflow "zzzz"; there are /,
    );
  });
});

test("children that could not be made so are told where their workflow can be found", async () => {
  const parent = (child: string): string => `$schema: ../../schema/workflow-1.schema.json
name: parent
title: Tasks of a list
artifacts:
  plan: { in: tasks.md, tasks: markdown, by: human }
  work: { children: plan, workflow: ${child} }
states: { open: { enter: [start tasks plan] }, closed: { final: done }, lost: { final: failed } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: engine, when: { work: all } }
  - { from: open, to: lost, by: engine, when: { work: [some, none] } }
`;
  const folder = folderWith({
    ".signalbox/workflows/own/workflow.yaml": tiny("own"),
    "own.yaml": parent("own, with: { pace: fast }"),
    "task.yaml": parent("one-task, with: { harnes: codex }"),
    "unknown.yaml": parent("nowhere, with: { pace: fast }"),
  });
  expect(await say("check own.yaml task.yaml unknown.yaml -q", folder)).toMatchInlineSnapshot(`
    "5
    own.yaml:6:3: bad-child: own cannot be made of tasks: no move from start is \`by: engine\`
    own.yaml:6:3: bad-child: own cannot be made of tasks: in open no move \`by: engine\` waits for parent-over
    own.yaml:6:3: bad-child: own has no parameter "pace"
    task.yaml:6:3: bad-child: one-task has no parameter "harnes" (did you mean "harness"?)
    parent: it ends. 3 situations, 4 steps looked at
      Worst case before a person must act:
        questions       0
        moves           2
    "
  `);
});

test("a defect comes with its place and a numbered trace", async () => {
  expect(await say("check loop", cwd)).toMatchInlineSnapshot(`
    "5
    loop/workflow.yaml:15:5: unbounded-loop: nothing bounds the loop through one, two: no budget runs out and no person must act
        1. a person starts a run in one (-> one, writer is started)
        2. again and again: writer submits note (-> two, writer is started)
        3. again and again: writer submits note (-> one, writer is started)
      next: fix what is named, then: signalbox check loop
    "
  `);
});

test("a clean workflow gets one line and its worst case", async () => {
  const text = await say("check ../../tiny", join(cwd, "sub/deep"));
  expect(text).toMatchInlineSnapshot(`
    "0
    tiny: it ends. 2 situations, 2 steps looked at
      Worst case before a person must act:
        questions       0
        moves           1
    ../../tiny/workflow.yaml:5:3: note: no verb of people (answer, accept, send-back, retry, cancel) applies in open: mark moves and options with "verb"
    "
  `);
});

test("the worst case fits the terminal: a sum, the largest amounts, and parameters that lower it", () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const starts = Object.fromEntries(names.map((name, index) => [`start agent-${name}`, 200 + index]));
  const worst = { ...starts, "counter 3.2.tries": 89 };
  const titles = { "3.2.tries": "tries in 3.2 (Analyse failures)" };
  const said = sayWorst({ worst, titles, limits: ["rounds", "tries"] }, { paint: paintOf(false), width: 60 });
  expect(said).toMatchInlineSnapshot(`
    "  Worst case before a person must act:
        agents started  at most 1,215: agent-f 205, agent-e 204,
                        agent-d 203, agent-c 202, agent-b 201
                        and 1 more
        counted         tries in 3.2 (Analyse failures) 89
        questions       0
        moves           0
      Lower it with the parameters rounds, tries.
    "
  `);
  expect(Math.max(...said.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
});

/** Whoever changes a workflow proves it again and again: that must be a matter of seconds. */
const SITUATIONS_MAX = 100_000;

// The one place where all of them are proven; what takes longest, in the deep tier.
const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const LONGEST = "staged";
const PROVEN = builtInWorkflows().filter(({ name }) => IS_DEEP || name !== LONGEST);
test.for(PROVEN.map(({ name }) => name))(
  "the built-in %s ends, and its proof is small",
  { timeout: 600_000 },
  async (name) => {
    const { code, stdout } = await call(`check ${name}`, cwd);
    expect(code).toBe(0);
    const [, situations = ""] = /([\d,]+) situations/.exec(stdout) ?? [];
    expect(Number(situations.replaceAll(",", ""))).toSatisfy(
      (count: number) => count > 0 && count < SITUATIONS_MAX,
    );
  },
);

describe("--json", () => {
  test("a clean workflow", async () => {
    expect(await document("check tiny", cwd)).toEqual({
      ok: true,
      code: "ok",
      message: "every workflow ends",
      workflows: [
        {
          name: "tiny",
          file: "tiny/workflow.yaml",
          hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
          ok: true,
          problems: [],
          defects: [],
          notes: [
            {
              code: "no-verb",
              message: expect.stringContaining("applies in open") as string,
              at: { file: "tiny/workflow.yaml", line: 5, col: 3 },
            },
          ],
          worst: expect.any(Object) as object,
          titles: {},
          limits: [],
          nodes: 2,
          edges: expect.any(Number) as number,
        },
      ],
      next: "signalbox simulate tiny",
    });
  });

  test("problems and defects, together", async () => {
    const { ok, code, workflows } = await document("check typo.yaml loop tiny", cwd);
    expect({ ok, code }).toEqual({ ok: false, code: "invalid-workflow" });
    expect(workflows).toMatchObject([
      {
        name: "typo",
        ok: false,
        problems: [
          { code: "unknown-key", at: { file: "typo.yaml", line: 5, col: 11 }, suggestion: "waits" },
          {},
        ],
      },
      {
        name: "loop",
        ok: false,
        defects: [
          {
            code: "unbounded-loop",
            at: { file: "loop/workflow.yaml" },
            trace: expect.any(Array) as unknown[],
          },
        ],
      },
      { name: "tiny", ok: true },
    ]);
  });

  test.for([
    "check",
    "check zzz",
    "check missing.yaml",
    "chek",
    "check --nope",
    "check empty.yaml",
    "graph empty.yaml",
  ])("%s: one document, also on failure", async (line) => {
    const { code, stdout, stderr } = await call(`${line} --json`, cwd);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      code: expect.any(String) as string,
      message: expect.any(String) as string,
      next: expect.any(String) as string,
    });
    expect({ stderr, bad: code === 2 || code === 5 }).toEqual({ stderr: "", bad: true });
  });
});
