/** A workflow of five stages, like those that people configure, begin in the middle of and go back in. No process is started. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findWorkflow } from "../../src/adapters/library/find.ts";
import { parseFound } from "../../src/adapters/library/load.ts";
import { check } from "../../src/core/check/check.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { showProblem } from "../../src/format/problem.ts";
import { scene, type Scene } from "./acting-support.ts";

const RELAY = `$schema: workflow-1.schema.json
name: relay
title: Explored, planned, built, tested and reported in stages
params:
  goal: { text: "" }
  branch: { text: "" }
  explorers: { int: [1, 10], default: 10, setting: stages.EXPLORE.maxParallelAgents }
  explore_stage: { bool: true, setting: stages.EXPLORE.enabled }
  test_stage: { bool: true, setting: stages.TEST.enabled }
  block: { enum: [low, medium, high], default: low, setting: defaults.blockOnSeverity }
  exclude: { text: ".agents/**", setting: stages.FINAL.git.excludePatterns }
  test_command: { text: "true", setting: stages.TEST.commands.test }
roles:
  explorer: { access: read }
  planner: { access: read }
  reporter: {}
artifacts:
  "1.1": { in: plan.md, tasks: markdown, by: [planner, human], fresh: PLAN }
stages:
  EXPLORE:
    enabled: $explore_stage
    stuck: stuck-explore
    phases:
      "0": { run: explorer, out: explore.md, tries: 1 }
  PLAN:
    stuck: stuck-plan
    phases:
      "1.1": { run: planner, out: { in: plan.md, tasks: markdown }, tries: 1 }
  IMPLEMENT:
    stuck: stuck-build
    phases:
      "2.1": { tasks: "1.1", workflow: one-task, failed: ask }
      "2.2": { run: reporter, out: simplified.md, tries: 1 }
  TEST:
    enabled: $test_stage
    stuck: stuck-test
    phases:
      "3.1": { check: $test_command, out: tests.txt }
  FINAL:
    stuck: stuck-final
    then: done
    phases:
      "4.1": { run: reporter, out: report.md, tries: 1 }
states:
  rewind: { ask: rewind }
  done: { final: done }
  aborted: { final: failed }
moves:
  - { from: start, to: "0", by: human, reserve: workspace }
  - { from: start, to: "1.1", by: human, reserve: workspace, when: { explore_stage: true }, waive: "0" }
  - { from: start, to: "2.1", by: human, reserve: workspace, waive: ["0", "1.1"] }
  - { from: start, to: "3.1", by: human, reserve: workspace, waive: ["0", "1.1", "2.1", "2.2"] }
  - { from: start, to: "4.1", by: human, reserve: workspace, when: { test_stage: true }, waive: ["0", "1.1", "2.1", "2.2", "3.1"] }
  - { from: ["0", "1.1", "2.1", "2.2", "3.1", "4.1"], to: rewind, by: human, remember: true, do: [stop all] }
  - { from: "1.1", to: aborted, by: human, do: [stop all, release workspace] }
  - { from: [EXPLORE-blocked, PLAN-blocked, IMPLEMENT-blocked, TEST-blocked, FINAL-blocked], to: rewind, by: human, remember: true }
asks:
  rewind:
    question: rewind
    options:
      stay: { to: origin }
      "0": { to: "0", when: { origin: ["0", "1.1", "2.1", "2.2", "3.1", "4.1", EXPLORE-blocked, PLAN-blocked, IMPLEMENT-blocked, TEST-blocked, FINAL-blocked] }, new: EXPLORE }
      "1.1": { to: "1.1", when: { origin: ["1.1", "2.1", "2.2", "3.1", "4.1", PLAN-blocked, IMPLEMENT-blocked, TEST-blocked, FINAL-blocked] }, new: PLAN }
      "2.1": { to: "2.1", when: { origin: ["2.1", "2.2", "3.1", "4.1", IMPLEMENT-blocked, TEST-blocked, FINAL-blocked] } }
      "2.2": { to: "2.2", when: { origin: ["2.2", "3.1", "4.1", IMPLEMENT-blocked, TEST-blocked, FINAL-blocked] }, new: IMPLEMENT }
      "3.1": { to: "3.1", when: { origin: ["3.1", "4.1", TEST-blocked, FINAL-blocked] } }
      "4.1": { to: "4.1", when: { origin: ["4.1", FINAL-blocked] }, new: FINAL }
      abort: { to: aborted }
  stuck-explore: { question: stuck, options: { retry: { to: origin }, restart: { to: "0", new: EXPLORE }, abort: { to: aborted } } }
  stuck-plan: { question: stuck, options: { retry: { to: origin }, restart: { to: "1.1", new: PLAN }, restart-previous: { to: "0", new: EXPLORE }, abort: { to: aborted } } }
  stuck-build: { question: stuck, options: { retry: { to: origin }, restart: { to: "2.1", new: IMPLEMENT }, restart-previous: { to: "1.1", new: PLAN }, abort: { to: aborted } } }
  stuck-test: { question: stuck, options: { retry: { to: origin }, skip: { to: "4.1", waive: "3.1" }, abort: { to: aborted } } }
  stuck-final: { question: stuck, options: { retry: { to: origin }, abort: { to: aborted } } }
projection:
  - file: status.json
    as: json
    data: { status: { from: run.progress } }
`;

const PROMPTS = ["explorer", "planner", "reporter", "rewind", "stuck"];

const RELAY_FILES: Readonly<Record<string, string>> = {
  ".signalbox/workflows/relay/workflow.yaml": RELAY,
  ...Object.fromEntries(PROMPTS.map((name) => [`.signalbox/workflows/relay/prompts/${name}.md`, "Do it.\n"])),
};

let proven: Workflow | undefined;

/** Proven once for all tests of a file: each has a home of its own, and would prove it again. */
async function provenIn(cwd: string): Promise<Workflow> {
  if (proven !== undefined) return proven;
  const parsed = await parseFound(findWorkflow("relay", { cwd, home: "" }));
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  const { defects } = check(parsed.workflow);
  if (defects.length > 0) throw new Error(defects.map(({ message }) => message).join("\n"));
  return (proven = parsed.workflow);
}

/** `config` is the repository's own, and trusted; `user` the person's. */
export async function relay(
  of: {
    readonly config?: string;
    readonly user?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<Scene> {
  const config = of.config === undefined ? {} : { ".signalbox/config.yaml": of.config };
  const on = await scene({ ...RELAY_FILES, ...config, ...of.files });
  if (of.user !== undefined) {
    const file = join(on.env["HOME"] ?? "", ".config/signalbox/config.yaml");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, of.user);
  }
  const workflow = await provenIn(on.repo);
  await on.withStore((store) =>
    store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]),
  );
  return on;
}

/** The run that this line begins. */
export async function begun(on: Scene, line: readonly string[]) {
  const { code, stdout, stderr } = await on.say(["run", "relay", ...line, "--detach"]);
  if (code !== 0) throw new Error(`${code} ${stderr}`);
  const kept = await on.withStore((store) => store.load(stdout.trim()));
  if (kept === undefined) throw new Error(`there is no run ${stdout}`);
  return { ...kept, said: stderr };
}
