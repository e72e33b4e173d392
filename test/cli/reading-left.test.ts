/** What `show` says of a run that is over, and of one whose agents have come and gone. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { fromText } from "../support/workflows.ts";
import { AT, machine, PERSON, type Machine } from "./reading-support.ts";

const PARCEL = fromText(`$schema: ../schema/workflow-1.schema.json
name: parcel
title: A parcel is closed and sent
artifacts:
  closed: { fact: committed, fresh: run }
  sent: { fact: pull-request-opened, fresh: run }
  back: { fact: pull-request-refused, fresh: run }
states:
  packing: { waits: true }
  away: { final: done }
moves:
  - { from: start, to: packing, by: human }
  - { from: packing, to: away, by: human }
`);

const REPORTED = fromText(`$schema: ../schema/workflow-1.schema.json
name: reported
title: What was done is written down
params: { session: { text: out } }
states:
  packing: { waits: true }
  away: { final: done }
moves:
  - { from: start, to: packing, by: human }
  - { from: packing, to: away, by: human }
projection:
  - { file: "{session}/report.md", as: sections, data: { Done: { from: run.state } } }
  - { file: state.json, as: json, data: { state: { from: run.state } } }
`);

const NOTED = fromText(`$schema: ../schema/workflow-1.schema.json
name: noted
title: A note is written
artifacts:
  note: { in: NOTE.md, file: true, by: human }
states:
  packing: { waits: true }
  away: { final: done }
moves:
  - { from: start, to: packing, by: human }
  - { from: packing, to: away, by: human, need: note }
`);

const COMMIT = "f69cfb1021ddf2016624049cb34fff7f5671b13c";
const LOOK = "git -C REPO log --patch c0ffee..signalbox/k";
const MERGE = "git -C REPO merge signalbox/k";

test.for<[facts: Record<string, Record<string, Literal>>, rows: readonly string[], typed: readonly string[]]>(
  [
    [{}, [], []],
    [
      { closed: { commit: COMMIT, made: true } },
      ["commit     f69cfb1021dd on the branch signalbox/k"],
      [LOOK, MERGE],
    ],
    [
      { closed: { commit: COMMIT, made: true }, sent: { url: "https://x/1", commit: COMMIT } },
      ["commit        f69cfb1021dd on the branch signalbox/k", "pull request  https://x/1"],
      [LOOK],
    ],
    [
      { closed: { commit: COMMIT, made: true }, back: { reason: "there is no remote" } },
      ["commit           f69cfb1021dd on the branch signalbox/k", "no pull request  there is no remote"],
      [LOOK, MERGE],
    ],
    [
      { closed: { commit: COMMIT, made: false } },
      [`commit     none: there was nothing to commit, and signalbox/k is at ${COMMIT}`],
      [],
    ],
  ],
)("over, told %o", async ([facts, rows, typed]) => {
  const on = await machine(PARCEL);
  await on.begin("k");
  await on.store.commit([{ type: "put-workspace", workspace: WORKSPACE }]);
  await on.happen("k", { type: "observed", at: AT, readings: Object.entries(facts).map(reading) });
  expect((await shown(on)).choices).toEqual(["signalbox move k away"]);
  await on.happen("k", { type: "move-asked", by: PERSON, at: AT, to: "away" });
  const { text, choices } = await shown(on);
  expect(choices).toEqual(typed);
  expect(text.split("\n").filter((line) => /^(commit|pull|no pull)/.test(line))).toEqual(rows);
});

test("over, with a branch that a shell would read as commands", async () => {
  const on = await machine(PARCEL);
  await on.begin("k");
  await on.store.commit([{ type: "put-workspace", workspace: { ...WORKSPACE, branch: "x;touch$IFS'y'" } }]);
  const readings = [reading(["closed", { commit: COMMIT, made: true }])];
  await on.happen("k", { type: "observed", at: AT, readings });
  await on.happen("k", { type: "move-asked", by: PERSON, at: AT, to: "away" });
  const word = String.raw`'x;touch$IFS'\''y'\'''`;
  expect((await shown(on)).choices).toEqual([
    `git -C REPO log --patch c0ffee..${word}`,
    `git -C REPO merge ${word}`,
  ]);
});

test("over, with a page for people", async () => {
  const on = await machine(REPORTED);
  await on.begin("k");
  await on.store.commit([{ type: "put-workspace", workspace: WORKSPACE }]);
  const file = join(runFolders(on.home, "k").files, "out/report.md");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "## Done\n");
  expect((await shown(on)).text).not.toContain("report.md");
  await on.happen("k", { type: "move-asked", by: PERSON, at: AT, to: "away" });
  expect((await shown(on)).text).toMatch(new RegExp(`^report.md +${file}$`, "m"));
});

test("over, with an artifact and without a branch", async () => {
  const on = await machine(NOTED);
  await on.begin("k");
  await on.store.commit([{ type: "put-workspace", workspace: WORKSPACE }]);
  const { files } = runFolders(on.home, "k");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "NOTE.md"), "A note\n");
  await on.happen("k", {
    type: "submitted",
    by: PERSON,
    at: AT,
    readings: [reading(["note", {}])],
  });
  expect((await shown(on)).text).not.toContain(files);
  expect((await on.call("diff k")).stdout).toContain("nothing was handed over yet");
  await on.happen("k", { type: "move-asked", by: PERSON, at: AT, to: "away" });
  const { text } = await shown(on);
  expect(text).toMatch(new RegExp(`^files +${files}$`, "m"));
  expect(text).not.toContain("signalbox/k");
  expect((await on.call("diff k")).stdout).toContain(`it has changed nothing; its artifacts are in ${files}`);
});

const WORKSPACE = {
  run: "k",
  path: "/gone",
  repo: "/repo",
  branch: "signalbox/k",
  base: "c0ffee",
  status: "released",
  salvage: "",
  kept: "",
} as const;

function reading([artifact, fields]: [string, Record<string, Literal>]) {
  return { artifact, slot: "", found: true, digest: artifact, faults: [], fields, lists: {} };
}

async function shown(on: Machine): Promise<{ text: string; choices: readonly string[] }> {
  const { actions, repo } = await on.data("show k");
  const typed = (actions as { command: string }[]).map(({ command }) => command);
  return {
    text: (await on.call("show k")).stdout,
    choices: typed.map((line) => line.replace(String(repo), "REPO")),
  };
}

test("with --verbose, nobody waits for agents that have ended", async () => {
  const on = await machine();
  await on.begin("k");
  await on.agent("k", { status: "ended", exit: 1 });
  await on.happen("k", {
    type: "agent-ended",
    at: AT,
    role: "worker",
    slot: "",
    attempt: 1,
    cause: "exited",
  });
  await on.happen("k", { type: "respawn-asked", by: PERSON, at: AT, role: "worker" });
  await on.agent("k");
  const { waits, agents } = await on.data("show k --verbose");
  expect([(waits as { sentence: string }).sentence, (agents as unknown[]).length]).toEqual([
    "Waits for the worker.",
    2,
  ]);
});
