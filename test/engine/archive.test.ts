/** A run is archived over the real store and real files: what is noted, what is put in place, what is refused, and where its files are then. */

import { claim, settle } from "../support/effects.ts";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileArchives } from "../../src/adapters/archive/archives.ts";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Works } from "../../src/engine/box.ts";
import { perform } from "../../src/engine/effects/perform.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { AT, HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(`$schema: workflow-1.schema.json
name: change
title: A change is merged and archived
params:
  change: { text: "" }
artifacts:
  proposal: { in: "changes/{change}/proposal.md", document: [Summary, Specs], lists: { specs: Specs }, by: human }
  merged: { in: "changes/{change}/merged/{slot}.md", file: true, every: proposal.specs, by: human }
  base: { fact: base-noted, fresh: noting }
  archived: { fact: archived, fresh: archiving }
  unarchived: { fact: archive-refused, fresh: archiving }
archive:
  each: proposal.specs
  from: changes/{change}/merged/{slot}.md
  into: specs/{slot}.md
  log: specs/CHANGELOG.md
  entry: proposal.Summary
  folder: changes/{change}
  to: archive/{date}-{change}
states:
  planning: { waits: true }
  noting: { enter: [perform note-base] }
  merging: { waits: true }
  archiving: { enter: [perform archive] }
  blocked: { waits: true }
  over: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: planning, by: human, reserve: place }
  - { from: [planning, blocked], to: noting, by: human, need: proposal }
  - { from: noting, to: merging, by: engine, when: { base: holds } }
  - { from: merging, to: archiving, by: human, need: [proposal, base] }
  - { from: archiving, to: over, by: engine, when: { archived: holds } }
  - { from: archiving, to: blocked, by: engine, when: { unarchived: holds } }
  - { from: [planning, noting, merging, archiving, blocked], to: dropped, by: human }
projection:
  - { file: "changes/{change}/STATE.yaml", as: yaml, data: { state: { from: run.state } } }
  - { file: "changes/{change}/state.json", as: json, data: { state: { from: run.state } } }
