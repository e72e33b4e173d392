/** A submitted text is kept with its event; the file shows it afterwards, whoever dies or writes in between. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyRun } from "../../src/adapters/store/recovery/verify.ts";
import type { SqliteStore } from "../../src/adapters/store/open.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import type { Works } from "../../src/engine/box.ts";
import { project } from "../../src/engine/submit/project.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import type { Submission } from "../../src/engine/submit/write.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { HUMAN } from "../support/play.ts";

const FILE = `$schema: workflow-1.schema.json
name: texts
title: Texts
artifacts:
  words: { in: TASK.md, section: Words, all: [SAID], by: human }
states:
  open: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human, reserve: place }
  - { from: open, to: closed, by: human, need: words }
`;
const BEFORE = "---\nid: 7\n---\n# Task\n\n## Words\n\nSAID: old\n\n## Mine\n\nkept\n";

async function played(act: (scene: Scene) => Promise<void>): Promise<void> {
  const read = parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(FILE), prompts: {} });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const workspaces: object = { digest: () => Promise.resolve("t1") };
  await dispatching(
    read.workflow,
    async (scene) => {
      scene.put({ "TASK.md": BEFORE });
      await scene.begin();
      await scene.work();
      await act(scene);
    },
    { workspaces } as object,
  );
}

function say(works: Works, text: string, key?: string): Promise<Submission> {
  return submit(works, {
    run: "r1",
    by: HUMAN,
    ...(key === undefined ? {} : { key }),
    texts: [{ artifact: "words", slot: "", text }],
    event: ({ at, readings = [], tree = "" }) => ({ type: "submitted", by: HUMAN, at, tree, readings }),
  });
}

/** Dies before the file is written. */
function dying(works: Works): Works {
  return { ...works, artifacts: { ...works.artifacts, show: () => Promise.reject(new Error("killed")) } };
}

async function textsOf({ store }: Scene): Promise<readonly (string | undefined)[]> {
  const given = (await store.events("r1")).flatMap(({ event }) =>
    event.type === "submitted" ? (event.readings ?? []).flatMap((reading) => reading.text ?? []) : [],
  );
  return Promise.all(given.map((digest) => store.text(digest)));
}

test("the file shows the text, and nothing else of it changes", async () => {
  await played(async (scene) => {
    expect((await say(scene.works, "SAID: new")).type).toBe("accepted");
    expect(scene.read("TASK.md")).toBe(BEFORE.replace("old", "new"));
    expect(await textsOf(scene)).toEqual(["SAID: new"]);
  });
});

test("a text that is refused changes neither the file nor the store", async () => {
  await played(async (scene) => {
    const said = await say(scene.works, "nothing");
    expect(said).toMatchObject({ type: "refused", refusal: { code: "gate-not-met" } });
    await expect(say(scene.works, "```\nSAID: x")).rejects.toThrow(/does not close the code fence/);
    await expect(say(scene.works, `SAID: ${"x".repeat(200_000)}`)).rejects.toThrow(/would be larger than/);
    expect(scene.read("TASK.md")).toBe(BEFORE);
    expect(await textsOf(scene)).toEqual([]);
  });
});

test("killed after the event, the next process writes the file; the same key submits nothing again", async () => {
  await played(async (scene) => {
    await expect(say(dying(scene.works), "SAID: new", "k1")).rejects.toThrow("killed");
    expect([scene.read("TASK.md"), await textsOf(scene)]).toEqual([BEFORE, ["SAID: new"]]);
    expect((await say(scene.works, "SAID: other", "k1")).type).toBe("repeated");
    await project(scene.works, "r1");
    expect(scene.read("TASK.md")).toBe(BEFORE.replace("old", "new"));
    expect(await textsOf(scene)).toEqual(["SAID: new"]);
  });
});

test("what somebody writes between the event and the file is kept, and the run is told about it", async () => {
  await played(async (scene) => {
    await expect(say(dying(scene.works), "SAID: new")).rejects.toThrow("killed");
    const edited = BEFORE.replace("old", "edited by hand");
    scene.put({ "TASK.md": edited });
    await scene.ask((at) => ({ type: "observed", at }));
    expect(scene.read("TASK.md")).toBe(BEFORE.replace("old", "new"));
    const archive = join(scene.works.folders("r1").archive, "edited");
    const kept = readdirSync(archive).map((name) => readFileSync(join(archive, name), "utf8"));
    expect(kept).toEqual(["## Words\n\nSAID: edited by hand\n\n"]);
    expect((await scene.store.notes("r1")).map(({ text }) => text)).toEqual([
      expect.stringContaining("words was edited, and no event has accepted the edit"),
    ]);
    expect((await scene.run()).held["words"]?.reading.fields).toEqual({ SAID: "new" });
  });
});

test("two texts without a file in between: the file shows the second, the store has both", async () => {
  await played(async (scene) => {
    await expect(say(dying(scene.works), "SAID: one")).rejects.toThrow("killed");
    expect((await say(scene.works, "SAID: two")).type).toBe("accepted");
    expect(scene.read("TASK.md")).toBe(BEFORE.replace("old", "two"));
    expect(await textsOf(scene)).toEqual(["SAID: one", "SAID: two"]);
  });
});

test("a text that the store has lost or changed is found by verify", async () => {
  await played(async ({ works, store }) => {
    await say(works, "SAID: new");
    const { database } = store as SqliteStore;
    expect(verifyRun(database, "r1").ok).toBe(true);
    database.exec("UPDATE texts SET bytes = x'00'");
    expect(verifyRun(database, "r1")).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^its text sha256:\w+ is not kept as it was submitted$/) as string,
    });
  });
});
