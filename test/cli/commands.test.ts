/** What every command has in common, and the small commands. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/cli/commands.ts";
import { GROUPS, PEOPLE } from "../../src/cli/help.ts";
import { run } from "../../src/cli/run.ts";
import { CALLS, VERBS } from "../../src/core/model/workflow.ts";
import { call, document, folderWith, say, tiny } from "./calling.ts";
import { LEAVES } from "./leaves.ts";
import { folderOf } from "../support/workflows.ts";

const cwd = folderWith({
  "hostile.yaml": tiny("hostile").replace("As small as can be", String.raw`"\e]0;owned\a\e[2J \u202Etxt"`),
});

const rowsIn = (page: string): string[] =>
  [...page.matchAll(/^ {2}([a-z-]+) {2,}(\S.*)$/gm)].map((match) => `${match[1]}: ${match[2]}`);
const rowOf = (name: string): string => `${name}: ${COMMANDS[name]?.about ?? "?"}`;

test("no arguments: what people need every day, on one screen", async () => {
  const { code, stdout } = await call("", cwd);
  expect(code).toBe(0);
  expect(stdout).toContain("Usage: signalbox COMMAND [ARGUMENT...] [OPTION...]\n");
  expect(rowsIn(stdout)).toEqual(PEOPLE.map(rowOf));
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  for (const verb of ["create", ...VERBS]) expect(PEOPLE).toContain(verb);
  expect((await call("--help", cwd)).stdout).toBe(stdout);
});

test("help all: every command in one group, and those of workflows", async () => {
  const { code, stdout } = await call("help all", cwd);
  expect(code).toBe(0);
  const [listed = "", rest = ""] = stdout.split("Commands of workflows:");
  expect(rowsIn(listed).toSorted()).toEqual(Object.keys(COMMANDS).map(rowOf).toSorted());
  expect(listed.match(/^[A-Z][a-z ]+:$/gm)).toEqual(GROUPS.map(([title]) => `${title}:`));
  const [declared = ""] = rest.split("Options of every command:");
  for (const line of ["plan ", "reopen ", "task merge ", "task request-changes "])
    expect(declared).toContain(`\n  ${line}`);
});

test.for<[word: string, next: string]>([
  ["merge", "signalbox accept RUN\n    or: signalbox task merge"],
  ["request-changes", "signalbox task request-changes"],
  ["approve", "signalbox accept RUN"],
  ["new", 'signalbox create "SUMMARY"'],
  ["ls", "signalbox list"],
  ["ps", "signalbox list"],
  ["version", "signalbox --version"],
  ["kill", "signalbox cancel RUN"],
  ["rm", "signalbox delete RUN"],
  ["dashboard", "signalbox watch"],
  ["log", "signalbox logs RUN"],
])("a word of other programs, %s, gets a hint", async ([word, next]) => {
  expect(await say(word, cwd)).toBe(`2\nsignalbox: there is no command "${word}"\n  next: ${next}\n`);
});

test("a command that a workflow can call is a command", () => {
  expect(CALLS.filter((name) => !LEAVES.has(name))).toEqual([]);
});

test("every command of a group has an example in its help", () => {
  const without = [...LEAVES].filter(([, { examples }]) => examples.length === 0);
  expect(without.map(([name]) => name)).toEqual([]);
});

test.for(Object.keys(COMMANDS))("%s --help has a usage and an example", async (name) => {
  const { code, stdout, stderr } = await call(`${name} --help`, cwd);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Usage: signalbox ${name}`);
  expect(stdout).toMatch(new RegExp(`Examples?:\n  signalbox ${name}`));
  expect(await call(`help ${name}`, cwd)).toEqual({ code, stdout, stderr });
});

test.for<[line: string, said: string]>([
  ["--version", `0\n${packageJson.version}\n`],
  ["-V", `0\n${packageJson.version}\n`],
  [
    "chek task",
    `2\nsignalbox: there is no command "chek"; did you mean "check"?\n  next: signalbox check --help\n`,
  ],
  ["frobnicate", `2\nsignalbox: there is no command "frobnicate"\n  next: signalbox --help\n`],
  ["--jsno", "2\nsignalbox: there is no option --jsno; did you mean --json?\n  next: signalbox --help\n"],
  ["check", "2\nsignalbox: signalbox check needs WORKFLOW...\n  next: signalbox check --help\n"],
  [
    "graph task other",
    `2\nsignalbox: signalbox graph does not take "other"\n  next: signalbox graph --help\n`,
  ],
  [
    "graph task --expandde",
    "2\nsignalbox: there is no option --expandde; did you mean --expanded?\n  next: signalbox graph --help\n",
  ],
  [
    "simulate task --seed",
    "2\nsignalbox: --seed needs a value: --seed N\n  next: signalbox simulate --help\n",
  ],
  [
    "simulate task --seed x",
    `2\nsignalbox: --seed is a whole number from 0 to 4294967295, not "x"\n  next: signalbox simulate --help\n`,
  ],
  [
    "simulate task --steps=99999",
    `2\nsignalbox: --steps is a whole number from 0 to 10000, not "99999"\n  next: signalbox simulate --help\n`,
  ],
  [
    "simulate task --people mean",
    `2\nsignalbox: --people is helpful or random, not "mean"\n  next: signalbox simulate --help\n`,
  ],
  ["graph task --no-such", "2\nsignalbox: there is no option --no-such\n  next: signalbox graph --help\n"],
  [
    "graph task --quiet=false",
    "2\nsignalbox: there is no option --no-quiet; did you mean --quiet?\n  next: signalbox graph --help\n",
  ],
  ["graph -x task", "2\nsignalbox: there is no option -x\n  next: signalbox graph --help\n"],
  [
    "simulate task --seed=",
    "2\nsignalbox: --seed needs a value: --seed N\n  next: signalbox simulate --help\n",
  ],
  ["toString", `2\nsignalbox: there is no command "toString"\n  next: signalbox --help\n`],
  ["check -- --json", "2\nsignalbox: there is no file or folder --json\n  next: signalbox workflows\n"],
])("signalbox %s", async ([line, said]) => {
  expect(await say(line, cwd)).toBe(said);
});

test("options may stand before the command", async () => {
  const { stdout } = await call("--json graph task --expanded", cwd);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, name: "task" });
});

describe("colours", () => {
  const ESCAPE = "\u001B[";
  test.for<[env: Record<string, string>, terminal: boolean, options: string[], coloured: boolean]>([
    [{}, true, [], true],
    [{}, false, [], false],
    [{ NO_COLOR: "1" }, true, [], false],
    [{ NO_COLOR: "" }, true, [], true],
    [{ CI: "true" }, true, [], false],
    [{}, true, ["--no-color"], false],
  ])("%o, terminal %s, %o: %s", async ([env, terminal, options, coloured]) => {
    const { stdout } = await run(["check", "task", ...options], { cwd, env, terminal });
    expect(stdout.includes(ESCAPE)).toBe(coloured);
  });

  test("a file cannot command the terminal", async () => {
    const { stdout } = await call("simulate hostile.yaml --seed 1", cwd);
    expect(stdout).toContain("\uFFFD]0;owned\uFFFD\uFFFD[2J \uFFFDtxt");
  });
});

test("the published schema is up to date: npm run schema", async () => {
  const published = readFileSync(new URL("../../schema/workflow-1.schema.json", import.meta.url), "utf8");
  expect((await call("schema", cwd)).stdout).toBe(published);
});

test("a folder that is gone", async () => {
  expect(await say("check task", "")).toBe("2\nsignalbox: the folder you are in is gone\n  next: cd ..\n");
});

describe("simulate", () => {
  test("seed 1 of task is a life that ends well, with a review that failed", async () => {
    const { stdout } = await call("simulate task --seed 1", cwd);
    expect(stdout).toMatch(/review: needs_fix[^]*review: pass[^]*-> done\n\nIt ended in done after/);
  });

  test.for(["task", folderOf("staged-plan"), "design-approval"])(
    "%s: the same seed gives the same walk, another seed another",
    async (name) => {
      // As data: people are also told what it can take at most, which has to be found out.
      const walk = async (seed: number): Promise<string> =>
        JSON.stringify({ ...(await document(`simulate ${name} --seed ${seed} --steps 200`, cwd)), seed: 0 });
      const walks = await Promise.all([1, 2, 3, 4, 5, 6].map(walk));
      expect(await walk(1)).toBe(walks[0]);
      expect(new Set(walks).size).toBeGreaterThan(2);
    },
  );

  test("helpful people bring task to its end, whatever the dice", async () => {
    for (let seed = 0; seed < 25; seed += 1) {
      expect(await document(`simulate task --seed ${seed} --steps 500`, cwd)).toMatchObject({
        end: "final",
        state: "done",
      });
    }
  });

  test("people who do anything never leave the map", async () => {
    for (let seed = 0; seed < 10; seed += 1) {
      const { end } = await document(
        `simulate ${folderOf("staged-plan")} --seed ${seed} --steps 100 --people random`,
        cwd,
      );
      expect(["final", "limit"]).toContain(end);
    }
  });

  test("the limit is said", async () => {
    expect((await call("simulate task --seed 1 --steps 2", cwd)).stdout).toContain(
      "after 2 steps, which was the limit",
    );
  });
});
