/** Files of the work that the engine looks at: what is bound to them is stale when they change, and only then; so is a waiver. */

import { expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { HUMAN } from "../support/play.ts";

const FILE = `$schema: workflow-1.schema.json
name: files
title: Files of the work
params:
  documents: { text: "*.md" }
artifacts:
  source: { files: { besides: $documents } }
  guides: { files: { paths: [AGENTS.md] } }
  review: { in: review.md, file: true, by: human, bind: source }
  other: { in: other.md, file: true, by: human, bind: source }
states:
  open: { waits: true }
  guided: { final: done }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human, reserve: place }
  - { from: open, to: guided, by: engine, when: { guides.found: 1 } }
  - { from: open, to: closed, by: human, need: [review, other] }
`;

function parsed(): Workflow {
  const read = parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(FILE), prompts: {} });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.workflow;
}

/** What the work is, and what it is besides documents. */
type Work = { tree: string; source: string };

async function played(
  act: (scene: Scene, work: Work, show: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const workflow = parsed();
  const work = { tree: "t1", source: "s1" };
  const asked: string[] = [];
  const workspaces: object = {
    digest: () => Promise.resolve(work.tree),
    besides: (_path: string, of: { tree: string; rules: string }) => {
      asked.push(`${of.tree} ${of.rules}`);
      return Promise.resolve(work.source);
    },
    requireDeliverable: () => Promise.resolve(),
    snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
  };
  const show = async (scene: Scene): Promise<string> =>
    `${standingOf(workflow, await scene.run(), "review")} ${standingOf(workflow, await scene.run(), "other")}, asked ${asked.length}`;
  await dispatching(
    workflow,
    async (scene) => {
      await scene.begin({ documents: "*.md" });
      await scene.work();
      scene.put({ "review.md": "good", "other.md": "good" });
      await handIn(scene);
      await act(scene, work, () => show(scene));
    },
    { workspaces } as object,
  );
}

const look = (scene: Scene): Promise<void> => scene.ask((at) => ({ type: "observed", at }));

async function handIn({ works }: Scene): Promise<void> {
  const done = await submit(works, {
    run: "r1",
    by: HUMAN,
    event: ({ at, readings = [], tree = "" }) => ({
      type: "submitted",
      by: HUMAN,
      at,
      tree,
      readings: readings.filter(({ artifact }) => artifact === "review" || artifact === "other"),
    }),
  });
  expect(done.type).toBe("accepted");
}

test("what is bound to the work besides documents is stale when that changes, and only then", async () => {
  await played(async (scene, work, show) => {
    expect(await show()).toBe("valid valid, asked 1");
    // A document.
    work.tree = "t2";
    await look(scene);
    expect(await show()).toBe("valid valid, asked 2");
    await look(scene);
    expect(await show()).toBe("valid valid, asked 2");
    Object.assign(work, { tree: "t3", source: "s2" });
    await look(scene);
    expect(await show()).toBe("stale stale, asked 3");
    await scene.ask((at) => ({ type: "waived", by: HUMAN, at, artifact: "review", reason: "known" }));
    expect(await show()).toBe("waived stale, asked 3");
    work.tree = "t4";
    await look(scene);
    expect(await show()).toBe("waived stale, asked 4");
    Object.assign(work, { tree: "t5", source: "s3" });
    await look(scene);
    expect(await show()).toBe("stale stale, asked 5");
  });
});

test("of a work that cannot be looked at nothing is known", async () => {
  await played(async (scene, work, show) => {
    work.tree = "";
    await look(scene);
    expect(await show()).toBe("stale stale, asked 1");
  });
});

test("how many files there are moves a run", async () => {
  await played(async (scene) => {
    expect((await scene.run()).state).toBe("open");
    scene.put({ "AGENTS.md": "x" });
    await look(scene);
    expect((await scene.run()).state).toBe("guided");
  });
});
