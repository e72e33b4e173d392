/** What demos are made of fits to the workflows that they play: gates, answers, and what their scripts write. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import { AGENT_OUTPUTS } from "../../scripts/agent-contract.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { folderOf, loadWorkflow } from "../support/workflows.ts";

const DEMOS = join(import.meta.dirname, "../../demos");

type Gates = { readonly gates: Readonly<Record<string, { readonly yes: readonly string[] }>> };

test.for(readdirSync(DEMOS))("%s: each gate is a state, and what is answered there an option", (name) => {
  const { gates } = JSON.parse(readFileSync(join(DEMOS, name, "demo.json"), "utf8")) as Gates;
  const all = familyOf(name).map(({ definition }) => definition);
  const lost = Object.entries(gates).filter(([state, { yes }]) => {
    const own = all.find(({ states }) => Object.hasOwn(states, state));
    // Where a worker asks, the answer is in words.
    const options = own?.asks[own.states[state]?.ask ?? ""]?.options;
    const isOption = options === undefined || Object.hasOwn(options, yes[2] ?? "");
    return own === undefined || (yes[0] === "answer" && !isOption);
  });
  expect(lost).toEqual([]);
});

function familyOf(name: string): readonly Workflow[] {
  const workflow = loadWorkflow(name);
  const children = Object.values(workflow.definition.artifacts).flatMap(({ reader }) =>
    reader.type === "children" ? [reader.workflow] : [],
  );
  return [workflow, ...new Set(children)].map((one) => (typeof one === "string" ? loadWorkflow(one) : one));
}

const SESSION = ".agents-work/s";
const place = mkdtempSync(join(tmpdir(), "signalbox-demos-"));
beforeAll(() => cpSync(join(DEMOS, "orchestrated/repository"), place, { recursive: true }));
afterAll(() => rmSync(place, { recursive: true }));

/** As a run of it comes to them. */
const CALLS: [workflow: string, prompt: string, role: string, task: string, status: string][] = [
  ["orchestrated", "spec-agent", "SpecAgent", "", "OK"],
  ["orchestrated", "architect", "Architect", "", "OK"],
  ["orchestrated", "planner", "Planner", "", "OK"],
  ["orchestrated-task", "coder", "Coder", "T-001", "OK"],
  ["orchestrated-task", "reviewer", "Reviewer", "T-001", "BLOCKED"],
  ["orchestrated-task", "fix-review", "Coder", "T-001", "OK"],
  ["orchestrated-task", "reviewer", "Reviewer", "T-001", "OK"],
  ["orchestrated-task", "qa", "QA", "T-001", "OK"],
  ["orchestrated-task", "coder", "Coder", "T-002", "OK"],
  ["orchestrated-task", "security", "Security", "T-002", "OK"],
  ["orchestrated-task", "coder", "Coder", "T-003", "OK"],
  ["orchestrated-task", "reviewer", "Reviewer", "meta", "OK"],
  ["orchestrated", "integrator", "Integrator", "", "OK"],
  ["orchestrated", "docs", "Docs", "", "OK"],
];

test("orchestrated: each agent answers as its contract has it, and the checks that were planned pass", () => {
  const said = CALLS.map(([workflow, prompt, role, task]) =>
    called(join(folderOf(workflow), "prompts", `${prompt}.md`), role, task),
  );
  expect(said.flatMap((data, index) => faultsOf(data, CALLS[index]?.[2] ?? ""))).toEqual([]);
  expect(said).toMatchObject(CALLS.map(([, , , , status]) => ({ status })));

  const { artifacts } = loadWorkflow("orchestrated").definition;
  const read = ["spec", "acceptance", "architecture", "todo", "plan-shape"].map((name) => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`there is no ${name}`);
    const file = join(place, SESSION, basename(artifact.file));
    return readArtifact(name, artifact, { file, bytes: readFileSync(file), slot: "" });
  });
  expect(read.flatMap(({ faults }) => faults)).toEqual([]);
  const checks = read.flatMap(({ lists }) => lists["checks"] ?? []).filter((text) => text.startsWith("cmd:"));
  expect(checks).toHaveLength(5);
  const failed = checks.filter((text) => spawnSync("sh", ["-c", text.slice(4)], { cwd: place }).status !== 0);
  expect(failed).toEqual([]);
});

function faultsOf(said: unknown, role: string): readonly unknown[] {
  return AGENT_OUTPUTS[role]?.safeParse(said).error?.issues ?? [];
}

function called(file: string, role: string, task: string): unknown {
  const output = `${SESSION}/contract/${role}.output.json`;
  const prompt = join(place, "prompt.md");
  const text = readFileSync(file, "utf8").replaceAll("{task}", task).replaceAll("{output}", output);
  mkdirSync(dirname(join(place, output)), { recursive: true });
  writeFileSync(prompt, text.replaceAll("{attempt}", "1"));
  const env = { ...process.env, SIGNALBOX_PROMPT: prompt, DEMO_PAUSE: "0" };
  const { stderr } = spawnSync("sh", [join(DEMOS, "orchestrated/agent.sh")], {
    cwd: place,
    env,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(readFileSync(join(place, output), "utf8"));
}