`);

const PROPOSAL = "# X\n\n## Summary\n\nKeys can be *renewed*.\n\n## Specs\n\n- auth\n- keys\n";
const DATE = AT.slice(0, 10);
const FOLDER = `archive/${DATE.replaceAll("-", "")}-x`;

let folder = "";
let repo = "";
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-change-"));
  repo = join(folder, "repo");
  mkdirSync(repo);
  store = openStore(homeAt(join(folder, "state")));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function works(): Works {
  const home = homeAt(join(folder, "state"));
  const some = {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    artifacts: fileArtifacts(store),
    workspaces: {
      digest: () => Promise.resolve("t1"),
      requireDeliverable: () => Promise.resolve(),
      snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
    },
    settings: () => Promise.resolve({ workspace: { message: "{goal}" } }),
    branches: { checkout: () => Promise.resolve({ base: "b1" }), branchAt: () => "main" },
    archives: fileArchives,
    folders: (run: string) => runFolders(home, run),
    workflow: () => WORKFLOW,
    log: () => undefined,
  };
  return some as unknown as Works;
}

function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, name)), { recursive: true });
    writeFileSync(join(repo, name), text);
  }
}

const read = (name: string): string => readFileSync(join(repo, name), "utf8");

async function move(to: string): Promise<void> {
  const moved = await submit(works(), {
    run: "r1",
    by: HUMAN,
    event: ({ at, kept: _kept, ...facts }) => ({ type: "move-asked", by: HUMAN, at, to, ...facts }),
  });
  if (moved.type !== "accepted") throw new Error(JSON.stringify({ ...moved, run: "" }));
}

/** Does what was ordered since the last time, as the supervisor does. Gives what each said. */
async function work(): Promise<string[]> {
  const said: string[] = [];
  for (const row of await store.deeds("r1")) {
    if (row.status !== "pending") continue;
    await claim(store, row.key, { fence: 0, leaseUntil: Number.MAX_SAFE_INTEGER });
    said.push(await perform(works(), row));
    await settle(store, row.key, { fence: 0, outcome: { type: "done", note: "" } });
  }
  return said;
}

const held = async (name: string): Promise<unknown> =>
  (await store.load("r1"))?.run.held[name]?.reading.fields;
const state = async (): Promise<string> => (await store.load("r1"))?.run.state ?? "";

async function planned(files: Readonly<Record<string, string>> = {}, proposal = PROPOSAL): Promise<void> {
  put({ "specs/auth.md": "# Auth\n", ...files });
  const birth = { workflow: "change", goal: "X", repo, base: "b1" };
  await begin(works(), { run: "r1", by: HUMAN, workflow: WORKFLOW, birth, params: { change: "x" } });
  await work();
  put({ "changes/x/proposal.md": proposal });
  await move("noting");
  await work();
}

const MERGED = { "changes/x/merged/auth.md": "# Auth, new\n", "changes/x/merged/keys.md": "# Keys\n" };

test("everything is put in place, the log gets its entry, and the run's files are where its folder is", async () => {
  await planned({ "specs/CHANGELOG.md": "# Log\n\nWhat was done.\n\n## 2020-01-01 first\n\nIt began.\n" });
  const base = JSON.parse(((await held("base")) as { base: string }).base) as Record<string, string>;
  expect(base["auth"]).toMatch(/^sha256:/);
  expect(base["keys"]).toBe("none");
  put(MERGED);
  await move("archiving");
  expect(await work()).toContain(FOLDER);
  expect([await state(), await held("archived")]).toEqual(["over", { folder: FOLDER }]);
  expect([read("specs/auth.md"), read("specs/keys.md")]).toEqual(["# Auth, new\n", "# Keys\n"]);
  expect(read("specs/CHANGELOG.md")).toBe(
    `# Log\n\nWhat was done.\n\n## ${DATE} x\n\nKeys can be *renewed*.\n\n## 2020-01-01 first\n\nIt began.\n`,
  );
  expect(existsSync(join(repo, "changes/x"))).toBe(false);
  expect(readdirSync(join(repo, FOLDER)).toSorted()).toEqual([
    "STATE.yaml",
    "merged",
    "proposal.md",
    "state.json",
  ]);
  expect(read(`${FOLDER}/STATE.yaml`)).toContain("state: over");
  expect(JSON.parse(read(`${FOLDER}/state.json`))).toEqual({ state: "over" });
  // Nobody has edited anything: what is told is that it is archived.
  expect((await store.notes("r1")).map(({ text }) => text)).toEqual([`it is archived in ${FOLDER}`]);
  const [reading] = await works().artifacts.read({
    root: repo,
    run: (await store.load("r1"))?.run ?? (undefined as never),
    workflow: WORKFLOW,
  });
  expect(reading).toMatchObject({ artifact: "proposal", found: true });
});

test("done again, after whoever died, it finds its own work and tells it once", async () => {
  await planned();
  put(MERGED);
  await move("archiving");
  const row = (await store.deeds("r1")).findLast(({ deed }) => deed.type === "perform");
  if (row === undefined) throw new Error("nothing was ordered");
  for (let times = 0; times < 3; times += 1) expect(await perform(works(), row)).toBe(FOLDER);
  expect([await state(), (await store.notes("r1")).length]).toEqual(["over", 1]);
  expect(read("specs/CHANGELOG.md")).toBe(`# Changelog\n\n## ${DATE} x\n\nKeys can be *renewed*.\n`);
  expect(readdirSync(join(repo, "archive"))).toEqual([FOLDER.slice("archive/".length)]);
});

