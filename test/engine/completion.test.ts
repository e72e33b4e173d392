/** Deeds by name over the real store and real files: which texts they take, whom they tell, and what is left to people. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Works } from "../../src/engine/box.ts";
import { perform } from "../../src/engine/effects/perform.ts";
import type { Completion, Opened, Tagged } from "../../src/engine/ports/completion.ts";
import type { DeedRow } from "../../src/engine/ports/outbox.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { AT, HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const definition = (facts: string): Workflow =>
  fromText(`$schema: workflow-1.schema.json
name: parcel
title: A parcel is closed and sent
params:
  without: { text: "straw/" }
  mark: { text: "" }
artifacts:
  label: { in: label.json, json: true, by: human }
  closed: { fact: committed, fresh: closing }
  sent: { fact: pull-request-opened, fresh: sending }
  marked: { fact: tagged, fresh: closing }
${facts}
states:
  packing: { waits: true }
  closing: { waits: true, title: Being closed, enter: [perform commit from label without $without, perform tag from label as $mark] }
  sending: { waits: true, enter: [perform pull-request from label, perform notify] }
  away: { final: done }
  bin: { final: cancelled }
  lost: { final: failed }
moves:
  - { from: start, to: packing, by: human }
  - { from: packing, to: closing, by: human }
  - { from: closing, to: sending, by: human }
  - { from: sending, to: away, by: human }
  - { from: [packing, closing, sending], to: bin, by: human }
  - { from: [packing, closing, sending], to: lost, by: human }
`);

const TELLING = definition(`  back: { fact: pull-request-refused, fresh: sending }
  unmarked: { fact: tag-refused, fresh: closing }`);
const SILENT = definition("");

let folder = "";
let store: Store;
let workflow = TELLING;
let calls: unknown[] = [];
let opened: Opened = { type: "opened", url: "https://x/1", commit: "abc" };
let tagged: Tagged = { type: "tagged", tag: "v1", commit: "abc" };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-parcel-"));
  store = openStore(homeAt(join(folder, "state")));
  await store.commit([
    {
      type: "put-project",
      project: {
        repo: "/repo",
        name: "repo",
        defaultBranch: "main",
        agents: 2,
        remote: "https://x/o/n",
      },
    },
  ]);
  [workflow, calls, opened] = [TELLING, [], { type: "opened", url: "https://x/1", commit: "abc" }];
  tagged = { type: "tagged", tag: "v1", commit: "abc" };
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function worksOf(): Works {
  const completion: Completion = {
    commit: (of) => Promise.resolve((calls.push(of), { commit: "abc", made: true, tree: "t1" })),
    open: (of) => Promise.resolve((calls.push(of), opened)),
    tag: (of) => Promise.resolve((calls.push(of), tagged)),
  };
  const some = {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    artifacts: fileArtifacts(store),
    workspaces: { digest: () => Promise.resolve("t1"), requireDeliverable: () => Promise.resolve() },
    folders: () => ({ files: folder, agents: folder, checks: folder, archive: folder, kept: folder }),
    workflow: () => workflow,
    settings: () => Promise.resolve({ notify: ["bell"], workspace: { message: "{goal}" } }),
    notifier: { ask: (of: unknown) => Promise.resolve(void calls.push(of)) },
    completion,
    log: () => undefined,
  };
  return some as unknown as Works;
}

const LABEL = JSON.stringify({ commitMessage: "Close it", title: "It", body: "y".repeat(5000) });

/** A parcel in a state, with what that state has ordered. */
async function parcel(
  to: "closing" | "sending",
  label = LABEL,
  params: Readonly<Record<string, string>> = {},
): Promise<DeedRow[]> {
  const works = worksOf();
  const birth = { workflow: "parcel", goal: "A parcel", repo: "/repo", base: "base" };
  await begin(works, { run: "r1", by: HUMAN, workflow, birth, params });
  const [repo, branch, path] = ["/repo", "work", folder];
  await store.commit([
    {
      type: "put-workspace",
      workspace: { run: "r1", repo, path, branch, base: "base", status: "bound", salvage: "", kept: "" },
    },
  ]);
  writeFileSync(join(folder, "label.json"), label);
  for (const state of to === "closing" ? ["closing"] : ["closing", "sending"]) await move(state);
  return (await store.deeds("r1")).filter(({ deed }) => deed.type === "perform");
}

async function move(to: string): Promise<void> {
  const moved = await submit(worksOf(), {
    run: "r1",
    by: HUMAN,
    event: ({ at, readings = [], tree = "" }) => ({ type: "move-asked", by: HUMAN, at, to, readings, tree }),
  });
  if (moved.type !== "accepted") throw new Error(JSON.stringify(moved));
}

const fields = async (name: string): Promise<unknown> =>
  (await store.load("r1"))?.run.held[name]?.reading.fields;
const only = (deeds: readonly DeedRow[], name: string): DeedRow => {
  const found = deeds.findLast(({ deed }) => deed.type === "perform" && deed.name === name);
  if (found === undefined) throw new Error(`${name} was not ordered`);
  return found;
};

test("a commit takes its message whole, its patterns, and the work of the gate; told twice, it is told once", async () => {
  const row = only(await parcel("closing"), "commit");
  await perform(worksOf(), row);
  expect(calls).toEqual([
    {
      run: "r1",
      repo: "/repo",
      path: folder,
      tree: "t1",
      artifacts: ["label.json"],
      exclude: "straw/",
      message: "Close it",
    },
  ]);
  expect(await fields("closed")).toEqual({ commit: "abc", made: true });
  const { length } = await store.events("r1");
  await perform(worksOf(), { ...row, tries: 2 });
  expect([(await store.events("r1")).length, (await store.notes("r1")).length]).toEqual([length, 1]);
});

