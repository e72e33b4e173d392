/** Texts that a run begins with where nobody brings them: made of what the person has said. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { begunTexts } from "../../src/app/start/initial-texts.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { session } from "../support/orchestrated.ts";
import { scene, type Scene } from "./acting-support.ts";

const PAPER = `$schema: workflow-1.schema.json
name: paper
title: A paper that begins with what its author has said
params:
  goal: { text: "" }
  session: { text: "", named: goal }
  mode: { enum: [full, lean], default: full }
artifacts:
  draft: { in: "work/{session}/draft.md", document: [Goal], by: human, begin: { when: { mode: lean }, as: sections, data: { Goal: { each: lines.goal, give: { from: item.text } } } } }
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human, need: draft }
`;

let on: Scene;
beforeAll(async () => {
  on = await scene({ ".signalbox/workflows/paper/workflow.yaml": PAPER, "mine.md": "## Goal\n\nMine.\n" });
});

test.for<[line: readonly string[], text: string | undefined]>([
  [["--lean"], "## Goal\n\n- Write it\n"],
  [["--lean", "--with", "draft=mine.md"], "## Goal\n\nMine.\n"],
  [[], undefined],
])("%j: %j", async ([line, text]) => {
  const { code, stdout, stderr } = await on.say(["run", "paper", "Write it", ...line, "--detach", "--quiet"]);
  if (code !== 0) throw new Error(stderr);
  const run = await on.withStore(async (store) => (await store.load(stdout.trim()))?.run);
  const held = run?.held["draft"];
  expect(held?.reading.found ?? false).toBe(text !== undefined);
  if (text === undefined) return;
  expect(held?.by).toBe("human");
  const file = join("files", "work", String(run?.params["session"]), "draft.md");
  expect(readFileSync(join(on.home.root, "runs", stdout.trim(), file), "utf8")).toBe(text);
});

const texts = (params: Readonly<Record<string, Literal>>): Record<string, string> =>
  Object.fromEntries(begunTexts(session, params, []).map(({ artifact, text }) => [artifact, text()]));

test.for<[criteria: string, verify: readonly (readonly string[])[]]>([
  ["", [["manual: Dates are right"]]],
  ["cmd: npm test", [["cmd: npm test"]]],
  [
    "It is quick\n\n  manual: it looks well \r\nNote: cmd: no command",
    [["manual: It is quick"], ["manual: it looks well"], ["manual: Note: cmd: no command"]],
  ],
])("a lean session with the criteria %j has %j", ([criteria, verify]) => {
  const all = texts({ mode: "lean", goal: "Dates are right", criteria, session: "s" });
  expect(Object.keys(all)).toEqual(["lean-spec", "acceptance", "todo"]);
  const made = JSON.parse(all["acceptance"] ?? "") as { acceptance_criteria: { verify: string[] }[] };
  expect(made.acceptance_criteria.map((each) => each.verify)).toEqual(verify);
  expect(made.acceptance_criteria[0]).toMatchObject({ id: "AC-001" });
  for (const [name, text] of Object.entries(all)) {
    const artifact = session.definition.artifacts[name];
    if (artifact === undefined) throw new Error(name);
    const bytes = new TextEncoder().encode(text);
    expect(readArtifact(name, artifact, { file: artifact.file, bytes, slot: "" }).faults).toEqual([]);
  }
});

test("a full session begins with nothing", () => {
  expect(texts({ mode: "full", goal: "Dates are right", criteria: "cmd: npm test" })).toEqual({});
});