test.for<[string, Readonly<Record<string, string>>, string, RegExp]>([
  [
    "a spec that somebody has changed",
    { "specs/auth.md": "# Theirs\n" },
    "specs/auth.md",
    /is not what it was/,
  ],
  ["a spec that somebody has made", { "specs/keys.md": "# Theirs\n" }, "specs/keys.md", /none was noted/],
])(
  "%s is not replaced; both sides are kept; noted anew, it is tried again",
  async ([, theirs, file, reason]) => {
    await planned();
    put({ ...MERGED, ...theirs });
    await move("archiving");
    await work();
    expect(await state()).toBe("blocked");
    const told = (await held("unarchived")) as Record<"reason" | "file" | "base" | "now", string>;
    expect(told.file).toBe(file);
    expect(told.reason).toMatch(reason);
    expect(readFileSync(told.now, "utf8")).toBe("# Theirs\n");
    expect(told.base === "none" ? "none" : readFileSync(told.base, "utf8")).toBe(
      file === "specs/auth.md" ? "# Auth\n" : "none",
    );
    expect([read(file), existsSync(join(repo, "archive"))]).toEqual(["# Theirs\n", false]);
    await move("noting");
    await work();
    await move("archiving");
    await work();
    expect([await state(), read("specs/auth.md"), read("specs/keys.md")]).toEqual([
      "over",
      "# Auth, new\n",
      "# Keys\n",
    ]);
  },
);

test.for<[string, () => void, RegExp]>([
  [
    "there is no new text",
    () => rmSync(join(repo, "changes/x/merged/keys.md")),
    /there is no changes\/x\/merged\/keys.md/,
  ],
  [
    "the new text is not the one that was looked at",
    () => put({ "changes/x/merged/keys.md": "# Nobody has read this\n" }),
    /merged is not what it was when it was handed in/,
  ],
  [
    "the log is no text",
    () => writeFileSync(join(repo, "specs/CHANGELOG.md"), Buffer.from([0xff])),
    /is not valid UTF-8/,
  ],
])("%s: nothing is changed, and the reason is told", async ([, spoil, reason]) => {
  await planned();
  put(MERGED);
  await move("archiving");
  spoil();
  await work();
  expect([await state(), read("specs/auth.md"), existsSync(join(repo, "archive"))]).toEqual([
    "blocked",
    "# Auth\n",
    false,
  ]);
  expect(((await held("unarchived")) as { reason: string }).reason).toMatch(reason);
});

test("a text that is called like the log is not put in place of it", async () => {
  const proposal = PROPOSAL.replace("- keys", "- changelog");
  await planned({}, proposal);
  put({ ...MERGED, "changes/x/merged/changelog.md": "# Log\n" });
  await move("archiving");
  await work();
  expect([await state(), existsSync(join(repo, "archive"))]).toEqual(["blocked", false]);
  expect(((await held("unarchived")) as { reason: string }).reason).toBe(
    "specs/changelog.md cannot be told from specs/CHANGELOG.md, which is the log",
  );
});

test("called off before it is done, everything is put back", async () => {
  await planned();
  put(MERGED);
  await move("archiving");
  const row = (await store.deeds("r1")).findLast(({ deed }) => deed.type === "perform");
  const desk = `${works().folders("r1").archive}/put-${(await store.load("r1"))?.run.entry}`;
  if (row === undefined) throw new Error("nothing was ordered");
  const at = { root: repo, folder: "changes/x", to: FOLDER };
  const base = fileArchives.look(repo, "specs/auth.md").digest;
  fileArchives.plan(desk, { ...at, files: [{ file: "specs/auth.md", base, bytes: Buffer.from("# New\n") }] });
  fileArchives.put(desk);
  expect(read("specs/auth.md")).toBe("# New\n");
  await move("dropped");
  expect(await perform(works(), row)).toBe("the run was cancelled before");
  expect([read("specs/auth.md"), existsSync(join(repo, "changes/x/proposal.md"))]).toEqual([
    "# Auth\n",
    true,
  ]);
});