test("a pull request takes title and body whole, for the project's branch and remote", async () => {
  const row = only(await parcel("sending"), "pull-request");
  expect(await perform(worksOf(), row)).toBe("https://x/1");
  expect(calls).toMatchObject([
    { branch: "work", remote: "https://x/o/n", base: "main", title: "It", body: "y".repeat(5000) },
  ]);
  expect([await fields("sent"), await fields("back")]).toEqual([
    { url: "https://x/1", commit: "abc" },
    undefined,
  ]);
});

test.for<[string, Workflow, string]>([
  ["told to a workflow that has a word for it", TELLING, "there is no pull request: not today"],
  ["left to people by one that has none", SILENT, "signalbox why r1"],
])("what cannot be opened is %s", async ([, of, answer]) => {
  workflow = of;
  opened = { type: "refused", reason: "not today" };
  const row = only(await parcel("sending"), "pull-request");
  const said = await perform(worksOf(), row).catch((error: unknown) =>
    error instanceof Error && "next" in error ? error.next : error,
  );
  expect(said).toBe(answer);
  expect(await fields("back")).toEqual(of === TELLING ? { reason: "not today" } : undefined);
});

test("a tag is called as a person has said, and takes the message of the commit", async () => {
  const row = only(await parcel("closing", LABEL, { mark: "v1" }), "tag");
  expect(await perform(worksOf(), row)).toBe("abc is tagged v1");
  expect(calls).toEqual([
    {
      run: "r1",
      repo: "/repo",
      tree: "t1",
      name: "v1",
      message: "Close it",
    },
  ]);
  expect([await fields("marked"), await fields("unmarked")]).toEqual([
    { tag: "v1", commit: "abc" },
    undefined,
  ]);
  const { length } = await store.events("r1");
  await perform(worksOf(), { ...row, tries: 2 });
  expect([(await store.events("r1")).length, (await store.notes("r1")).length]).toEqual([length, 1]);
});

test.for<[what: string, mark: string, of: Workflow, said: string, asked: number]>([
  ["nobody has asked", "", TELLING, "there is no tag: nobody has asked for one: mark is empty", 0],
  [
    "nobody has asked, in blanks",
    " ",
    TELLING,
    "there is no tag: nobody has asked for one: mark is empty",
    0,
  ],
  ["it is there", "v1", TELLING, "there is no tag: it is there", 1],
  ["it is there, and the workflow has no word for that", "v1", SILENT, "signalbox why r1", 1],
])("nothing is tagged: %s", async ([, mark, of, said, asked]) => {
  workflow = of;
  tagged = { type: "refused", reason: "it is there" };
  const row = only(await parcel("closing", LABEL, { mark }), "tag");
  const answer = await perform(worksOf(), row).catch((error: unknown) =>
    error instanceof Error && "next" in error ? error.next : error,
  );
  expect([answer, calls.length, await fields("marked")]).toEqual([said, asked, undefined]);
});

test.for<[string, string, () => void, string]>([
  ["the field is missing", `{"title":"x"}`, () => undefined, `label.json has no text "commitMessage"`],
  ["it is blank", `{"commitMessage":" "}`, () => undefined, `label.json has no text "commitMessage"`],
  ["it is no text", `{"commitMessage":1}`, () => undefined, `label.json has no text "commitMessage"`],
  [
    "it was changed since",
    LABEL,
    () => writeFileSync(join(folder, "label.json"), "{}"),
    "is not what it was when it was handed in",
  ],
  ["it is gone", LABEL, () => rmSync(join(folder, "label.json")), "cannot be read any more"],
  ["it is no data", "{", () => undefined, "there is no text for commit: "],
])(
  "nothing is committed without its message, and a person is told: %s",
  async ([, label, change, reason]) => {
    const row = only(await parcel("closing", label), "commit");
    change();
    await expect(perform(worksOf(), row)).rejects.toMatchObject({ next: "signalbox why r1" });
    await expect(perform(worksOf(), row)).rejects.toThrow(reason);
    expect(calls).toEqual([]);
  },
);

test.for(["bin", "lost"])("what was called off is not done: %s", async (end) => {
  const deeds = await parcel("sending");
  await move(end);
  expect(await perform(worksOf(), only(deeds, "commit"))).toBe("the run was cancelled before");
  expect(await perform(worksOf(), only(deeds, "pull-request"))).toBe("the run was cancelled before");
  expect(await perform(worksOf(), only(deeds, "tag"))).toBe("the run was cancelled before");
  expect(calls).toEqual([]);
});

test("people are told once where the run is", async () => {
  const row = only(await parcel("sending"), "notify");
  await perform(worksOf(), { ...row, tries: 1 });
  await perform(worksOf(), { ...row, tries: 2 });
  expect(calls).toEqual([{ command: ["bell"], run: "r1", id: "sending", question: "A parcel: sending" }]);
});

test("a deed that no version carries out is a person's", async () => {
  const row = only(await parcel("closing"), "commit");
  const deed = { type: "perform", name: "merge", tree: "t1", entry: 2 } as const;
  await expect(perform(worksOf(), { ...row, deed })).rejects.toMatchObject({
    next: "use a workflow without it",
  });
});
