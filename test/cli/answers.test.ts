/**
 * What every command owes to programs: with `--json` exactly one document on stdout, as its published schema has it, in success
 * and in failure, with an exit code that means something.
 *
 * A command without a schema, or without a line here for each of the two, fails.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { run } from "../../src/cli/run.ts";
import { ANSWERS, answersSchema } from "../../src/format/answers/answers.ts";
import { folderWith, tiny } from "./calling.ts";

const EXITS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const ESCAPE = "\u001B";

type World = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
type Case = { readonly good: readonly string[]; readonly bad: readonly string[] };

const cwd = folderWith({ "tiny.yaml": tiny("tiny"), "broken.yaml": "name: [\n" });
const world: World = { cwd, env: {} };

const CASES: Readonly<Record<string, Case>> = {
  check: { good: ["check tiny.yaml"], bad: ["check broken.yaml", "check no-such"] },
  graph: { good: ["graph tiny.yaml"], bad: ["graph broken.yaml"] },
  simulate: { good: ["simulate tiny.yaml --seed 1"], bad: ["simulate tiny.yaml --seed x"] },
  workflows: { good: ["workflows"], bad: ["workflows tiny"] },
  eject: { good: ["eject task"], bad: ["eject task", "eject no-such"] },
  schema: { good: ["schema"], bad: ["schema x"] },
};

test("every command has a schema and is tried here, and nothing else has", () => {
  const commands = Object.keys(COMMANDS).toSorted();
  expect(Object.keys(ANSWERS).toSorted()).toEqual(commands);
  expect(Object.keys(CASES).toSorted()).toEqual(commands);
});

test("the published schemas are current: npm run schema", () => {
  const published = readFileSync(new URL("../../schema/answers-1.schema.json", import.meta.url), "utf8");
  expect(`${JSON.stringify(answersSchema(), undefined, 2)}\n`).toBe(published);
});

describe.for(Object.entries(CASES))("%s", ([name, { good, bad }]) => {
  test.for(good)("%s", async (line) => {
    const { code } = await documentOf(name, line, world);
    expect(code).toBe(0);
  });

  test.for([...bad, `${name} --no-such-option`])("%s is refused", async (line) => {
    const { code, document } = await documentOf(name, line, world);
    expect(EXITS).toContain(code);
    expect(code).not.toBe(0);
    expect(document).toMatchObject({ ok: false });
    expect(document["next"]).not.toBe("");
  });

  test("--help", async () => {
    const { code, document } = await documentOf(name, `${name} --help`, world);
    expect(code).toBe(0);
    expect(document["help"]).toMatch(new RegExp(`Examples?:\n  signalbox ${name}\\b`));
    expect(COMMANDS[name]?.example).toMatch(new RegExp(`^signalbox ${name}\\b`));
  });
});

/** One call, held to everything that all of them promise. */
async function documentOf(
  name: string,
  line: string,
  { cwd: folder, env }: World,
): Promise<{ code: number; document: Record<string, unknown> }> {
  const argv = line.split(" ");
  const { code, stdout, stderr } = await run([...argv, "--json"], { cwd: folder, env });
  const document = JSON.parse(stdout) as Record<string, unknown>;
  expect(ANSWERS[name]?.safeParse(document).error?.issues).toBeUndefined();
  expect(document["ok"]).toBe(code === 0);
  expect(stdout + stderr).not.toContain(ESCAPE);
  // Talk is for people; a stack trace is for nobody.
  expect(stderr).toBe("");
  return { code, document };
}
