/** What a run of `staged` needs is there, or is named, before anything begins. No process is started. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { findWorkflow } from "../../src/adapters/library/find.ts";
import { parseFound } from "../../src/adapters/library/load.ts";
import { parsed, scene, type Scene } from "./acting-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await scene({ Makefile: "lint:\n\ttrue\ntest:\n\ttrue\n" });
  const config = join(on.env["HOME"] ?? "", ".config/signalbox/config.yaml");
  mkdirSync(dirname(config), { recursive: true });
  const gone = (name: string): string => `${name}: { command: ["no-such-${name}"] }`;
  writeFileSync(
    config,
    `harnesses: { claude: { driver: command, command: ["true"] }, codex: { driver: command, command: ["true"] }, ${gone("one")}, ${gone("two")} }\n`,
  );
  const found = await parseFound(findWorkflow("staged", { cwd: on.repo, home: "" }));
  if (!found.ok) throw new Error("staged is broken");
  await on.withStore((store) =>
    store.commit([{ type: "define", hash: found.workflow.hash(), definition: found.workflow.definition }]),
  );
});

async function begins(line: readonly string[]): Promise<string> {
  const answer = await on.say(["run", "staged", ...line, "--detach", "--json"]);
  const { code, message, next } = parsed(answer);
  return answer.code === 0
    ? "begins"
    : `${answer.code} ${String(code)}: ${String(message)} | ${String(next)}`;
}

const runs = (): Promise<number> =>
  on.withStore(async (store) => (await store.list({ limit: 100 })).rows.length);

describe("what is to be done", () => {
  const said = (more = ""): string =>
    `2 no-goal: say what staged is to do: its goal is empty | signalbox run staged 'What is to be done' --detach${more}`;
  test.for<[line: readonly string[], said: string]>([
    [[], said()],
    [[""], said()],
    [[" \n "], said()],
    [["--no-test", "--param", "tries=2"], said(" --no-test --param tries=2")],
    [["--stage", "PLAN"], said(" --stage PLAN")],
    [["--param", "goal="], said()],
    // What is typed as a parameter comes before the goal.
    [["A", "--param", "goal= "], said()],
    [["A"], "begins"],
    [["--param", "goal=A"], "begins"],
    [["", "--param", "goal=A"], "begins"],
  ])("run staged %o", async ([line, expected]) => {
    const before = await runs();
    expect(await begins(line)).toBe(expected);
    expect((await runs()) - before).toBe(expected === "begins" ? 1 : 0);
  });
});

test.for<[param: string, what: string]>([
  ["plan_fixes=9", "a whole number from 0 to 3, not 9"],
  ["block=all", "one of low, medium, high, not all"],
])("a parameter that does not fit: %s", async ([param, what]) => {
  const [name = ""] = param.split("=");
  expect(await begins(["A", "--param", param])).toBe(
    `2 invalid: parameter ${name} is ${what} | signalbox config staged`,
  );
});

describe("agents whose program is not there", () => {
  const said = (harness: string, who: string, options: readonly string[]): string =>
    `2 no-program: no-such-${harness} is not installed, or not on the PATH: the ${who} it. Installed here: claude, codex | install it, or choose another one: ${options.map((name) => `--param ${name}=claude`).join(" ")}; signalbox doctor says which are there`;
  test.for<[params: readonly string[], said: string]>([
    [["plan_reviewer=one"], said("one", "plan-reviewer calls", ["plan_reviewer"])],
    [
      ["plan_reviewer=one", "test_reviewer=two", "final_reviewer=one"],
      said("one", "plan-reviewer and final-reviewer call", ["plan_reviewer", "final_reviewer"]),
    ],
    // Those who do the tasks are agents of other runs, which begin hours later.
    [["hard_harness=two"], said("two", "worker of tasks calls", ["hard_harness"])],
    [["scoring=false", "hard_harness=two"], "begins"],
    [["implement_stage=false", "easy_harness=two"], "begins"],
    [
      ["easy_harness=three"],
      '2 unknown-harness: there is no harness "three"; there are claude, codex, gemini, one, opencode, two | signalbox doctor',
    ],
  ])("%o", async ([params, expected]) => {
    const before = await runs();
    expect(await begins(["A", ...params.flatMap((param) => ["--param", param])])).toBe(expected);
    expect((await runs()) - before).toBe(expected === "begins" ? 1 : 0);
  });
});

test("with all agents at work, a run begins and its first agent waits", async () => {
  expect((await on.say("project update --agents 1")).code).toBe(0);
  await begins(["A"]);
  expect(await begins(["B it", "--no-test"])).toBe("begins");
});
